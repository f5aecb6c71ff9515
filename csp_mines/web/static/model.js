/** A model for the page, like those of anywidget: values by name, and listeners for changes. */

import { kept } from "./dom.js";

/** @typedef {import("./board.js").Model} BoardModel */

/** @implements {BoardModel} */
export class Model {
  /** @param {import("./position.js").Position} position what to show first @param {string} label the name of the board */
  constructor({ rows, cols, cells, grid }, label) {
    /** @type {Record<string, any>} */
    this.values = { rows, cols, cells, grid, label, cursor: [0, 0], zoom: kept("zoom", 1) };
    /** @type {Map<string, Set<(...values: any[]) => void>>} */
    this.calls = new Map();
    /** @type {(message: any) => void} */
    this.heard = () => {};
  }

  /** @param {string} name */
  get(name) {
    return this.values[name];
  }

  /** @param {string} name @param {any} value */
  set(name, value) {
    this.values[name] = value;
    for (const call of this.calls.get(`change:${name}`) || []) call(value);
  }

  /** @param {Record<string, any>} values */
  show(values) {
    for (const [name, value] of Object.entries(values)) this.set(name, value);
  }

  save_changes() {}

  /** @param {string} name @param {(...values: any[]) => void} call */
  on(name, call) {
    if (!this.calls.has(name)) this.calls.set(name, new Set());
    this.calls.get(name)?.add(call);
  }

  /** @param {string} name @param {any} [call] */
  off(name, call) {
    this.calls.get(name)?.delete(call);
  }

  /** @param {any} message */
  send(message) {
    this.heard(message);
  }
}
