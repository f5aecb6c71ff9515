/** An explanation beside the board: a proof, sentence by sentence, or an undecided cell. */

import { HIDDEN, inkOf } from "./board.js";
import {
  bar,
  button,
  checkbox,
  div,
  h,
  joined,
  keep,
  kept,
  name,
  names,
  note,
  percent,
  plural,
  press,
  row,
  span,
  table,
  within,
} from "./dom.js";
import { ringed } from "./layers.js";

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {import("./layers.js").Shown} Shown */
/** @typedef {import("./position.js").Position} Position */
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

const CELLS = /(\([^()]+\)(?:[=≤≥]\d+)?)/;

/** The cell that a part of a text names, or null. @param {string} part @param {Position} position @returns {Cell | null} */
function cellOf(part, position) {
  const match = /^\(([^()]+)\)/.exec(part);
  return match && position.labelled(match[1]);
}

/** The cells that a text names. @param {string} text @param {Position} position @returns {Cell[]} */
function cellsIn(text, position) {
  return text
    .split(CELLS)
    .map((part) => cellOf(part, position))
    .filter((cell) => cell !== null);
}

/** A text in which the user can point at every cell. @param {string} text @param {Position} position @param {(cell: Cell | null) => void} point @param {(part: string) => {words: string, kind: string}} [naming] how a cell is called */
export function pointing(text, position, point, naming = (part) => ({ words: part, kind: "" })) {
  return text.split(CELLS).map((part) => {
    const cell = cellOf(part, position);
    if (!cell) return part;
    const { kind, words } = naming(part);
    return h(
      "span",
      {
        class: `cellname ${kind}`,
        title: position.grid.names ? null : `row ${cell[0]}, column ${cell[1]}`,
        onpointerenter: () => point(cell),
        onpointerleave: () => point(null),
      },
      words,
    );
  });
}

/**
 * An explanation of a cell of a position. `show` is called with the part that the board shows.
 * @param {any} explanation @param {(shown: Shown) => void} show @param {Position} position
 * @returns {{el: any, move: (by: number) => void, steps: number, moved?: boolean}}
 */
export function explanationPanel(explanation, show, position) {
  if (explanation.verdict !== "open") return new ProofPanel(explanation, show, position);
  return { el: openPanel(explanation, show, position), move: () => {}, steps: 0 };
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const TINTS = ["a", "b", "c", "d"]; // one for each clue of a step; more clues share the last

/** A proof, shown one step at a time. Its sentences call cells by letters, which the board shows, or by coordinates. */
class ProofPanel {
  /** @param {any} explanation @param {(shown: Shown) => void} show @param {Position} position */
  constructor(explanation, show, position) {
    this.explanation = explanation;
    this.show = show;
    this.position = position;
    this.told = sentences(explanation.steps);
    this.steps = this.told.length;
    this.letters = lettersOf(this.told, position);
    this.coordinates = kept("coordinates", false);
    this.at = 0;
    this.moved = false; // whether the reader has gone to another step
    this.list = h("ol", { class: "sentences" });
    this.count = span("count");
    this.backButton = button("quiet", "The step before (←)", () => this.move(-1), "Back");
    this.nextButton = button("primary", "The next step (→)", () => this.move(1), "Next");
    this.el = div(
      "proof",
      proved(explanation, position),
      this.steps ? this.list : h("p", null, UNSHOWN),
      this.controls(),
    );
    if (this.steps) this.go(0);
  }

  controls() {
    const naming = checkbox("coordinates", this.coordinates, (checked) => {
      this.coordinates = checked;
      keep("coordinates", checked);
      this.go(this.at);
    });
    naming.classList.add("quietly");
    return div(
      "steps",
      this.steps > 1 ? [this.backButton, this.count, this.nextButton] : null,
      this.steps ? naming : null,
    );
  }

  /** Goes some steps forward, or back. @param {number} by */
  move(by) {
    this.moved = true;
    this.go(this.at + by);
  }

  /** @param {number} to */
  go(to) {
    this.at = within(0, to, this.steps - 1);
    this.list.replaceChildren(...this.told.slice(0, this.at + 1).map((_, at) => this.item(at)));
    this.count.textContent = `${this.at + 1} of ${this.steps}`;
    this.backButton.disabled = this.at === 0;
    this.nextButton.disabled = this.at === this.steps - 1;
    if (this.moved) this.el.closest(".why")?.scrollTo(0, 1e6); // to the newest step, which is at the end
    this.shine(null);
  }

  /** A step as an item of the list: one claim in each line. @param {number} at */
  item(at) {
    const { clues, depth, text } = this.told[at];
    const now = at === this.at;
    /** @param {Cell | null} cell */
    const point = (cell) => this.shine(cell);
    /** @param {string} part */
    const naming = (part) => this.called(part, clues);
    const claims = claimsOf(text).map(({ words, so }) =>
      span(so ? "claim so" : "claim", pointing(words, this.position, point, naming)),
    );
    return h(
      "li",
      {
        class: `${now ? "now" : ""} ${depth ? "inside" : ""}`,
        "aria-current": now ? "step" : null,
      },
      claims,
    );
  }

  /** How a sentence calls a cell: a clue by its number in its tint, another cell by its letter. @param {string} part @param {Cell[]} clues */
  called(part, clues) {
    const cell = /** @type {Cell} */ (cellOf(part, this.position));
    const clue = clues.findIndex((other) => name(other) === name(cell));
    const isClue = /[=≤≥]/.test(part);
    const kind = isClue && clue >= 0 ? `chip ${tintOf(clue)}` : isClue ? "chip" : "letter";
    if (this.coordinates) return { words: part, kind };
    const letter = this.letters.get(name(cell)) || part;
    return { words: isClue ? part.replace(/^.*=|^\(.*\)/, "") : letter, kind };
  }

  /** Shows the step on the board. @param {Cell | null} pointed a cell that the reader points at */
  shine(pointed) {
    const step = this.told[this.at];
    const before = provedAfter(this.told.slice(0, this.at));
    const lit = stepRings(step, this.explanation.cell, before, this.position);
    const letters = this.coordinates ? new Map() : this.letters;
    this.show({
      reveal: [...step.cells, ...step.clues],
      lit: pointed ? [...lit, ...ringed([pointed], "last")] : lit,
      proved: provedAfter(this.told.slice(0, this.at + 1)),
      letters: cellsIn(step.text, this.position).flatMap((cell) => {
        const letter = letters.get(name(cell));
        return letter ? [[cell, letter]] : [];
      }),
    });
  }
}

const UNSHOWN = "The total number of mines proves it. The proof has too many cells to show.";

/** @param {number} clue */
const tintOf = (clue) => TINTS[Math.min(clue, TINTS.length - 1)];

/** Letters for the cells that a proof names, in reading order; clues have none. @param {Sentence[]} told @param {Position} position @returns {Map<string, string>} */
function lettersOf(told, position) {
  const clues = names(told.flatMap(({ clues }) => clues));
  const letters = new Map();
  for (const { text } of told)
    for (const cell of cellsIn(text, position))
      if (!clues.has(name(cell)) && !letters.has(name(cell))) {
        const round = Math.floor(letters.size / LETTERS.length);
        letters.set(name(cell), LETTERS[letters.size % LETTERS.length] + (round || ""));
      }
  return letters;
}

/** The claims of a sentence: what is known, and what follows. @param {string} text @returns {{words: string, so: boolean}[]} */
function claimsOf(text) {
  return text
    .replace(/\.$/, "")
    .split(/;\s+|:\s+(?=so )/)
    .map((words) => ({ words: words.replace(/^so /, "So "), so: words.startsWith("so ") }));
}

/**
 * The rings of a step. Each clue shares a tint with those hidden cells around it that were not
 * proved `before` or that the step names. The other named cells, the `target` and the cells of the
 * conclusion have rings without a tint.
 * @param {Sentence} step @param {Cell} target @param {{safe: Cell[], certain_mines: Cell[]}} before
 * @param {Position} position @returns {import("./layers.js").Ring[]}
 */
function stepRings(step, target, before, position) {
  const mentioned = cellsIn(step.text, position);
  const known = names([...before.safe, ...before.certain_mines]);
  const named = names(mentioned);
  const tinted = step.clues.flatMap((clue, at) => {
    const cells = position
      .around(clue)
      .filter((cell) => position.at(cell) === HIDDEN)
      .filter((cell) => !known.has(name(cell)) || named.has(name(cell)));
    for (const cell of [...cells, clue]) named.delete(name(cell));
    return [...ringed(cells, `cell ${tintOf(at)}`), ...ringed([clue], `clue ${tintOf(at)}`)];
  });
  const others = mentioned.filter((cell) => named.has(name(cell)));
  const kind = step.high === 0 ? "safe" : step.low === step.cells.length ? "mine" : "";
  return [
    ...tinted,
    ...ringed(others, "cell"),
    ...ringed([target], "target"),
    ...ringed(step.cells, `so ${kind}`),
  ];
}

/** The cells that these sentences prove. A sentence inside a case holds only in that case, so it does not count. @param {Sentence[]} told */
function provedAfter(told) {
  const said = told.filter((sentence) => !sentence.depth);
  return {
    safe: said.filter(({ high }) => high === 0).flatMap(({ cells }) => cells),
    certain_mines: said
      .filter(({ cells, high, low }) => high > 0 && low === cells.length)
      .flatMap(({ cells }) => cells),
  };
}

/** What is proved, and from what. @param {any} explanation @param {Position} position */
function proved(explanation, position) {
  const { cell, cells, clues, difficulty, board_difficulty, uses_total, verdict } = explanation;
  const from = joined(
    [clues.length && plural(clues.length, "clue"), uses_total && "the number of mines in all"],
    " and ",
  );
  const needs = uses_total && difficulty === "total" ? "" : difficulty; // it is said already
  const others = cells
    .filter((/** @type {Cell} */ other) => name(other) !== name(cell))
    .slice(0, 6)
    .map((/** @type {Cell} */ other) => position.label(other));
  return [
    h(
      "p",
      { class: `verdict ${verdict}` },
      h("strong", null, `${position.label(cell)} is ${verdict === "mine" ? "a mine" : "safe"}`),
      span("quietly", others.length ? `, with ${others.join("  ")}` : ""),
    ),
    note(
      `Proved from ${from || "what is known"}${needs ? `: ${gradeWords(needs)}` : ""}${board_difficulty ? ` (with all clues of the board: ${gradeWords(board_difficulty)})` : ""}`,
    ),
  ];
}

/** An undecided cell: its risk, what its number would tell, two layouts that fit. @param {any} explanation @param {(shown: Shown) => void} show @param {Position} position */
function openPanel(explanation, show, position) {
  /** @param {Cell[] | null} layout */
  const showLayout = (layout) => show({ lit: ringed([explanation.cell], "target"), layout });
  showLayout(null);
  const short = explanation.fraction.length < 24 ? ` = ${explanation.fraction}` : "";
  const { witnesses, outcomes, guess } = explanation;
  return div(
    "proof",
    h(
      "p",
      { class: "verdict open" },
      h("strong", null, `${position.label(explanation.cell)} is undecided`),
    ),
    h(
      "p",
      null,
      "A mine with probability ",
      h("strong", { class: "number" }, percent(explanation.probability)),
      span("quietly number", short),
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
    const choose = () => {
      pressed = pressed === made ? null : made;
      for (const other of buttons) press(other, other === pressed);
      showLayout(pressed ? mines : null);
    };
    const made = button("quiet", "", choose, words);
    press(made, false);
    return made;
  });
  return buttons;
}

/** @param {any[]} outcomes */
function outcomeTable(outcomes) {
  const most = Math.max(...outcomes.map((outcome) => outcome.probability));
  const headings = [["shows"], ["chance"], ["safe"], ["mines"]];
  const rows = outcomes.map(({ mines, probability: share, safe, shown }) => {
    const mine = shown === "X";
    const ink = mine ? "mine" : inkOf(shown);
    return h(
      "tr",
      null,
      h("th", { scope: "row", style: `color: var(--${ink})` }, mine ? "mine" : String(shown)),
      h("td", null, bar(share, most), span("number", percent(share))),
      [safe, mines].map((count) => h("td", { class: "number" }, mine ? "" : String(count))),
    );
  });
  const caption = h("caption", null, "What it may show, and what that would prove");
  return table(headings, rows, { class: "outcomes" }, caption);
}
