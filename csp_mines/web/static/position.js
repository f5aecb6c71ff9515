// @ts-check
/** Positions: what a board shows and what is known about its mines. A position never changes. */

import { CLEAR, EXPLODED, HIDDEN, MARKED } from "./board.js";

const LETTERS = /** @type {Record<string, number>} */ ({
  "?": HIDDEN,
  M: MARKED,
  X: EXPLODED,
  C: CLEAR,
});
const SPELLED = new Map(Object.entries(LETTERS).map(([letter, code]) => [code, letter]));

/** @typedef {import("./board.js").Cell} Cell */
/** What is known before any clue. If `clues` is null, clues are exact. @typedef {{mines: number | null, density: string | null, clues: string | null}} Terms */

/** The code of a letter in the notation `canonical`. @param {string} letter */
function codeOf(letter) {
  return letter in LETTERS ? LETTERS[letter] : Number(letter);
}

export class Position {
  /** @param {number} rows @param {number} cols @param {Int8Array} cells @param {Partial<Terms>} [terms] */
  constructor(rows, cols, cells, terms = {}) {
    this.rows = rows;
    this.cols = cols;
    this.cells = cells;
    this.mines = terms.mines ?? null;
    this.density = terms.density ?? null;
    this.clues = terms.clues ?? null;
  }

  /** @param {number} rows @param {number} cols @param {number | null} mines */
  static blank(rows, cols, mines) {
    return new Position(rows, cols, new Int8Array(rows * cols).fill(HIDDEN), { mines });
  }

  /** From an answer with `board`, a list of rows. @param {any} report */
  static of(report) {
    const cells = new Int8Array(report.rows * report.cols);
    report.board.forEach((/** @type {string} */ row, /** @type {number} */ index) => {
      for (let col = 0; col < report.cols; col++)
        cells[index * report.cols + col] = codeOf(row[col]);
    });
    return new Position(report.rows, report.cols, cells, report);
  }

  /** @param {Cell} cell */
  at([row, col]) {
    return this.cells[row * this.cols + col];
  }

  /** @param {[Cell, number][]} changes */
  with(changes) {
    const cells = this.cells.slice();
    for (const [[row, col], code] of changes) cells[row * this.cols + col] = code;
    return new Position(this.rows, this.cols, cells, this);
  }

  /** The same cells on a board of another size; new cells are hidden. @param {number} rows @param {number} cols @param {Terms} terms */
  resized(rows, cols, terms) {
    const cells = new Int8Array(rows * cols).fill(HIDDEN);
    for (let row = 0; row < Math.min(rows, this.rows); row++)
      for (let col = 0; col < Math.min(cols, this.cols); col++)
        cells[row * cols + col] = this.at([row, col]);
    return new Position(rows, cols, cells, terms);
  }

  /** The same cells with other terms. @param {Terms} terms */
  told(terms) {
    return this.resized(this.rows, this.cols, terms);
  }

  /** The cells around a cell. @param {Cell} cell @returns {Cell[]} */
  around([row, col]) {
    /** @type {Cell[]} */
    const near = [];
    for (let down = -1; down <= 1; down++)
      for (let right = -1; right <= 1; right++) {
        const [r, c] = [row + down, col + right];
        if ((down || right) && r >= 0 && r < this.rows && c >= 0 && c < this.cols)
          near.push([r, c]);
      }
    return near;
  }

  /** The fields of a request that describe this position. */
  get request() {
    const lines = [];
    for (let row = 0; row < this.rows; row++) {
      let line = "";
      for (let col = 0; col < this.cols; col++) {
        const code = this.cells[row * this.cols + col];
        line += code >= 0 ? code : SPELLED.get(code);
      }
      lines.push(line);
    }
    return {
      board: lines.join("\n"),
      format: "canonical",
      mines: this.mines,
      density: this.density,
      clues: this.clues,
    };
  }
}

/** The past and the undone values, for unlimited undo and redo. @template T */
export class History {
  /** @param {T} first */
  constructor(first) {
    this.past = /** @type {T[]} */ ([]);
    this.now = first;
    this.future = /** @type {T[]} */ ([]);
  }

  /** @param {T} next */
  push(next) {
    this.past.push(this.now);
    this.now = next;
    this.future = [];
  }

  undo() {
    return this.step(this.past, this.future);
  }

  redo() {
    return this.step(this.future, this.past);
  }

  /** Returns whether there was a step to take. @param {T[]} from @param {T[]} to */
  step(from, to) {
    const next = from.pop();
    if (next === undefined) return false;
    to.push(this.now);
    this.now = next;
    return true;
  }
}
