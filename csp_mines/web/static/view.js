/** Shared by Analyse, Play, Learn and Review: a board, a card with the status, a card with reasons, the zoom. */

import { render } from "./board.js";
import { button, div, h, icon, keep, kept, row, say, within } from "./dom.js";
import { Model } from "./model.js";
import { explanationPanel } from "./proof.js";

const ZOOMS = [0, 0.6, 0.8, 1, 1.25, 1.6, 2]; // 0 shows the whole width

/** Buttons that make cells smaller and larger. @param {() => Model[]} models of the boards that follow */
export function zoomButtons(models) {
  /** @param {number} steps */
  const change = (steps) => {
    const at = ZOOMS.indexOf(kept("zoom", 1));
    const zoom = ZOOMS[within(0, (at < 0 ? 3 : at) + steps, ZOOMS.length - 1)];
    keep("zoom", zoom);
    for (const model of models()) model.set("zoom", zoom);
    say(zoom === 0 ? "The whole board" : `Cells at ${zoom * 100} %`);
  };
  return h(
    "span",
    { class: "zoom", role: "group", "aria-label": "Size of the cells" },
    icon("Smaller cells", "−", () => change(-1)),
    icon("Larger cells", "+", () => change(1)),
  );
}

export class BoardView {
  /**
   * @param {string} title @param {string} label the name of the board
   * @param {import("./choices.js").Choices} known what the server offers
   * @param {import("./position.js").Position} position
   */
  constructor(title, label, known, position) {
    this.known = known;
    this.el = h("section", { class: "view", "aria-label": title });
    this.model = new Model(position, label);
    this.model.heard = (message) => this.hear(message);
    this.boardPlace = div("board-place");
    this.status = h("div", { class: "card status", "aria-live": "polite" });
    this.why = h("div", { class: "card why", "aria-live": "polite", hidden: true });
    /** @type {import("./layers.js").Shown | null} */
    this.shown = null;
    /** @type {ReturnType<typeof explanationPanel> | null} */
    this.panel = null;
    this.typed = false; // whether the keyboard chose the cell that is explained
    this.width = innerWidth;
    window.addEventListener("resize", () => this.resized());
  }

  /** Keeps the step that is explained in sight when the window gets another width. */
  resized() {
    if (this.width === innerWidth) return; // only the address bar of a phone moved
    this.width = innerWidth;
    if (!this.shown || this.el.hidden) return;
    requestAnimationFrame(() => {
      this.model.set("reveal", this.model.get("reveal"));
      if (this.panel?.moved) this.why.scrollTo(0, 1e6);
    });
  }

  /** @param {any[]} stage around the board @param {string} title @param {any[]} cards beside it */
  lay(stage, title, cards) {
    this.el.append(
      div("stage", stage),
      h("section", { class: "panel", "aria-label": title }, this.status, this.why, cards),
    );
    render({ model: this.model, el: this.boardPlace });
  }

  /** Shows another view with something in it; `app.js` sets this. @param {string} view @param {any} what */
  bridge(view, what) {}

  /** Reads what was dropped; `app.js` sets this. @param {import("./inbox.js").Given} given */
  receive(given) {}

  /** A button that shows a position in Analyse. @param {() => import("./position.js").Position} position the one to show */
  analyseButton(position) {
    const open = () => this.bridge("analyse", position());
    return button("quiet", "What follows from this position", open, "Analyse this position");
  }

  /** @param {any} message from the board */
  hear(message) {}

  /** Shows everything that is known on the board. */
  refresh() {}

  /** Fills the card with the status. @param {string} kind "good", "bad" or "" @param {string} head @param {...any} words */
  tell(kind, head, ...words) {
    this.status.className = `card status ${kind}`;
    const rest = words.filter((part) => part !== null && part !== "");
    this.status.replaceChildren(h("h2", null, head), ...rest);
  }

  /** Says in the card with the status what has failed, and offers ways out. @param {string} head @param {string} why @param {...any} buttons */
  tellBad(head, why, ...buttons) {
    this.tell("bad", head, h("p", null, why), row(buttons));
  }

  /** Fills the card with reasons. @param {...any} words */
  tellWhy(...words) {
    this.why.hidden = false;
    this.why.replaceChildren(...words);
  }

  /** The explanation as an element. The board shows the step that the reader has reached. @param {any} explanation @param {import("./position.js").Position} position */
  explained(explanation, position) {
    const show = (/** @type {import("./layers.js").Shown} */ shown) => {
      this.shown = shown;
      this.refresh();
      if (shown.reveal?.length) this.model.set("reveal", shown.reveal);
    };
    this.panel = explanationPanel(explanation, show, position);
    this.setTyped(this.typed);
    return this.panel.el;
  }

  /** Goes to another step of a proof if the key asks for that. Returns whether it does. @param {KeyboardEvent} key */
  stepKey(key) {
    if (!this.panel?.steps || key.altKey) return false;
    const arrows = !this.typed;
    if (key.key === "." || (arrows && key.key === "ArrowRight")) this.panel.move(1);
    else if (key.key === "," || (arrows && key.key === "ArrowLeft")) this.panel.move(-1);
    else return false;
    key.preventDefault();
    return true;
  }

  /** Sets whether the arrow keys choose a cell. If not, they go through the steps of a proof. @param {boolean} typed */
  setTyped(typed) {
    this.typed = typed;
    this.model.set("arrows", typed || !this.panel?.steps);
  }

  /** Removes the explanation. */
  hush() {
    this.model.set("arrows", true);
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
