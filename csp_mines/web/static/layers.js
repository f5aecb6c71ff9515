/** Works out all that a board shows besides its numbers: labels, rings, heat (risks), tones (such as safe). */

import { HIDDEN, MARKED } from "./board.js";
import { brief } from "./dom.js";

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {[number, number, string]} Ring a row, a column and a kind */
/** @typedef {{safe: Cell[], certain_mines: Cell[]}} Proved as the server's answers name them */
/**
 * What an explanation shows on the board: rings, the cells proved so far, the letters of cells, and
 * the mines of a layout.
 * @typedef {{lit: Ring[], proved?: Proved, letters?: [Cell, string][], layout?: Cell[] | null, reveal?: Cell[]}} Shown
 */

/** Values for the model of a board, named as in the model. */
export class Layers {
  /** @param {import("./position.js").Position} position */
  constructor({ rows, cols, cells, grid }) {
    this.rows = rows;
    this.cols = cols;
    this.grid = grid;
    this.cells = cells.slice();
    /** @type {string[]} */
    this.tones = new Array(cells.length).fill("");
    /** @type {(number | null)[]} */
    this.heat = new Array(cells.length).fill(null);
    /** @type {string[]} */
    this.labels = new Array(cells.length).fill("");
    /** @type {Ring[]} */
    this.lit = [];
    /** @type {[number, number, string][]} */
    this.letters = [];
  }

  /** @param {Cell} cell */
  index([row, col]) {
    return row * this.cols + col;
  }

  /** Removes tones, heat and labels. */
  wipe() {
    this.tones.fill("");
    this.heat.fill(null);
    this.labels.fill("");
  }

  /** @param {Cell[]} cells @param {string} tone */
  tone(cells, tone) {
    for (const cell of cells) this.tones[this.index(cell)] = tone;
  }

  /** @param {Proved} proved */
  prove({ safe, certain_mines }) {
    this.tone(safe, "safe");
    this.tone(certain_mines, "mine");
  }

  /** Shows the risks of hidden cells that have no tone. @param {(number | null)[][]} risks */
  warm(risks) {
    risks.flat().forEach((risk, at) => {
      if (risk === null || this.tones[at] || this.cells[at] !== HIDDEN) return;
      this.heat[at] = risk;
      this.labels[at] = brief(risk);
    });
  }

  /** Marks the cells that are hidden. @param {Cell[]} cells */
  mark(cells) {
    for (const cell of cells) {
      const at = this.index(cell);
      if (this.cells[at] !== HIDDEN) continue;
      this.cells[at] = MARKED;
      this.tones[at] = "";
    }
  }

  /** Shows mines that the position does not show. @param {Cell[]} mines @param {string} tone */
  showHidden(mines, tone) {
    this.tone(
      mines.filter((cell) => this.cells[this.index(cell)] === HIDDEN),
      tone,
    );
  }

  /** @param {Cell[]} cells @param {string} kind */
  ring(cells, kind) {
    this.lit.push(...ringed(cells, kind));
  }

  /** @param {Shown | null} shown */
  explain(shown) {
    if (!shown) return;
    if (shown.proved || shown.layout) this.wipe();
    if (shown.proved) this.prove(shown.proved);
    if (shown.layout) this.showHidden(shown.layout, "ghost");
    this.lit.push(...shown.lit);
    for (const [[row, col], letter] of shown.letters || []) this.letters.push([row, col, letter]);
  }
}

/** @param {Cell[]} cells @param {string} kind @returns {Ring[]} */
export const ringed = (cells, kind) => cells.map(([row, col]) => [row, col, kind]);

/** The mines of a layout. @param {string[]} rows as the server writes them @returns {Cell[]} */
export const minesOf = (rows) =>
  rows.flatMap((row, at) =>
    [...row].flatMap((letter, col) => (letter === "*" ? [/** @type {Cell} */ ([at, col])] : [])),
  );
