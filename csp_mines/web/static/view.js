// @ts-check
/** The common part of Analyse and Play: a board, a card with the status, a card with reasons. */

import { render } from "./board.js";
import { h } from "./dom.js";
import { Model } from "./model.js";
import { explanationPanel } from "./proof.js";

export class BoardView {
  /**
   * @param {string} title @param {string} label the name of the board
   * @param {import("./choices.js").Choices} known what the server offers
   * @param {import("./position.js").Position} position
   */
  constructor(title, label, known, { rows, cols, cells }) {
    this.known = known;
    this.el = h("section", { class: "view", "aria-label": title });
    this.model = new Model({ rows, cols, cells, label });
    this.model.heard = (message) => this.hear(message);
    this.boardPlace = h("div", { class: "board-place" });
    this.status = h("div", { class: "card status", "aria-live": "polite" });
    this.why = h("div", { class: "card why", hidden: true });
    /** @type {import("./layers.js").Shown | null} */
    this.shown = null;
    /** @type {ReturnType<typeof explanationPanel> | null} */
    this.panel = null;
  }

  /** @param {any[]} stage around the board @param {string} title @param {any[]} cards beside it */
  lay(stage, title, cards) {
    this.el.append(
      h("div", { class: "stage" }, stage),
      h("aside", { class: "panel", "aria-label": title }, this.status, this.why, cards),
    );
    render({ model: this.model, el: this.boardPlace });
  }

  /** Shows another view with something in it; `app.js` sets this. @param {string} view @param {any} what */
  bridge(view, what) {}

  /** @param {any} message from the board */
  hear(message) {}

  /** Shows everything that is known on the board. */
  refresh() {}

  /** Fills the card with the status. @param {string} kind "good", "bad" or "" @param {...any} words */
  tell(kind, ...words) {
    this.status.className = `card status ${kind}`;
    this.status.replaceChildren(...words);
  }

  /** Fills the card with reasons. @param {...any} words */
  tellWhy(...words) {
    this.why.hidden = false;
    this.why.replaceChildren(...words);
  }

  /** The explanation as an element. The board shows the sentence that the reader has reached. @param {any} explanation */
  explained(explanation) {
    this.panel = explanationPanel(explanation, (shown) => {
      this.shown = shown;
      this.refresh();
    });
    return this.panel.el;
  }

  /** Removes the explanation. */
  hush() {
    this.shown = null;
    this.panel = null;
    this.why.hidden = true;
    this.why.replaceChildren();
  }

  /** Whether the board has the keyboard focus. */
  get focused() {
    return this.boardPlace.contains(document.activeElement);
  }
}
