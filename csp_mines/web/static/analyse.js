// @ts-check
/** Analyse: draw a position, see at every change what follows from it, and ask why. */

import { ask, Newest } from "./api.js";
import { CLEAR, EXPLODED, HIDDEN, MARKED, paintCanvas, render } from "./board.js";
import { capitalised } from "./choices.js";
import {
  brief,
  button,
  copy,
  field,
  h,
  icon,
  keep,
  kept,
  large,
  name,
  number,
  percent,
  plural,
  save,
  say,
  segments,
  select,
  typing,
} from "./dom.js";
import { Model } from "./model.js";
import { History, Position } from "./position.js";
import { openPanel, pointing, proofPanel } from "./proof.js";

/** @typedef {import("./board.js").Cell} Cell */

const EXAMPLE =
  "b1_16x30_m99_1H10011101HH2110e1Hk122101H1012H2H100113Hh1HH12H101f21322001H4HH1HH4Hf2110e2H3H2H2fHl221000114Hm1HHH5He1H10002H4Hv1110002H32Hu0001hHH3Hr1eH10001Hj2Hk2H11233212Hh3HHH3Hf2HHH2112HHH21Hu1101H5Hy00012Hi2Hf2Hk001134Hl22Hl012H3Hv3HHH01H23Hp2He3He";
const LARGE = { name: "large", rows: 100, cols: 100, mines: 2000 }; // beyond every level
const BRUSHES = /** @type {[string, string, string][]} */ ([
  ["toggle", "⇄", "Open what is hidden, hide what is open (h)"],
  [String(HIDDEN), "?", "Hide"],
  ...Array.from({ length: 9 }, (_, digit) => [String(digit), String(digit), `Show ${digit}`]),
  [String(MARKED), "⚑", "Mark as a mine (f)"],
  [String(CLEAR), "✓", "Safe, without a number (c)"],
  [String(EXPLODED), "✕", "Opened mine (x)"],
]);
const KEYS = /** @type {Record<string, number>} */ ({
  c: CLEAR,
  x: EXPLODED,
  "?": HIDDEN,
  Delete: HIDDEN,
  Backspace: HIDDEN,
  ...Object.fromEntries(Array.from({ length: 9 }, (_, digit) => [String(digit), digit])),
});
const LEGENDS = /** @type {Record<string, string>} */ ({
  risk: "Numbers: the chance of a mine, in percent.",
  safety: "Numbers: the chance that a cell is safe, in percent.",
  win: "Numbers: the chance to win by opening a cell and playing perfectly from then on, in percent.",
  information: "Numbers: what opening a cell tells on average, in bits.",
  none: "",
});
const OVERLAYS = /** @type {[string, string, string?][]} */ ([
  ["risk", "Risk"],
  ["safety", "Safety"],
  [
    "win",
    "Win",
    "The chance to win by opening the cell; exact, so only where few layouts are left",
  ],
  ["information", "Information", "Bits that opening the cell tells on average"],
  ["none", "None"],
]);
const GAINS = ["win", "information"]; // numbers of which more is better, asked for when they are shown
const REFUSED = /** @type {Record<string, string>} */ ({
  win: "No chance to win is shown",
  information: "No information is shown",
});
const PROMPT = 30; // milliseconds after which a change is drawn without what follows from it: most
// answers come before, and one frame is drawn sooner than two
const LINK_DELAY = 250; // milliseconds of rest before the address follows the position
const MOST_LINKED = 10_000; // cells of a position that the address still holds

export class Analyse {
  /** @param {import("./choices.js").Choices} known what the server offers */
  constructor(known) {
    this.known = known;
    this.sizes = [...known.levels, LARGE];
    this.hardest = known.levels[known.levels.length - 1];
    const { rows, cols, mines } = this.hardest;
    this.el = h("section", { class: "view", "aria-label": "Analyse" });
    this.history = new History(Position.blank(rows, cols, mines));
    this.model = new Model({ rows, cols, cells: [], label: "position" });
    this.newest = new Newest();
    this.asking = new Newest();
    this.comparing = new Newest();
    this.mode = "ask";
    this.brush = "toggle";
    this.overlay = kept("overlay", "risk");
    this.backend = known.default_backend;
    this.useTotal = true;
    /** @type {any} */
    this.found = null;
    /** @type {{lit: any[], known: Map<string, string>} | null} */
    this.proof = null;
    /** @type {ReturnType<typeof proofPanel> | null} */
    this.stepper = null;
    /** @type {Cell[] | null} */
    this.witness = null;
    /** @type {any} */
    this.compared = null;
    this.engine = -1;
    /** @type {Cell | null} */
    this.hovered = null;
    this.prompt = 0; // the timer of a drawing that waits for its analysis
    this.byHand = false; // the keyboard's cell counts, not the pointer's
    /** @type {{code: number, seen: Set<string>} | null} */
    this.stroke = null;
    /** @type {any} */
    this.inputs = {};
    /** @type {any} */
    this.modes = null;
    /** @type {any} */
    this.palette = null;
    this.build();
    this.model.heard = (message) => this.hear(message);
  }

  get position() {
    return this.history.now;
  }

  /** The most rows, and the most columns, of a position. */
  get longest() {
    return Math.floor(Math.sqrt(this.known.most.cells));
  }

  // --- the page ---------------------------------------------------------------------------------

  build() {
    this.palette = segments("Brush", BRUSHES, this.brush, (value) => (this.brush = value));
    this.palette.el.classList.add("palette");
    this.boardPlace = h("div", { class: "board-place" });
    this.status = h("div", { class: "card status", "aria-live": "polite" });
    this.why = h("div", { class: "card why", hidden: true });
    const stage = h(
      "div",
      { class: "stage" },
      this.toolbar(),
      this.palette.el,
      this.boardPlace,
      this.hintline(),
    );
    const panel = h(
      "aside",
      { class: "panel", "aria-label": "What follows" },
      this.status,
      this.why,
      this.terms(),
      this.engines(),
      this.exports(),
    );
    this.el.append(stage, panel);
    render({ model: this.model, el: this.boardPlace });
    this.setMode(this.mode);
    this.tellOverlay();
  }

  toolbar() {
    this.modes = segments(
      "What a click does",
      [
        ["draw", "Draw", "Click, drag, wheel and digit keys change the position"],
        ["ask", "Ask", "Click a cell to hear why"],
      ],
      this.mode,
      (value) => this.setMode(value),
    );
    this.undoButton = icon("Undo", "Undo (Ctrl+Z)", () => this.undo(), "↶");
    this.redoButton = icon("Redo", "Redo (Ctrl+Y)", () => this.redo(), "↷");
    const overlays = segments("Numbers on the board", OVERLAYS, this.overlay, (value) =>
      this.setOverlay(value),
    );
    return h(
      "div",
      { class: "toolbar" },
      this.modes.el,
      this.undoButton,
      this.redoButton,
      this.freshSelect(),
      h("span", { class: "spring" }),
      overlays.el,
    );
  }

  freshSelect() {
    const sizes = this.sizes.map(({ name, rows, cols }) => [
      name,
      `${capitalised(name)} ${rows}×${cols}`,
    ]);
    const fresh = select(
      [
        ["", "New …"],
        .../** @type {[string, string][]} */ (sizes),
        ["middle", "Middle of a game"],
        ["stuck", "A forced guess"],
        ["example", "The example"],
      ],
      "",
      (value) => {
        fresh.value = "";
        this.begin(value);
      },
      "New position",
    );
    return fresh;
  }

  hintline() {
    this.legend = h("span", { class: "legend" });
    return h(
      "p",
      { class: "hintline" },
      this.legend,
      " Paste a board, drop a file, or draw: digits set a number, ",
      h("kbd", null, "h"),
      " hides or opens, ",
      h("kbd", null, "f"),
      " marks, ",
      h("kbd", null, "Enter"),
      " asks why.",
    );
  }

  terms() {
    this.inputs = this.termInputs();
    this.minesField = field("Mines", this.inputs.mines);
    this.densityField = field("Density", this.inputs.density);
    const clues =
      "What an opened cell shows: the true number, or one that may be too low or too high";
    return h(
      "details",
      { class: "card" },
      h("summary", null, "Position"),
      h(
        "div",
        { class: "fields" },
        field("Rows", this.inputs.rows),
        field("Columns", this.inputs.cols),
        field("Known", this.inputs.prior, "What is known of the mines before any clue"),
        this.minesField,
        this.densityField,
        field("Clues", this.inputs.clues, clues),
        field("Engine", this.inputs.backend),
        h("label", { class: "check" }, this.inputs.total, "conclude from the total"),
      ),
    );
  }

  termInputs() {
    const priors = /** @type {[string, string][]} */ ([
      ["mines", "number of mines"],
      ["density", "density"],
      ["none", "nothing"],
    ]);
    const { known, longest } = this;
    return {
      rows: number(1, longest, "", () => this.readTerms("rows")),
      cols: number(1, longest, "", () => this.readTerms("cols")),
      mines: number(0, known.most.cells, "", () => this.readTerms("mines")),
      density: h("input", {
        type: "text",
        placeholder: "0.2",
        onchange: () => this.readTerms("density"),
      }),
      clues: select(
        known.clues.map((model) => [model, model]),
        known.clues[0],
        () => this.readTerms("clues"),
      ),
      prior: select(priors, "mines", () => this.readTerms("prior")),
      total: h("input", {
        type: "checkbox",
        checked: true,
        onchange: () => {
          this.useTotal = this.inputs.total.checked;
          this.changed();
        },
      }),
      backend: select(
        known.backends
          .filter((backend) => backend.available)
          .map((backend) => [backend.name, backend.name, backend.summary]),
        this.backend,
        (value) => {
          this.backend = value;
          this.changed();
        },
      ),
    };
  }

  engines() {
    this.table = h("div", { class: "engine-table" });
    const details = h(
      "details",
      { class: "card", ontoggle: () => details.open && this.compare() },
      h("summary", null, "Engines side by side"),
      this.table,
    );
    this.enginesCard = details;
    return details;
  }

  exports() {
    const written = this.known.formats.filter((format) => format.writes_boards);
    this.formatSelect = select(
      written.map((format) => [format.name, format.name, format.about]),
      written[0].name,
      () => {},
      "Notation",
    );
    return h(
      "details",
      { class: "card" },
      h("summary", null, "Share and export"),
      h(
        "div",
        { class: "row" },
        button("quiet", "The address of this position", () => this.copyLink(), "Copy link"),
        button("quiet", "One line of text", () => this.copyAs("line"), "Copy line"),
      ),
      h(
        "div",
        { class: "row" },
        this.formatSelect,
        button(
          "quiet",
          "Copy in this notation",
          () => this.copyAs(this.formatSelect.value),
          "Copy text",
        ),
      ),
      h(
        "div",
        { class: "row" },
        button("quiet", "With every risk, for the web and print", () => this.saveSvg(), "Save SVG"),
        button("quiet", "As it looks here", () => this.savePng(), "Save PNG"),
      ),
    );
  }

  /** @param {string} link what the address says after the view */
  async open(link) {
    if (link && link === this.link) return;
    if (!link && this.found) return this.address();
    await this.load(link ? decodeURIComponent(link) : EXAMPLE, true);
  }

  // --- changing the position --------------------------------------------------------------------

  /** @param {string} mode */
  setMode(mode) {
    this.mode = mode;
    this.modes.mark(mode);
    this.palette.el.hidden = mode !== "draw";
    this.model.set("wheel", mode === "draw");
    this.boardPlace.dataset.mode = mode;
  }

  /** @param {string} what @returns {Promise<void>} */
  async begin(what) {
    if (what === "example") return this.load(EXAMPLE);
    if (what === "middle" || what === "stuck") {
      const seed = Math.floor(Math.random() * 1e9);
      const body = what === "stuck" ? { stuck: true } : { opened: 0.35 };
      const { name: level, rows, cols } = this.hardest;
      const first = [rows / 2 - 1, cols / 2 - 1].map(Math.ceil);
      const report = await ask("generate", {
        level,
        start: "zero",
        first,
        seed,
        ...body,
      });
      if (report.error)
        return what === "stuck" && /no guess/.test(report.error)
          ? this.begin(what)
          : say(report.error, "bad");
      this.setMode("ask");
      return this.set(Position.of(report));
    }
    const size = this.sizes.find(({ name }) => name === what);
    if (!size) return;
    this.setMode("draw");
    this.set(Position.blank(size.rows, size.cols, size.mines));
  }

  /** Text in any notation. @param {string} text @param {boolean} [first] */
  async load(text, first = false) {
    const report = await ask("formats", { text });
    if (report.error) return say(`This is no board: ${report.error}`, "bad");
    const position = Position.of(report);
    if (first) {
      this.history = new History(position);
      this.changed();
    } else this.set(position);
    if (!first && report.format && report.format !== "canonical") say(`Read as ${report.format}`);
  }

  /** @param {Position} position */
  set(position) {
    this.history.push(position);
    this.changed();
  }

  undo() {
    if (this.history.undo()) this.changed();
  }

  redo() {
    if (this.history.redo()) this.changed();
  }

  /** @param {string} key */
  readTerms(key) {
    const { inputs, longest, position } = this;
    if (key === "rows" || key === "cols") {
      const rows = Math.max(1, Math.min(longest, Number(inputs.rows.value) || position.rows));
      const cols = Math.max(1, Math.min(longest, Number(inputs.cols.value) || position.cols));
      return this.set(position.resized(rows, cols));
    }
    const prior = inputs.prior.value;
    const count = Number(inputs.mines.value || Math.round(position.rows * position.cols * 0.2));
    this.set(
      position.told({
        mines:
          prior === "mines"
            ? Math.max(0, Math.min(position.rows * position.cols, Math.round(count)))
            : null,
        density: prior === "density" ? inputs.density.value || "0.2" : null,
        clues: inputs.clues.value,
      }),
    );
  }

  /** What the brush makes of a cell. @param {Cell} cell */
  brushed(cell) {
    return this.brush === "toggle" ? this.toggled(cell) : Number(this.brush);
  }

  /** Hidden, or open with the number of mines known around it. @param {Cell} cell */
  toggled(cell) {
    if (this.position.at(cell) !== HIDDEN) return HIDDEN;
    return this.position
      .around(cell)
      .filter((near) => [MARKED, EXPLODED].includes(this.position.at(near))).length;
  }

  /** With a mark, or without the one that it has. @param {Cell} cell */
  marked(cell) {
    return this.position.at(cell) === MARKED ? HIDDEN : MARKED;
  }

  /** Paints cells in one stroke: undone together. @param {Cell} cell @param {number} code */
  paint(cell, code) {
    if (!this.stroke) return;
    const key = name(cell);
    if (this.stroke.seen.has(key) || this.position.at(cell) === code) return;
    const next = this.position.with([[cell, code]]);
    if (this.stroke.seen.size) this.history.now = next;
    else this.history.push(next);
    this.stroke.seen.add(key);
    this.changed();
  }

  /** @param {Cell} cell @param {number} code */
  put(cell, code) {
    if (this.position.at(cell) !== code) this.set(this.position.with([[cell, code]]));
  }

  // --- hands ------------------------------------------------------------------------------------

  /** @param {any} message */
  hear(message) {
    const { event, cell } = message;
    if (event === "hover") {
      this.hovered = cell;
      this.byHand = false;
    } else if (event === "moved") this.byHand = true;
    else if (event === "release") this.stroke = null;
    else if (event === "wheel") this.wheel(cell, message.up);
    else if (event === "long")
      this.mode === "draw" ? this.put(cell, this.marked(cell)) : this.ask(cell);
    else if (event === "press") this.press(cell, message);
    else if (event === "drag" && this.stroke) this.paint(cell, this.stroke.code);
  }

  /** @param {Cell} cell @param {any} message */
  press(cell, message) {
    if (this.mode === "ask" || message.shift)
      return message.button === 0 ? this.ask(cell) : undefined;
    const code =
      message.button === 2 ? this.marked(cell) : message.button === 0 ? this.brushed(cell) : null;
    if (code === null) return;
    this.stroke = { code, seen: new Set() };
    this.paint(cell, code);
    if (message.touch) this.stroke = null;
  }

  /** @param {Cell} cell @param {boolean} up */
  wheel(cell, up) {
    const now = this.position.at(cell);
    if (now < 0) return up ? this.put(cell, 1) : this.put(cell, 0);
    this.put(cell, Math.max(0, Math.min(8, now + (up ? 1 : -1))));
  }

  /** @param {KeyboardEvent} key */
  key(key) {
    if (typing(key)) return;
    const letter = key.key.length === 1 ? key.key.toLowerCase() : key.key;
    if (key.ctrlKey || key.metaKey) {
      if (letter === "z") key.shiftKey ? this.redo() : this.undo();
      else if (letter === "y") this.redo();
      else return;
      return key.preventDefault();
    }
    if (letter === "." || letter === ",")
      return letter === "." ? this.stepper?.next() : this.stepper?.back();
    const inside = this.boardPlace.contains(document.activeElement);
    const cell =
      this.byHand || !this.hovered ? (inside ? this.model.get("cursor") : null) : this.hovered;
    if (letter === "d" && !key.altKey) return this.setMode("draw");
    if (letter === "a" && !key.altKey) return this.setMode("ask");
    if (letter === "Escape") return this.forget();
    if (!cell || key.altKey) return;
    if (letter === "Enter" && inside) this.ask(cell);
    else if (letter === "h" || (letter === " " && inside)) this.put(cell, this.toggled(cell));
    else if (letter === "f") this.put(cell, this.marked(cell));
    else if (letter in KEYS) this.put(cell, KEYS[letter]);
    else return;
    key.preventDefault();
  }

  // --- what follows -----------------------------------------------------------------------------

  async changed() {
    this.forget(false);
    this.compared = null;
    this.engine = -1;
    this.fillTerms();
    this.prompt ||= setTimeout(() => this.refresh(), PROMPT); // while one drags, too
    this.address();
    if (this.enginesCard.open) this.compare();
    const { position } = this;
    const body = {
      ...position.request,
      backend: this.backend,
      use_total: this.useTotal,
      show: GAINS.includes(this.overlay) ? this.overlay : null,
    };
    const found = await this.newest.ask("analyze", body);
    if (!found || position !== this.position) return;
    this.found = found;
    this.tell();
    this.tellOverlay();
    this.refresh();
  }

  fillTerms() {
    const { position, inputs } = this;
    inputs.rows.value = position.rows;
    inputs.cols.value = position.cols;
    inputs.mines.value = position.mines ?? "";
    inputs.density.value = position.density ?? "";
    inputs.clues.value = position.clues ?? this.known.clues[0];
    inputs.prior.value =
      position.mines !== null ? "mines" : position.density !== null ? "density" : "none";
    this.minesField.hidden = inputs.prior.value !== "mines";
    this.densityField.hidden = inputs.prior.value !== "density";
    this.undoButton.disabled = !this.history.past.length;
    this.redoButton.disabled = !this.history.future.length;
  }

  tell() {
    const { found } = this;
    this.status.classList.toggle("bad", !!found.error || found.status === "contradiction");
    if (found.error)
      return this.status.replaceChildren(h("h2", null, "No answer"), h("p", null, found.error));
    if (found.status === "contradiction") return this.tellConflict(found);
    const [safe, mines] = [found.safe.length, found.certain_mines.length];
    const heads = /** @type {Record<string, string>} */ ({
      guess: "Nothing is certain",
      solved: "Solved",
      progress: [safe && plural(safe, "safe cell"), mines && plural(mines, "mine")]
        .filter(Boolean)
        .join(", "),
    });
    const { move } = found;
    this.status.replaceChildren(
      h("h2", null, heads[found.status]),
      move
        ? h(
            "button",
            {
              type: "button",
              class: "best-move",
              title: "Why?",
              onclick: () => this.ask(move.cell),
            },
            h("span", { class: "move-ring", "aria-hidden": "true" }),
            h("span", null, h("strong", null, `Open ${name(move.cell)}`), ` ${move.reason}`),
            h(
              "span",
              { class: "number" },
              move.risk ? `${found.exact ? "" : "about "}${percent(move.risk)}` : "no risk",
            ),
          )
        : h(
            "p",
            { class: "quietly" },
            found.status === "solved" ? "Nothing is hidden." : "Every safe cell is open.",
          ),
      h(
        "p",
        { class: "quietly" },
        !found.exact
          ? estimates(found)
          : found.solutions === null
            ? ""
            : `${large(found.solutions)} ${found.solutions === "1" ? "layout fits" : "layouts fit"}${move?.exact ? `; perfect play wins ${percent(move.win_chance)} of them` : ""}`,
      ),
    );
  }

  /** @param {any} found */
  tellConflict(found) {
    if (!found.conflict)
      return this.status.replaceChildren(
        h("h2", null, "No layout fits"),
        h("p", null, "The clues contradict each other; which of them is too much to find out."),
      );
    const parts = found.conflict.map((/** @type {any} */ part) =>
      "cell" in part ? `(${name(part.cell)})=${part.clue}` : `${plural(part.mines, "mine")} in all`,
    );
    const marks = found.marks.length
      ? ` Or a mark is wrong: ${found.marks.slice(0, 6).map(name).join("  ")}.`
      : "";
    this.status.replaceChildren(
      h("h2", null, "No layout fits"),
      h(
        "p",
        null,
        pointing(`${parts.join(", ")} cannot hold${parts.length > 1 ? " together" : ""}.`, (cell) =>
          this.point(cell),
        ),
      ),
      h(
        "p",
        { class: "quietly" },
        `${parts.length > 1 ? "One of these is wrong; any one changed may do." : "It must be changed."}${marks}`,
      ),
    );
  }

  /** @param {Cell | null} cell */
  point(cell) {
    this.pointed = cell;
    this.refresh();
  }

  /** Puts everything that is known on the board. */
  refresh() {
    clearTimeout(this.prompt);
    this.prompt = 0;
    const { position, found } = this;
    const size = position.rows * position.cols;
    const fresh =
      found && !found.error && found.rows === position.rows && found.cols === position.cols;
    const tones = new Array(size).fill("");
    /** @type {(number | null)[]} */
    const heat = new Array(size).fill(null);
    const labels = new Array(size).fill("");
    /** @type {any[]} */
    const lit = [];
    if (fresh && found.status === "contradiction") {
      for (const part of found.conflict || []) if (part.cell) lit.push([...part.cell, "conflict"]);
    } else if (fresh) this.overlayOn(found, tones, heat, labels);
    if (fresh && found.move && !this.proof && !this.witness && this.engine < 0)
      lit.push([...found.move.cell, "move"]);
    if (this.engine >= 0 && this.compared) this.engineOn(tones, heat, labels, lit);
    if (this.proof) this.proofOn(this.proof, tones, heat, labels, lit);
    if (this.witness) this.witnessOn(this.witness, tones, heat, labels, lit);
    if (this.pointed) lit.push([...this.pointed, "last"]);
    this.model.show({
      rows: position.rows,
      cols: position.cols,
      cells: position.cells,
      tones,
      heat,
      labels,
      lit,
      hue: GAINS.includes(this.overlay) ? "information" : "risk",
    });
  }

  /** @param {{lit: any[], known: Map<string, string>}} proof @param {string[]} tones @param {(number | null)[]} heat @param {string[]} labels @param {any[]} lit */
  proofOn(proof, tones, heat, labels, lit) {
    if (this.stepper) wipe(tones, heat, labels);
    else tones.fill("");
    for (const [key, tone] of proof.known) {
      const [row, col] = key.split(",").map(Number);
      tones[row * this.position.cols + col] = tone;
    }
    lit.push(...proof.lit);
  }

  /** @param {Cell[]} witness @param {string[]} tones @param {(number | null)[]} heat @param {string[]} labels @param {any[]} lit */
  witnessOn(witness, tones, heat, labels, lit) {
    wipe(tones, heat, labels);
    for (const cell of witness)
      if (this.position.at(cell) === HIDDEN)
        tones[cell[0] * this.position.cols + cell[1]] = "ghost";
    if (this.asked) lit.push([...this.asked, "target"]);
  }

  /** The numbers that were asked for instead of risks. @param {any} found @returns {(number | null)[][] | null} */
  numbers(found) {
    return found?.overlay?.shows === this.overlay ? found.overlay.values : null;
  }

  /** @param {any} found @param {string[]} tones @param {(number | null)[]} heat @param {string[]} labels */
  overlayOn(found, tones, heat, labels) {
    const { position, overlay } = this;
    position.toneProved(tones, found);
    const gain = GAINS.includes(overlay);
    const table = overlay === "none" ? null : gain ? this.numbers(found) : found.probabilities;
    if (!table) return;
    const unknown = new Set(gain ? [] : (found.unknown || []).map(name));
    const most = gain ? Math.max(0.01, ...table.flat().map(Number)) : 1;
    for (let row = 0; row < position.rows; row++)
      for (let col = 0; col < position.cols; col++) {
        const value = table[row][col];
        const at = row * position.cols + col;
        if (value === null || position.cells[at] !== HIDDEN || (gain && tones[at] === "mine"))
          continue;
        if (gain) tones[at] = "";
        if (unknown.has(name([row, col]))) {
          labels[at] = "?";
          continue;
        }
        heat[at] = gain ? 0.6 * (value / most) ** 2 : value;
        labels[at] =
          overlay === "information"
            ? value.toFixed(1)
            : brief(overlay === "safety" ? 1 - value : value);
      }
  }

  /** @param {string} overlay */
  setOverlay(overlay) {
    this.overlay = overlay;
    keep("overlay", overlay);
    if (GAINS.includes(overlay) && this.found && !this.numbers(this.found)) this.changed();
    else this.refresh();
    this.tellOverlay();
  }

  /** What the numbers on the board are, or why there are none. */
  tellOverlay() {
    const refused = this.found?.overlay?.shows === this.overlay && this.found.overlay.refused;
    this.legend.textContent = refused
      ? `${REFUSED[this.overlay]}: ${refused}.`
      : LEGENDS[this.overlay];
  }

  // --- why --------------------------------------------------------------------------------------

  /** @param {Cell} cell */
  async ask(cell) {
    this.model.set("cursor", cell);
    if (this.position.at(cell) !== HIDDEN) return this.forget();
    const explanation = await this.asking.ask("explain", { ...this.position.request, cell });
    if (!explanation) return;
    this.forget(false);
    this.asked = cell;
    this.why.hidden = false;
    const close = h(
      "button",
      {
        type: "button",
        class: "close",
        "aria-label": "Close the explanation",
        onclick: () => this.forget(),
      },
      "×",
    );
    if (explanation.error || explanation.status === "contradiction") {
      this.why.replaceChildren(
        close,
        h("p", null, explanation.error || "No layout fits, so nothing can be said of this cell."),
      );
    } else if (explanation.verdict === "open") {
      this.why.replaceChildren(
        close,
        openPanel(explanation, (mines) => {
          this.witness = mines;
          this.refresh();
        }),
      );
      this.proof = { lit: [[...cell, "target"]], known: new Map() };
      for (const [row, col] of this.found?.safe || [])
        this.proof.known.set(`${row},${col}`, "safe");
      for (const [row, col] of this.found?.certain_mines || [])
        this.proof.known.set(`${row},${col}`, "mine");
    } else {
      this.stepper = proofPanel(explanation, (lit, known) => {
        this.proof = { lit, known };
        this.refresh();
      });
      this.why.replaceChildren(close, this.stepper.el);
    }
    this.refresh();
    if (this.el.clientWidth < 900)
      this.why.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  forget(draw = true) {
    this.proof = null;
    this.stepper = null;
    this.witness = null;
    this.asked = null;
    this.pointed = null;
    this.why.hidden = true;
    this.why.replaceChildren();
    if (draw) this.refresh();
  }

  // --- engines ----------------------------------------------------------------------------------

  async compare() {
    const { position } = this;
    this.table.replaceChildren(h("p", { class: "quietly" }, "Every engine is asked …"));
    const compared = await this.comparing.ask("compare", {
      ...position.request,
      use_total: this.useTotal,
      backends: this.known.compared,
    });
    if (!compared) return;
    if (position !== this.position) return;
    if (compared.error || compared.status === "contradiction") {
      this.table.replaceChildren(
        h(
          "p",
          { class: "quietly" },
          compared.error || "No layout fits: every complete engine says so.",
        ),
      );
      return;
    }
    this.compared = compared;
    this.showEngines();
  }

  showEngines() {
    const { compared } = this;
    const needs = Object.entries(compared.difficulty)
      .map(([grade, count]) => `${count} ${grade}`)
      .join(", ");
    const headings = ["engine", "found", "ms"].map((heading, index) =>
      h("th", { scope: "col", class: index ? "number" : "" }, heading),
    );
    const rows = compared.engines.map((/** @type {any} */ engine, /** @type {number} */ at) =>
      this.engineRow(engine, at),
    );
    this.table.replaceChildren(
      h("table", null, h("thead", null, h("tr", null, headings)), h("tbody", null, rows)),
      h(
        "p",
        { class: "quietly" },
        compared.certain
          ? `${plural(compared.certain, "certain cell")}; needed at least: ${needs || "too wide to tell"}`
          : "Nothing is certain here.",
      ),
      this.engine >= 0
        ? h("p", { class: "quietly" }, this.adds())
        : h("p", { class: "quietly" }, "Choose an engine to see what it finds."),
    );
  }

  /** @param {any} engine @param {number} at */
  engineRow(engine, at) {
    const count = engine.safe.length + engine.certain_mines.length;
    const choose = h(
      "button",
      {
        type: "button",
        class: "plain",
        "aria-pressed": String(at === this.engine),
        onclick: () => this.chooseEngine(at),
      },
      engine.backend,
    );
    const bar = h("meter", {
      min: 0,
      max: Math.max(1, this.compared.certain || count),
      value: count,
      "aria-hidden": "true",
    });
    return h(
      "tr",
      { class: at === this.engine ? "chosen" : "" },
      h("th", { scope: "row" }, choose),
      h(
        "td",
        { class: "number" },
        engine.too_wide ? "too wide" : h("span", null, bar, ` ${count}`),
      ),
      h("td", { class: "number" }, (engine.seconds * 1000).toFixed(1)),
    );
  }

  adds() {
    const { compared, engine } = this;
    const more = this.added().length;
    const before = engine ? compared.engines[engine - 1].backend : "";
    const missing =
      (compared.certain || 0) -
      compared.engines[engine].safe.length -
      compared.engines[engine].certain_mines.length;
    return [
      before &&
        (more
          ? `Ringed: ${plural(more, "cell")} that ${before} misses.`
          : `Nothing that ${before} misses.`),
      missing > 0 && `It misses ${missing}.`,
    ]
      .filter(Boolean)
      .join(" ");
  }

  /** @returns {Cell[]} what the chosen engine finds and the one before it does not */
  added() {
    const { compared, engine } = this;
    if (engine < 1) return [];
    const before = compared.engines[engine - 1];
    const known = new Set([...before.safe, ...before.certain_mines].map(name));
    const now = compared.engines[engine];
    return [...now.safe, ...now.certain_mines].filter((cell) => !known.has(name(cell)));
  }

  /** @param {number} at */
  chooseEngine(at) {
    this.engine = this.engine === at ? -1 : at;
    this.showEngines();
    this.refresh();
    this.table.querySelectorAll("button")[at]?.focus();
  }

  /** @param {string[]} tones @param {(number | null)[]} heat @param {string[]} labels @param {any[]} lit */
  engineOn(tones, heat, labels, lit) {
    wipe(tones, heat, labels);
    this.position.toneProved(tones, this.compared.engines[this.engine]);
    for (const cell of this.added()) lit.push([...cell, "clue"]);
  }

  // --- sharing ----------------------------------------------------------------------------------

  address() {
    clearTimeout(this.addressTimer);
    const { position } = this;
    if (position.rows * position.cols > MOST_LINKED) return;
    this.addressTimer = setTimeout(async () => {
      const report = await ask("formats", { ...position.request, to: "line" });
      if (report.error || position !== this.position || this.el.hidden) return;
      this.link = report.text;
      history.replaceState(null, "", `#/analyse/${report.text}`);
    }, LINK_DELAY);
  }

  async copyLink() {
    const report = await ask("formats", { ...this.position.request, to: "line" });
    report.error ? say(report.error, "bad") : copy(`${location.origin}/#/analyse/${report.text}`);
  }

  /** @param {string} to */
  async copyAs(to) {
    const report = await ask("formats", { ...this.position.request, to });
    report.error ? say(report.error, "bad") : copy(report.text);
  }

  async saveSvg() {
    const theme =
      getComputedStyle(document.documentElement).colorScheme === "dark" ? "dark" : "light";
    const report = await ask("formats", { ...this.position.request, to: "svg", theme });
    report.error
      ? say(report.error, "bad")
      : save("board.svg", new Blob([report.text], { type: "image/svg+xml" }));
  }

  savePng() {
    const size = this.position.rows * this.position.cols > 2500 ? 16 : 32;
    const sizes = {
      size,
      gutter: 20,
      width: 21 + size * this.position.cols,
      height: 21 + size * this.position.rows,
    };
    const canvas = document.createElement("canvas");
    paintCanvas(canvas, this.model, sizes, {
      left: 0,
      top: 0,
      width: sizes.width,
      height: sizes.height,
    });
    canvas.toBlob((blob) => blob && save("board.png", blob), "image/png");
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    const text = event.clipboardData?.getData("text/plain");
    if (!text || typing(event)) return;
    event.preventDefault();
    this.load(text);
  }

  /** @param {DragEvent} event */
  async drop(event) {
    const file = event.dataTransfer?.files[0];
    const text = file
      ? file.size > 400_000
        ? ""
        : await file.text()
      : event.dataTransfer?.getData("text/plain");
    text ? this.load(text) : say("There is no board in this file", "bad");
  }
}

/** Takes everything off the board but its cells. @param {string[]} tones @param {(number | null)[]} heat @param {string[]} labels */
function wipe(tones, heat, labels) {
  tones.fill("");
  heat.fill(null);
  labels.fill("");
}

/** How good estimated risks are. @param {any} found */
function estimates(found) {
  const unknown = found.unknown.length
    ? ` The risk of ${plural(found.unknown.length, "cell")} is unknown (?).`
    : "";
  return `This board is too wide to count: risks are estimates.${unknown}${found.complete ? "" : " There may be more that is certain."}`;
}
