/** The box that says what is known about the cell at the pointer: risk, chance to win, prospects. */

import { Newest } from "./api.js";
import { h, percent } from "./dom.js";

const DELAY = 120; // milliseconds on a cell before its prospects are asked for
const OFFSET = 14; // pixels between the pointer and the readout

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {[string, string][]} Lines pairs of a name and a value */

export class Readout {
  constructor() {
    this.el = h("dl", { class: "readout", hidden: true, "aria-hidden": "true" });
    this.newest = new Newest();
    this.asked = 0;
  }

  /** @param {Lines} lines @param {{x: number, y: number}} place @param {object | null} request for the prospects of the cell */
  show(lines, place, request) {
    this.hide();
    this.fill(lines);
    this.put(place);
    if (!request) return;
    const { asked } = this;
    this.timer = setTimeout(async () => {
      const found = await this.newest.ask("prospects", request);
      if (!found || found.error || found.status || asked !== this.asked) return;
      this.fill([...lines, ...more(found)]);
      this.put(place);
    }, DELAY);
  }

  hide() {
    clearTimeout(this.timer);
    this.asked++;
    this.el.hidden = true;
  }

  /** @param {Lines} lines */
  fill(lines) {
    this.el.replaceChildren(
      ...lines.flatMap(([term, value]) => [h("dt", null, term), h("dd", null, value)]),
    );
    this.el.hidden = false;
  }

  /** Puts the box beside the pointer, inside the window. @param {{x: number, y: number}} place */
  put({ x, y }) {
    const { offsetHeight, offsetWidth } = this.el;
    const left = x + OFFSET + offsetWidth < innerWidth ? x + OFFSET : x - OFFSET - offsetWidth;
    const top = y + OFFSET + offsetHeight < innerHeight ? y + OFFSET : y - OFFSET - offsetHeight;
    this.el.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
  }
}

/** @param {any} found @returns {Lines} */
function more({ dead, progress, safety, zero }) {
  /** @type {Lines} */
  const lines = [
    ["Safe now and next", percent(safety)],
    ["Chance of a 0", percent(zero)],
    ["Chance of progress", percent(progress)],
  ];
  return dead ? [...lines, ["Dead cell", "tells nothing new"]] : lines;
}
