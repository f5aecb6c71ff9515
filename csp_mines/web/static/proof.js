// @ts-check
/** An explanation beside the board: a proof, sentence by sentence, or an undecided cell. */

import { bar, button, h, name, note, percent, plural, row, within } from "./dom.js";
import { ringed } from "./layers.js";

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {import("./layers.js").Shown} Shown */
/** @typedef {{text: string, clues: Cell[], cells: Cell[], low: number, high: number, depth: number}} Sentence */

/** @type {Map<string, string>} */
const grades = new Map();

/** Stores the grades that the server knows, easiest first. @param {{name: string, words: string}[]} known */
export function learnGrades(known) {
  for (const grade of known) grades.set(grade.name, grade.words);
}

/** What a grade means, in words. @param {string} grade */
export const gradeWords = (grade) => grades.get(grade) || grade;

/** The sentences of the steps, and of the cases inside them, in reading order. @param {any[]} steps @param {number} [depth] @returns {Sentence[]} */
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

/** A text in which the user can point at every cell. @param {string} text @param {(cell: Cell | null) => void} point */
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
 * An explanation. `show` is called with the part that the board shows.
 * @param {any} explanation @param {(shown: Shown) => void} show
 * @returns {{el: any, next: () => void, back: () => void}}
 */
export function explanationPanel(explanation, show) {
  if (explanation.verdict !== "open") return proofPanel(explanation, show);
  return { el: openPanel(explanation, show), next: () => {}, back: () => {} };
}

/** A proof, one sentence at a time. @param {any} explanation @param {(shown: Shown) => void} show */
function proofPanel(explanation, show) {
  const told = sentences(explanation.steps);
  let at = 0;
  const list = h("ol", { class: "sentences" });
  const count = h("span", { class: "count", "aria-live": "polite" });
  const back = button("quiet", "The sentence before", () => go(at - 1), "Back");
  const on = button("primary", "The next sentence", () => go(at + 1), "Next");

  /** @param {Cell | null} pointed */
  function shine(pointed) {
    const lit = rings(explanation.cell, told[at], pointed);
    show({ lit, proved: provedAfter(told.slice(0, at + 1)) });
  }

  /** @param {number} to */
  function go(to) {
    at = within(0, to, told.length - 1);
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
      h("p", null, "The total number of mines proves it. The proof has too many cells to show."),
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
    ...ringed([target], "target"),
    ...ringed(sentence?.cells || [], "cell"),
    ...ringed(sentence?.clues || [], "clue"),
    ...ringed(pointed ? [pointed] : [], "last"),
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

/** The cells that these sentences prove, without sentences that hold only in one case. @param {Sentence[]} told */
function provedAfter(told) {
  const said = told.filter((sentence) => !sentence.depth);
  return {
    safe: said.filter(({ high }) => high === 0).flatMap(({ cells }) => cells),
    certain_mines: said
      .filter(({ cells, high, low }) => high > 0 && low === cells.length)
      .flatMap(({ cells }) => cells),
  };
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
    note(
      `Proved from ${from || "what is known"}${difficulty ? `: ${gradeWords(difficulty)}` : ""}${board_difficulty ? ` (with all clues of the board: ${gradeWords(board_difficulty)})` : ""}`,
    ),
  ];
}

/** An undecided cell: its risk, what its number would tell, two layouts that fit. @param {any} explanation @param {(shown: Shown) => void} show */
function openPanel(explanation, show) {
  /** @param {Cell[] | null} layout */
  const showLayout = (layout) => show({ lit: ringed([explanation.cell], "target"), layout });
  showLayout(null);
  const short = explanation.fraction.length < 24 ? ` = ${explanation.fraction}` : "";
  const { witnesses, outcomes, guess } = explanation;
  return h(
    "div",
    { class: "proof" },
    h("p", { class: "verdict open" }, h("strong", null, `${name(explanation.cell)} is undecided`)),
    h(
      "p",
      null,
      "A mine with probability ",
      h("strong", { class: "number" }, percent(explanation.probability)),
      h("span", { class: "quietly number" }, short),
    ),
    guess ? guess.texts.map((/** @type {string} */ sentence) => h("p", null, sentence)) : null,
    outcomes ? outcomeTable(outcomes) : null,
    note("Two layouts that fit every clue:"),
    row(witnessButtons(witnesses, showLayout)),
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
  const headings = ["shows", "chance", "safe", "mines"];
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
        headings.map((words) => h("th", { scope: "col" }, words)),
      ),
    ),
    h(
      "tbody",
      null,
      outcomes.map((outcome) => {
        const mine = outcome.shown === "X";
        return h(
          "tr",
          null,
          h(
            "th",
            { scope: "row", style: `color: var(--${mine ? "mine" : `n${outcome.shown}`})` },
            mine ? "mine" : String(outcome.shown),
          ),
          h(
            "td",
            null,
            bar(outcome.probability, most),
            h("span", { class: "number" }, percent(outcome.probability)),
          ),
          h("td", { class: "number" }, mine ? "" : String(outcome.safe)),
          h("td", { class: "number" }, mine ? "" : String(outcome.mines)),
        );
      }),
    ),
  );
}
