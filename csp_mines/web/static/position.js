/** Positions: what a board shows and what is known about its mines. A position never changes. */

import { CLEAR, EXPLODED, gridFor, HIDDEN, HOLE, MARKED } from "./board.js";

const LETTERS = /** @type {Record<string, number>} */ ({
  "?": HIDDEN,
  M: MARKED,
  X: EXPLODED,
  C: CLEAR,
  "~": HOLE,
});
const SPELLED = new Map(Object.entries(LETTERS).map(([letter, code]) => [code, letter]));

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {import("./board.js").GridData} GridData */
/** What is known before any clue. If `clues` is null, clues are exact. @typedef {{mines: number | null, density: string | null, clues: string | null}} Terms */

/** The grids that the server has described, by the texts that name them; the usual one first. @type {Map<string, GridData>} */
const described = new Map();

/** Stores the descriptions of grids. @param {GridData[]} grids */
export function learnGrids(grids) {
  for (const data of grids) described.set(data.grid, data);
}

/** Whether the page must ask for the description of a grid. @param {string | undefined} grid */
export const isUnknownGrid = (grid) => typeof grid === "string" && !described.has(grid);

/** The grid that an answer names; the usual one if it names none. @param {string} [grid] */
export const gridNamed = (grid) =>
  /** @type {GridData} */ (described.get(grid ?? "") ?? [...described.values()][0]);

/** The code of a letter in the notation `canonical`. @param {string} letter */
function codeOf(letter) {
  return letter in LETTERS ? LETTERS[letter] : Number(letter);
}

export class Position {
  /** @param {number} rows @param {number} cols @param {Int8Array} cells @param {Partial<Terms>} [terms] @param {GridData} [grid] */
  constructor(rows, cols, cells, terms = {}, grid = gridNamed()) {
    this.rows = rows;
    this.cols = cols;
    this.cells = cells;
    this.mines = terms.mines ?? null;
    this.density = terms.density ?? null;
    this.clues = terms.clues ?? null;
    this.grid = grid;
  }

  /** The grid of a board of this size. */
  get place() {
    return gridFor(this.grid, this.rows, this.cols);
  }

  /** A board of hidden cells. @param {{rows: number, cols: number, mines: number | null}} size */
  static blank({ rows, cols, mines }) {
    return new Position(rows, cols, new Int8Array(rows * cols).fill(HIDDEN), { mines });
  }

  /** The position in an answer with `board`, a list of rows. @param {any} report */
  static of(report) {
    const grid = gridNamed(report.grid);
    const cells = new Int8Array(report.rows * report.cols);
    report.board.forEach((/** @type {string} */ row, /** @type {number} */ index) => {
      const letters = grid.between ? row.trim().split(/\s+/) : row;
      for (let col = 0; col < report.cols; col++)
        cells[index * report.cols + col] = codeOf(letters[col]);
    });
    return new Position(report.rows, report.cols, cells, report, grid);
  }

  /** The beginning of a game: every cell is hidden. @param {any} game with `layout`, a list of rows */
  static beginning(game) {
    const rows = game.layout.slice(-game.rows); // there may be a header
    const cells = [...rows.join("")].map((letter) => (letter === "~" ? HOLE : HIDDEN));
    return new Position(game.rows, game.cols, new Int8Array(cells), game, gridNamed(game.grid));
  }

  /** @param {Cell} cell */
  at([row, col]) {
    return this.cells[row * this.cols + col];
  }

  /** @param {[Cell, number][]} changes */
  with(changes) {
    const cells = this.cells.slice();
    for (const [[row, col], code] of changes) cells[row * this.cols + col] = code;
    return new Position(this.rows, this.cols, cells, this, this.grid);
  }

  /** The same cells on a board of another size; new cells are hidden. @param {number} rows @param {number} cols @param {Terms} terms */
  resized(rows, cols, terms) {
    const cells = new Int8Array(rows * cols).fill(HIDDEN);
    for (let row = 0; row < Math.min(rows, this.rows); row++)
      for (let col = 0; col < Math.min(cols, this.cols); col++)
        cells[row * cols + col] = this.at([row, col]);
    return new Position(rows, cols, cells, terms, this.grid);
  }

  /** The same cells on another grid. Cells whose number is too large there become hidden. @param {GridData} grid */
  on(grid) {
    const cells = this.cells.map((code) => (code > grid.most ? HIDDEN : code));
    return new Position(this.rows, this.cols, cells, this, grid);
  }

  /** Whether no cell shows anything, so that only the shape counts. */
  get empty() {
    return this.cells.every((code) => code === HIDDEN || code === HOLE);
  }

  /** The number of cells. */
  get size() {
    return this.cells.filter((code) => code !== HOLE).length;
  }

  /** The same cells with another total, density and clue model. @param {Terms} terms */
  told(terms) {
    return this.resized(this.rows, this.cols, terms);
  }

  /** @param {Cell} cell @returns {Cell[]} */
  around(cell) {
    return this.place.around(cell).filter((near) => this.at(near) !== HOLE);
  }

  /** The name of a cell for people, such as `3,4`. @param {Cell} cell */
  label(cell) {
    return this.place.label(cell);
  }

  /** The cell with this name, or null. @param {string} label @returns {Cell | null} */
  labelled(label) {
    const index = this.grid.names?.indexOf(label) ?? -1;
    if (index >= 0) return this.place.cell(index);
    const match = this.grid.names ? null : /^(\d+),(\d+)$/.exec(label);
    return match ? [Number(match[1]), Number(match[2])] : null;
  }

  /** The header and the rows as text. */
  get text() {
    const lines = this.grid === gridNamed() ? [] : [`grid: ${this.grid.grid}`];
    for (let row = 0; row < this.rows; row++) {
      const line = [];
      for (let col = 0; col < this.cols; col++) {
        const code = this.cells[row * this.cols + col];
        line.push(code >= 0 ? code : SPELLED.get(code));
      }
      lines.push(line.join(this.grid.between));
    }
    return lines.join("\n");
  }

  /** The fields of a request for a game of this size, with these holes, on this grid. */
  get shape() {
    const cells = this.cells.map((code) => (code === HOLE ? HOLE : HIDDEN));
    const { text } = new Position(this.rows, this.cols, cells, {}, this.grid);
    return { shape: text, mines: this.mines };
  }

  /** The fields of a request that describe this position. */
  get request() {
    return {
      board: this.text,
      format: "canonical",
      mines: this.mines,
      density: this.density,
      clues: this.clues,
    };
  }
}

/** The earlier values and the undone ones, for undo and redo without a limit. @template T */
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
