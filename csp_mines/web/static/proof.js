// @ts-check
/** An explanation beside the board: a proof to go through sentence by sentence, or an open cell. */

import { button, h, name, percent, plural } from "./dom.js";

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {{text: string, clues: Cell[], cells: Cell[], low: number, high: number, depth: number}} Sentence */

/** @type {Map<string, string>} */
const grades = new Map();

/** Takes in the grades that the server knows, easiest first. @param {{name: string, words: string}[]} known */
export function learnGrades(known) {
  for (const grade of known) grades.set(grade.name, grade.words);
}

/** What a grade means, in words. @param {string} grade */
export const gradeWords = (grade) => grades.get(grade) || grade;

/** Steps with what they suppose, in the order in which they are read. @param {any[]} steps @param {number} [depth] @returns {Sentence[]} */
function sentences(steps, depth = 0) {
  return steps.flatMap((step) => {
    const said = { ...step, depth };
    if (!step.steps) return [said];
    const supposed = {
      text: `Suppose ${step.suppose}.`,
      clues: [],
      cells: [],
      low: 0,
      high: 1,
      depth: depth + 1,
    };
    return [supposed, ...sentences(step.steps, depth + 1), said];
  });
}

/** A text in which every cell can be pointed at. @param {string} text @param {(cell: Cell | null) => void} point */
export function pointing(text, point) {
  return text.split(/(\(\d+,\d+\)(?:=\d)?)/).map((part) => {
    const match = /^\((\d+),(\d+)\)(=\d)?$/.exec(part);
    if (!match) return part;
    const cell = /** @type {Cell} */ ([Number(match[1]), Number(match[2])]);
    return h(
      "span",
      { class: "cellname", onpointerenter: () => point(cell), onpointerleave: () => point(null) },
      part,
    );
  });
}

/**
 * A proof, one sentence at a time. `light` is given what to light up: rings, and the cells known
 * by then.
 * @param {any} explanation
 * @param {(lit: [number, number, string][], known: Map<string, string>) => void} light
 */
export function proofPanel(explanation, light) {
  const told = sentences(explanation.steps);
  let at = 0;
  const list = h("ol", { class: "sentences" });
  const count = h("span", { class: "count", "aria-live": "polite" });
  const back = button("quiet", "The sentence before", () => go(at - 1), "Back");
  const on = button("primary", "The next sentence", () => go(at + 1), "Next");

  /** @param {Cell | null} pointed */
  function shine(pointed) {
    const lit = rings(explanation.cell, told[at], pointed);
    light(/** @type {any} */ (lit), knownAfter(told.slice(0, at + 1)));
  }

  /** @param {number} to */
  function go(to) {
    at = Math.max(0, Math.min(told.length - 1, to));
    list.replaceChildren(...listed(told.slice(0, at + 1), shine));
    count.textContent = `${at + 1} of ${told.length}`;
    back.disabled = at === 0;
    on.disabled = at === told.length - 1;
    shine(null);
  }

  const panel = h(
    "div",
    { class: "proof" },
    proved(explanation),
    list,
    told.length > 1 ? h("div", { class: "steps" }, back, count, on) : null,
  );
  if (told.length) go(0);
  else
    list.replaceWith(
      h("p", null, "Proved by the number of mines in all, over too many cells to explain."),
    );
  return {
    el: panel,
    next: () => go(at + 1),
    back: () => go(at - 1),
  };
}

/** The rings of a sentence. @param {Cell} target @param {Sentence | undefined} sentence @param {Cell | null} pointed */
function rings(target, sentence, pointed) {
  return [
    [...target, "target"],
    ...(sentence?.cells || []).map((cell) => [...cell, "cell"]),
    ...(sentence?.clues || []).map((cell) => [...cell, "clue"]),
    ...(pointed ? [[...pointed, "last"]] : []),
  ];
}

/** Sentences as items of a list, the last one marked. @param {Sentence[]} told @param {(cell: Cell | null) => void} point */
function listed(told, point) {
  return told.map((step, index) => {
    const now = index === told.length - 1;
    return h(
      "li",
      {
        class: `${now ? "now" : ""} ${step.depth ? "inside" : ""}`,
        "aria-current": now ? "step" : null,
      },
      pointing(step.text, point),
    );
  });
}

/** The cells that these sentences, cases apart, prove safe or mines. @param {Sentence[]} told @returns {Map<string, string>} */
function knownAfter(told) {
  const known = new Map();
  for (const { cells, low, high } of told.filter((sentence) => !sentence.depth)) {
    if (high === 0) for (const cell of cells) known.set(name(cell), "safe");
    else if (low === cells.length) for (const cell of cells) known.set(name(cell), "mine");
  }
  return known;
}

/** What is proved, and from what. @param {any} explanation */
function proved({ cell, cells, clues, difficulty, board_difficulty, uses_total, verdict }) {
  const from = [
    clues.length ? plural(clues.length, "clue") : "",
    uses_total ? "the number of mines" : "",
  ]
    .filter(Boolean)
    .join(" and ");
  const others = cells
    .filter((/** @type {Cell} */ other) => name(other) !== name(cell))
    .slice(0, 6)
    .map(name);
  return [
    h(
      "p",
      { class: `verdict ${verdict}` },
      h("strong", null, `${name(cell)} is ${verdict === "mine" ? "a mine" : "safe"}`),
      h("span", { class: "quietly" }, others.length ? `, with ${others.join("  ")}` : ""),
    ),
    h(
      "p",
      { class: "quietly" },
      `Proved from ${from || "what is known"}${difficulty ? `: ${gradeWords(difficulty)}` : ""}${board_difficulty ? ` (with all clues of the board: ${gradeWords(board_difficulty)})` : ""}`,
    ),
  ];
}

/**
 * A cell that nothing decides: its risk, what its number would tell, two layouts that fit.
 * @param {any} explanation @param {(mines: Cell[] | null) => void} showLayout
 */
export function openPanel(explanation, showLayout) {
  const short = explanation.fraction.length < 24 ? ` = ${explanation.fraction}` : "";
  const { witnesses, outcomes, guess } = explanation;
  return h(
    "div",
    { class: "proof" },
    h(
      "p",
      { class: "verdict open" },
      h("strong", null, `${name(explanation.cell)} is not decided`),
    ),
    h(
      "p",
      null,
      "A mine with probability ",
      h("strong", { class: "number" }, percent(explanation.probability)),
      h("span", { class: "quietly number" }, short),
    ),
    guess ? guess.texts.map((/** @type {string} */ sentence) => h("p", null, sentence)) : null,
    outcomes ? outcomeTable(outcomes) : null,
    h("p", { class: "quietly" }, "Two layouts that fit every clue:"),
    h("div", { class: "row" }, witnessButtons(witnesses, showLayout)),
  );
}

/** Two buttons, each of which shows a layout until it is pressed again. @param {any} witnesses @param {(mines: Cell[] | null) => void} showLayout */
function witnessButtons(witnesses, showLayout) {
  /** @type {any} */
  let pressed = null;
  const buttons = [
    { mines: witnesses.with_mine, words: "with a mine here" },
    { mines: witnesses.without, words: "without" },
  ].map(({ mines, words }) => {
    const made = h("button", { type: "button", class: "quiet", "aria-pressed": "false" }, words);
    made.addEventListener("click", () => {
      pressed = pressed === made ? null : made;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === pressed));
      showLayout(pressed ? mines : null);
    });
    return made;
  });
  return buttons;
}

/** @param {any[]} outcomes */
function outcomeTable(outcomes) {
  const most = Math.max(...outcomes.map((outcome) => outcome.probability));
  return h(
    "table",
    { class: "outcomes" },
    h("caption", null, "What it may show, and what that would prove"),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        h("th", { scope: "col" }, "shows"),
        h("th", { scope: "col" }, "chance"),
        h("th", { scope: "col" }, "safe"),
        h("th", { scope: "col" }, "mines"),
      ),
    ),
    h(
      "tbody",
      null,
      outcomes.map((outcome) => {
        const bar = h("meter", {
          min: 0,
          max: most,
          value: outcome.probability,
          "aria-hidden": "true",
        });
        const mine = outcome.shown === "X";
        return h(
          "tr",
          null,
          h(
            "th",
            { scope: "row", class: mine ? "is-mine" : `n${outcome.shown}` },
            mine ? "mine" : String(outcome.shown),
          ),
          h("td", null, bar, h("span", { class: "number" }, percent(outcome.probability))),
          h("td", { class: "number" }, mine ? "" : String(outcome.safe)),
          h("td", { class: "number" }, mine ? "" : String(outcome.mines)),
        );
      }),
    ),
  );
}
