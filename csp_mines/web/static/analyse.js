/** Analyse: draw a position, see what follows from it after every change, and ask why. Also the
 * comparison of engines, the overlays, the address of a position, and the export. */

import { ask, Newest, request } from "./api.js";
import { CLEAR, EXPLODED, HIDDEN, HOLE, MARKED, measureOf, paintCanvas } from "./board.js";
import { capitalised, countsIn, gridOptions } from "./choices.js";
import {
  bar,
  brief,
  button,
  checkbox,
  copy,
  div,
  field,
  fields,
  folded,
  h,
  icon,
  joined,
  keep,
  kept,
  keyName,
  large,
  name,
  names,
  note,
  number,
  percent,
  plain,
  plural,
  press,
  row,
  save,
  say,
  segments,
  select,
  span,
  table,
  theme,
  typing,
  unsay,
  within,
} from "./dom.js";
import { Layers } from "./layers.js";
import { gridNamed, History, Position } from "./position.js";
import { gradeWords, pointing } from "./proof.js";
import { Readout } from "./readout.js";
import { EXAMPLE, EXPLAINED, SAMPLES } from "./samples.js";
import { BoardView, zoomButtons } from "./view.js";

/** @typedef {import("./board.js").Cell} Cell */

const LARGE = { name: "large", rows: 100, cols: 100, mines: 2000 }; // larger than every level
const DIGITS = 9; // the largest number that has a button
/** The brushes of a grid with numbers up to `most`. @param {number} most */
const brushesFor = (most) => [
  ["toggle", "⇄", "Open or hide (h)", "Open or hide"],
  [String(HIDDEN), "?", "Hide (?)", "Hide"],
  ...Array.from({ length: Math.min(most, DIGITS) + 1 }, (_, digit) => [
    String(digit),
    String(digit),
    `Number ${digit}`,
    `Number ${digit}`,
  ]),
  [String(MARKED), "⚑", "Mine (f)", "Mine"],
  [String(CLEAR), "✓", "Safe, without a number (c)", "Safe, without a number"],
  [String(EXPLODED), "✕", "Opened mine (x)", "Opened mine"],
  [String(HOLE), "~", "Hole: no cell (o)", "Hole"],
];
const KEYS = /** @type {Record<string, number>} */ ({
  c: CLEAR,
  x: EXPLODED,
  o: HOLE,
  "~": HOLE,
  "?": HIDDEN,
  Delete: HIDDEN,
  Backspace: HIDDEN,
});
const NEXT_DIGIT = 900; // milliseconds in which a second digit belongs to the same number
const LEGENDS = /** @type {Record<string, string>} */ ({
  risk: "Numbers: the chance of a mine, in percent.",
  safety: "Numbers: the chance that a cell is safe, in percent.",
  win: "Numbers: the chance to win by opening a cell and playing perfectly from then on, in percent.",
  zero: "Numbers: the chance that a cell shows a 0, in percent.",
  information:
    "Numbers: what opening a cell tells on average, in bits. A dotted ring: the number of this cell would tell nothing new.",
  none: "",
});
const OVERLAYS = [
  ["risk", "Risk"],
  ["safety", "Safety"],
  [
    "win",
    "Win",
    "The chance to win by opening the cell; exact, so only where few layouts are left",
  ],
  ["zero", "Zero", "The chance that the cell shows a 0"],
  ["information", "Information", "Bits that opening the cell tells on average"],
  ["none", "None"],
];
const GAINS = ["win", "zero", "information"]; // overlays that the server computes on request; large numbers are good
const REFUSED = /** @type {Record<string, string>} */ ({
  win: "The chance to win is not shown",
  zero: "The chance of a 0 is not shown",
  information: "The information is not shown",
});
const PROMPT = 30; // milliseconds that the board waits for the analysis of a change. Most answers come in
// this time, and drawing once is faster than drawing twice
const LINK_DELAY = 250; // milliseconds without a change before the address is updated
const MOST_LINKED = 10_000; // cells; the address does not hold a larger position

export class Analyse extends BoardView {
  /** @param {import("./choices.js").Choices} known */
  constructor(known) {
    const hardest = known.levels[known.levels.length - 1];
    const blank = Position.blank(hardest);
    super("Analyse", "position", known, blank);
    this.hardest = hardest;
    this.sizes = [...known.levels, LARGE];
    this.history = new History(blank);
    this.newest = new Newest();
    this.asking = new Newest();
    this.loading = new Newest();
    this.comparing = new Newest();
    /** The picture of the position, if it was read from one. @type {any} */
    this.screenshot = null;
    this.mode = "ask";
    this.brush = "toggle";
    this.overlay = kept("overlay", "risk");
    /** @type {any} */
    this.analysis = null;
    /** @type {any} */
    this.compared = null;
    this.engine = -1;
    /** @type {Cell | null} */
    this.hovered = null;
    /** @type {Cell | null} */
    this.pointed = null;
    this.begun = false; // whether any position has been shown
    this.unread = false; // whether the card says that a link has no position
    this.assumed = false; // whether the number of mines is that of a level
    this.readout = new Readout();
    this.prompt = 0; // the timer after which a change is drawn without its analysis
    this.byHand = false; // whether keys act on the cell of the keyboard, not on that of the pointer
    /** @type {{code: number, begun: boolean} | null} */
    this.stroke = null;
    /** The digits typed last, and where and when. */
    this.digits = { cell: "", number: 0, at: 0 };
    this.useTotal = true; // whether proofs may use the number of mines
    this.inputs = this.termInputs();
    this.build();
  }

  get position() {
    return this.history.now;
  }

  /** The largest number of rows of a position, and of columns. */
  get longest() {
    return Math.floor(Math.sqrt(this.known.most.cells));
  }

  // --- the page ---

  build() {
    this.brushes = row();
    this.lay(
      [
        this.headline(),
        this.toolbar(),
        this.brushes,
        this.termline(),
        this.boardPlace,
        this.hintline(),
      ],
      "What follows",
      [this.bridges(), this.terms(), this.engines(), this.exports()],
    );
    this.el.append(this.readout.el);
    this.setMode(this.mode);
    this.tellOverlay();
  }

  headline() {
    const sample = (/** @type {typeof SAMPLES[0]} */ { words, line, cell }) =>
      button("quiet", "", () => this.loadSample(line, cell), words);
    return div(
      "headline",
      h("h1", null, "Which cells are safe, which are mines, and why"),
      note("Click any hidden cell to see why. Paste or drop your own board at any time."),
      div("samples row", h("span", null, "Try"), SAMPLES.map(sample)),
    );
  }

  /** @param {string} line @param {Cell} [cell] to explain */
  async loadSample(line, cell) {
    if (!(await this.load(line))) return;
    this.setMode("ask");
    if (cell) await this.ask(cell);
  }

  /** The line above the board with its size, its number of mines and its grid. */
  termline() {
    this.counted = span("quietly number");
    this.chip = h("span", { class: "assumed", hidden: true });
    return div(
      "termline",
      field("Rows", this.inputs.rows),
      field("Columns", this.inputs.cols),
      field("Mines", this.inputs.mines, "Leave it empty if the number is not known"),
      field("Grid", this.inputs.grid, "Which cells a number counts"),
      this.chip,
      this.counted,
      span("spring"),
      zoomButtons(() => [this.model]),
    );
  }

  bridges() {
    const play = () => {
      const { position } = this;
      position.empty ? this.bridgeShape("play") : this.bridge("play", { position });
    };
    const watch = () => this.bridgeShape("watch");
    return row(
      button("quiet", "On a random layout that fits this position", play, "Play from here"),
      button("quiet", "A new game of this size, grid and holes", watch, "Watch an agent here"),
    );
  }

  /** Begins a new game on the shape of the position. @param {string} view */
  bridgeShape(view) {
    const { shape } = this.position;
    if (shape.mines !== null) return this.bridge(view, { shape });
    say("How many mines does the game have?", "bad");
    this.inputs.mines.focus();
  }

  toolbar() {
    this.modes = segments(
      "What a click does",
      [
        ["draw", "Draw", "Click, drag, wheel and digit keys change the position"],
        ["ask", "Ask", "Click a cell to see why"],
      ],
      this.mode,
      (value) => this.setMode(value),
    );
    this.undoButton = icon("Undo", "↶", () => this.undo(), "Undo (Ctrl+Z)");
    this.redoButton = icon("Redo", "↷", () => this.redo(), "Redo (Ctrl+Y)");
    const overlays = segments("Numbers on the board", OVERLAYS, this.overlay, (value) =>
      this.setOverlay(value),
    );
    return div(
      "toolbar",
      this.modes.el,
      this.undoButton,
      this.redoButton,
      this.freshSelect(),
      span("spring"),
      overlays.el,
    );
  }

  freshSelect() {
    const sizes = this.sizes.map(({ name, rows, cols }) => [
      name,
      `${capitalised(name)} ${rows}×${cols}`,
    ]);
    const fresh = select(
      [["", "New …"], ...sizes, ["middle", "Middle of a game"], ["stuck", "A forced guess"]],
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
    this.legend = span("legend");
    this.keysLine = span("keys");
    return h("p", { class: "hintline" }, this.legend, " ", this.keysLine);
  }

  terms() {
    const clues =
      "What an opened cell shows: the true number, or one that may be too low or too high";
    const density = "The chance of a mine at a cell, instead of the number of mines";
    return folded(
      "More about the position",
      fields(
        field("Density", this.inputs.density, density),
        field("Clues", this.inputs.clues, clues),
        field("Engine", this.inputs.backend, "", "whole"),
        checkbox("Use the mine count", this.useTotal, (checked) => {
          this.useTotal = checked;
          this.changed();
        }),
      ),
    );
  }

  termInputs() {
    const { known, longest } = this;
    const read = () => this.readTerms();
    const changed = () => this.changed();
    const clues = known.clues.map((model) => [model, model]);
    const backends = known.backends
      .filter(({ available }) => available)
      .map(({ name, title, summary }) => [name, `${title} (${name})`, summary]);
    this.otherGrid = h("option", { hidden: true });
    const grid = select(
      [...gridOptions(known.grids), ["file", "Graph from a file …"]],
      known.grids[0].grid,
      (value) =>
        value === "file" ? this.chooseGraph() : this.set(this.position.on(gridNamed(value))),
    );
    grid.append(this.otherGrid);
    return {
      grid,
      rows: number(1, longest, "", read),
      cols: number(1, longest, "", read),
      mines: h("input", { type: "number", min: 0, placeholder: "?", onchange: read }),
      density: h("input", { type: "text", placeholder: "none", onchange: read }),
      clues: select(clues, known.clues[0], read),
      backend: select(backends, known.default_backend, changed),
    };
  }

  engines() {
    this.table = div("engine-table");
    this.enginesCard = folded("Compare engines", this.table);
    this.enginesCard.addEventListener("toggle", () => this.enginesCard.open && this.compare());
    return this.enginesCard;
  }

  exports() {
    const written = this.known.formats.filter((format) => format.writes_boards);
    this.formatSelect = select(
      written.map((format) => [format.name, format.name, format.about]),
      written[0].name,
      () => {},
      "Notation",
    );
    const hint = "One line of text: paste it here, on another page, or on the command line";
    const copyText = () => this.copyAs(this.formatSelect.value);
    return folded(
      "Share and export",
      row(button("primary", hint, () => this.copyAs("line"), "Copy as one line")),
      row(this.formatSelect, button("quiet", "Copy in this notation", copyText, "Copy text")),
      row(
        button("quiet", "With every risk, for the web and print", () => this.saveSvg(), "Save SVG"),
        button("quiet", "As it looks here", () => this.savePng(), "Save PNG"),
      ),
    );
  }

  /** @param {string} link the part of the address after the view */
  async open(link) {
    if (link ? link === this.link : this.begun)
      return void (this.unread ? this.changed() : this.address());
    const shown = await this.load(link ? decoded(link) : EXAMPLE, true);
    if (shown && !link) await this.ask(EXPLAINED);
  }

  /** Shows a position, or a board that was pasted or dropped. @param {Position | any} given */
  take(given) {
    this.setMode("ask");
    if (given instanceof Position) return this.set(given);
    const position = Position.of(given);
    if (given.format === "screenshot") return this.takeScreenshot(position, given);
    const level = this.known.levels.find(
      ({ rows, cols }) => rows === position.rows && cols === position.cols,
    );
    const usual = position.grid === gridNamed() && position.size === position.cells.length;
    if (!level || !usual || position.mines !== null || position.density !== null)
      return this.set(position);
    this.set(position.told({ mines: level.mines, density: null, clues: position.clues }));
    this.assumed = true;
    this.tellAssumed();
  }

  /**
   * Shows a board that was read from a screenshot, with rings around the cells that may be misread.
   * No number of mines is assumed: a wrong one would make wrong proofs.
   * @param {Position} position @param {any} report
   */
  takeScreenshot(position, { body, unsure, open_sides: sides }) {
    this.set(position);
    this.screenshot = { body, unsure, corrections: [] };
    this.refresh();
    const doubt = unsure.length
      ? `Check the ${unsure.length} ringed cells; in Draw, a click corrects a cell and all tiles like it. `
      : "";
    const size = `${position.rows}×${position.cols}`;
    const cut = sides.length ? `It may go on at the ${sides.join(", ")}. ` : "";
    say(
      `Read a board of ${size} cells from the picture. ${cut}${doubt}How many mines does it have?`,
    );
    this.inputs.mines.focus();
  }

  /** Corrects a cell of a screenshot; the server gives all tiles that look alike the same meaning. @param {Cell} cell @param {number} code */
  async correct(cell, code) {
    const shot = /** @type {any} */ (this.screenshot);
    const { mines, density, clues } = this.position;
    this.set(this.position.with([[cell, code]]));
    this.screenshot = shot;
    shot.corrections.push([cell, code]);
    const report = await ask("read", { ...shot.body, corrections: shot.corrections });
    if (report.error) return say(report.error, "bad");
    if (this.screenshot !== shot) return;
    this.set(Position.of(report).told({ mines, density, clues }));
    this.screenshot = { ...shot, unsure: report.unsure };
    this.refresh();
  }

  /** Says how many mines are assumed for a board of this size. A button removes the number. */
  tellAssumed() {
    const { mines } = this.position;
    this.chip.hidden = !this.assumed;
    if (!this.assumed) return;
    const remove = icon("The number is not known", "×", () => this.unassume());
    this.chip.replaceChildren(`${mines} mines assumed`, remove);
  }

  unassume() {
    const { clues } = this.position;
    this.set(this.position.told({ mines: null, density: null, clues }));
  }

  // --- changing the position ---

  /** @param {string} mode */
  setMode(mode) {
    this.mode = mode;
    this.keysLine.replaceChildren(...(mode === "draw" ? DRAWING : ASKING).map(keyed));
    this.modes.mark(mode);
    this.brushes.hidden = mode !== "draw";
    this.tellCounted();
    this.model.set("drawing", mode === "draw");
    this.boardPlace.dataset.mode = mode;
  }

  /** Shows the brushes of the position's grid. */
  fillBrushes() {
    const { most } = this.position.grid;
    if (this.brushes.dataset.most === String(most)) return;
    this.brushes.dataset.most = String(most);
    if (Number(this.brush) > most) this.brush = "toggle";
    const choose = (/** @type {string} */ value) => (this.brush = value);
    const palette = segments("Brush", brushesFor(most), this.brush, choose);
    palette.el.classList.add("palette");
    const larger = number(DIGITS + 1, most, "", (value) => {
      this.brush = String(within(DIGITS + 1, Math.round(value) || 0, most));
      larger.value = this.brush;
      palette.mark(this.brush);
    });
    const field = h("label", { class: "field" }, h("span", null, "Larger number"), larger);
    this.brushes.replaceChildren(palette.el, ...(most > DIGITS ? [field] : []));
  }

  /** Lets the person choose the file of a graph. */
  chooseGraph() {
    this.inputs.grid.value = this.position.grid.grid;
    const file = h("input", {
      type: "file",
      accept: ".json",
      onchange: () => this.receive({ file: file.files[0] }),
    });
    file.click();
  }

  /** @param {string} what @returns {Promise<void>} */
  async begin(what) {
    if (what === "example") return this.loadSample(EXAMPLE, EXPLAINED);
    if (what === "middle" || what === "stuck") {
      const body = what === "stuck" ? { stuck: true } : { opened: 0.35 };
      const { name: level, rows, cols } = this.hardest;
      const first = [rows / 2 - 1, cols / 2 - 1].map(Math.ceil);
      const report = await ask("generate", {
        level,
        start: "zero",
        first,
        seed: Math.floor(Math.random() * 1e9),
        ...body,
      });
      if (report.error)
        return what === "stuck" && /try another seed/.test(report.error)
          ? this.begin(what)
          : say(report.error, "bad");
      this.setMode("ask");
      return this.set(Position.of(report));
    }
    const size = this.sizes.find(({ name }) => name === what);
    if (!size) return;
    this.setMode("draw");
    this.set(Position.blank(size));
  }

  /** Loads a board from text in any notation. Returns whether the board is shown. @param {string} text @param {boolean} [first] */
  async load(text, first = false) {
    const report = await this.loading.ask("read", { text });
    if (!report) return false; // a newer text was loaded meanwhile
    if (report.error || report.kind === "layout") {
      this.tellUnread(report.error);
      return false;
    }
    unsay();
    const position = Position.of(report);
    if (!first || this.begun) this.set(position);
    else {
      this.history = new History(position);
      this.changed();
    }
    return true;
  }

  /** Says that a link is not a position, and offers other positions. @param {string} [why] */
  tellUnread(why) {
    this.unread = true;
    this.forget();
    this.fillTerms();
    this.tellBad(
      "This link has no position",
      why ? plain(why) : "It is a layout, which shows the mines.",
      button("primary", "", () => this.begin("example"), "Open the example"),
      button("quiet", "", () => this.begin(this.hardest.name), "Start with an empty board"),
    );
    this.status.scrollIntoView({ block: "nearest" }); // on a phone, the status is below the board
  }

  /** @param {Position} position */
  set(position) {
    this.assumed = false;
    this.screenshot = null;
    this.history.push(position);
    this.changed();
  }

  undo() {
    if (this.history.undo()) this.changed();
  }

  redo() {
    if (this.history.redo()) this.changed();
  }

  readTerms() {
    const { inputs, longest, position } = this;
    const rows = within(1, Math.round(Number(inputs.rows.value)) || position.rows, longest);
    const cols = within(1, Math.round(Number(inputs.cols.value)) || position.cols, longest);
    const density = inputs.density.value.trim() || null;
    const replaced = density && density !== position.density; // a new density replaces the total
    const typed = inputs.mines.value === "" || replaced ? null : Number(inputs.mines.value);
    const clues = inputs.clues.value;
    const resized = position.resized(rows, cols, { mines: null, density: null, clues });
    const mines = typed === null ? null : within(0, Math.round(typed), resized.size);
    this.assumed = false;
    this.set(resized.told({ mines, density: mines === null ? density : null, clues }));
  }

  /** The code that the brush gives a cell. @param {Cell} cell */
  brushed(cell) {
    return this.brush === "toggle" ? this.toggled(cell) : Number(this.brush);
  }

  /** What a cell becomes when it is toggled: an open cell becomes hidden, a hidden cell shows the number of known mines around it. @param {Cell} cell */
  toggled(cell) {
    if (this.position.at(cell) !== HIDDEN) return HIDDEN;
    return this.position
      .around(cell)
      .filter((near) => [MARKED, EXPLODED].includes(this.position.at(near))).length;
  }

  /** What a cell becomes when its mark is set or removed. @param {Cell} cell */
  marked(cell) {
    return this.position.at(cell) === MARKED ? HIDDEN : MARKED;
  }

  /** Paints a cell. The cells of one stroke are undone together. @param {Cell} cell @param {number} code */
  paint(cell, code) {
    if (!this.stroke || this.position.at(cell) === code) return;
    if (this.screenshot) {
      this.correct(cell, code);
      return;
    }
    const next = this.position.with([[cell, code]]);
    if (this.stroke.begun) this.history.now = next;
    else this.history.push(next);
    this.stroke.begun = true;
    this.changed();
  }

  /** @param {Cell} cell @param {number} code */
  put(cell, code) {
    if (this.position.at(cell) === code) return;
    if (this.screenshot) this.correct(cell, code);
    else this.set(this.position.with([[cell, code]]));
  }

  // --- pointer and keys ---

  /** @param {any} message */
  hear(message) {
    const { event, cell } = message;
    if (event === "hover") {
      this.hovered = cell;
      this.byHand = false;
      this.read(cell, message);
    } else if (event === "moved") this.moved(cell);
    else if (event === "release") this.stroke = null;
    else if (event === "wheel") this.wheel(cell, message.up);
    else if (event === "long")
      this.mode === "draw" ? this.put(cell, this.marked(cell)) : this.ask(cell);
    else if (event === "press") this.press(cell, message);
    else if (event === "drag" && this.stroke) this.paint(cell, this.stroke.code);
  }

  /** The keyboard has moved to a cell. @param {Cell} cell */
  moved(cell) {
    this.byHand = true;
    const at = this.boardPlace.querySelector(`[id$="-${cell[0]}-${cell[1]}"]`);
    const box = at?.getBoundingClientRect();
    this.read(box ? cell : null, { x: box?.right, y: box?.bottom });
  }

  /** Shows beside the pointer what is known about a hidden cell. @param {Cell | null} cell @param {any} place */
  read(cell, place) {
    const { analysis, position } = this;
    const risk = cell && analysis?.probabilities?.[cell[0]]?.[cell[1]];
    if (!cell || position.at(cell) !== HIDDEN || typeof risk !== "number")
      return this.readout.hide();
    const certain = risk === 0 || risk === 1;
    const won = analysis.overlay?.shows === "win" && analysis.overlay.values?.[cell[0]][cell[1]];
    /** @type {import("./readout.js").Lines} */
    const lines = certain
      ? [[risk ? "A mine for certain" : "Safe for certain", "click to see why"]]
      : [["Risk", `${analysis.exact ? "" : "about "}${percent(risk)}`]];
    if (typeof won === "number") lines.push(["Chance to win", percent(won)]);
    this.readout.show(
      lines,
      place,
      certain || !analysis.exact ? null : { ...position.request, cell },
    );
  }

  /** @param {Cell} cell @param {any} message */
  press(cell, message) {
    this.setTyped(false);
    if (this.mode === "ask" || message.shift)
      return message.button === 0 ? this.ask(cell) : undefined;
    const code =
      message.button === 2 ? this.marked(cell) : message.button === 0 ? this.brushed(cell) : null;
    if (code === null) return;
    this.stroke = { code, begun: false };
    this.paint(cell, code);
    if (message.touch) this.stroke = null;
  }

  /** @param {Cell} cell @param {boolean} up */
  wheel(cell, up) {
    const now = this.position.at(cell);
    const next = now < 0 ? Number(up) : now + (up ? 1 : -1);
    this.put(cell, within(0, next, this.position.grid.most));
  }

  /** @param {KeyboardEvent} key */
  key(key) {
    if (typing(key)) return;
    const letter = keyName(key);
    if (key.ctrlKey || key.metaKey) {
      if (letter === "z") key.shiftKey ? this.redo() : this.undo();
      else if (letter === "y") this.redo();
      else return;
      return key.preventDefault();
    }
    if (this.stepKey(key)) return;
    const inside = this.focused;
    const cell =
      this.byHand || !this.hovered ? (inside ? this.model.get("cursor") : null) : this.hovered;
    if (letter === "d" && !key.altKey) return this.setMode("draw");
    if (letter === "a" && !key.altKey) return this.setMode("ask");
    if (letter === "Escape") return this.forget();
    if (!cell || key.altKey) return;
    if (letter === "Enter" && inside) this.ask(cell, true, true);
    else if (this.mode !== "draw") this.refuseKey(letter);
    else if (letter === "h" || (letter === " " && inside)) this.put(cell, this.toggled(cell));
    else if (letter === "f") this.put(cell, this.marked(cell));
    else if (letter in KEYS) this.put(cell, KEYS[letter]);
    else if (/^\d$/.test(letter)) this.type(cell, Number(letter));
    else return;
    key.preventDefault();
  }

  /** Sets the number of a cell. Two digits that follow each other quickly are one number. @param {Cell} cell @param {number} digit */
  type(cell, digit) {
    const { most } = this.position.grid;
    const { cell: before, number, at } = this.digits;
    const goesOn = before === name(cell) && performance.now() - at < NEXT_DIGIT;
    const both = goesOn && number ? 10 * number + digit : digit;
    const typed = both <= most ? both : digit;
    if (typed > most) return say(`The largest number on this grid is ${most}`);
    this.digits = { cell: name(cell), number: typed, at: performance.now() };
    this.put(cell, typed);
  }

  /** In Ask, no key changes the position. @param {string} letter */
  refuseKey(letter) {
    if (letter === "h" || letter === "f" || letter in KEYS || /^\d$/.test(letter))
      say("Choose Draw, or press d, to change the position");
  }

  // --- the analysis ---

  async changed() {
    this.begun = true;
    this.unread = false;
    this.forget(false);
    this.compared = null;
    this.engine = -1;
    this.fillTerms();
    this.prompt ||= setTimeout(() => this.refresh(), PROMPT); // also while the user drags
    this.address();
    if (this.enginesCard.open) this.compare();
    const { inputs, position } = this;
    const body = {
      ...position.request,
      backend: inputs.backend.value,
      use_total: this.useTotal,
      show: GAINS.includes(this.overlay) ? this.overlay : null,
    };
    const analysis = await this.newest.ask("analyze", body);
    if (!analysis || position !== this.position) return;
    this.analysis = analysis;
    this.tellAnalysis();
    this.tellOverlay();
    this.refresh();
  }

  fillTerms() {
    const { position, inputs } = this;
    this.fillGrid();
    this.fillBrushes();
    inputs.rows.value = position.rows;
    inputs.cols.value = position.cols;
    inputs.mines.value = position.mines ?? "";
    inputs.density.value = position.density ?? "";
    inputs.clues.value = position.clues ?? this.known.clues[0];
    this.tellCounted();
    this.tellAssumed();
    this.undoButton.disabled = !this.history.past.length;
    this.redoButton.disabled = !this.history.future.length;
  }

  /** Shows the grid of the position. A graph has a size of its own. */
  fillGrid() {
    const { inputs, known, position, otherGrid } = this;
    const { grid, names, title } = position.grid;
    const offered = known.grids.includes(position.grid);
    Object.assign(otherGrid, offered ? { hidden: true } : { hidden: false, value: grid });
    otherGrid.textContent = offered ? "" : title;
    inputs.grid.value = grid;
    inputs.rows.disabled = inputs.cols.disabled = !!names;
  }

  /** Counts the mines that are marked, and those that are left. */
  tellCounted() {
    const { mines, cells } = this.position;
    const marked = cells.filter((code) => code === MARKED || code === EXPLODED).length;
    const left = mines === null ? "" : `, ${mines - marked} left`;
    this.counted.textContent = marked || this.mode === "draw" ? `⚑ ${marked} marked${left}` : "";
  }

  tellAnalysis() {
    const { analysis } = this;
    if (analysis.error) return this.tellFailed(analysis.error);
    if (analysis.status === "contradiction") return this.tellConflict(analysis);
    const [safe, mines] = [analysis.safe.length, analysis.certain_mines.length];
    const heads = /** @type {Record<string, string>} */ ({
      guess: "No cell is certain",
      solved: "Solved",
      progress: joined(
        [safe ? plural(safe, "safe cell") : "No safe cell", mines && plural(mines, "mine")],
        ", ",
      ),
    });
    const done = analysis.status === "solved" ? "No cell is hidden." : "Every safe cell is open.";
    this.tell(
      "",
      heads[analysis.status],
      analysis.move ? this.moveButton(analysis) : note(done),
      note(analysis.exact ? fitting(analysis) : estimates(analysis)),
    );
  }

  /** Says why there is no analysis, and offers ways out. @param {string} why */
  tellFailed(why) {
    const { inputs, known } = this;
    const other = inputs.backend.value !== known.default_backend;
    const useDefault = () => {
      inputs.backend.value = known.default_backend;
      this.changed();
    };
    this.tellBad(
      "No answer",
      why,
      other ? button("primary", "", useDefault, "Use the default engine") : null,
      this.history.past.length ? button("quiet", "", () => this.undo(), "Undo") : null,
      button("quiet", "", () => this.changed(), "Try again"),
    );
  }

  /** A button with the best move; pressing it asks why. @param {any} analysis */
  moveButton({ exact, move }) {
    const risk = move.risk ? `${exact ? "" : "about "}${percent(move.risk)}` : "no risk";
    const head = h("strong", null, `Open ${this.position.label(move.cell)}`);
    return button("best-move", "Why?", () => this.ask(move.cell), [
      h("span", { class: "move-ring", "aria-hidden": "true" }),
      h("span", null, head, `: ${move.reason}`),
      span("number", risk),
    ]);
  }

  /** @param {any} analysis */
  tellConflict({ conflict, marks }) {
    const head = "No layout fits";
    if (!conflict) {
      const words = "The clues contradict each other. To find out which ones takes too long.";
      return this.tell("bad", head, h("p", null, words));
    }
    const parts = conflict.map((/** @type {any} */ part) =>
      "cell" in part
        ? `(${this.position.label(part.cell)})=${part.clue}`
        : `${plural(part.mines, "mine")} in all`,
    );
    const several = parts.length > 1;
    const words = `${parts.join(", ")} ${several ? "cannot all be true" : "is impossible here"}.`;
    const wrong = several ? "At least one of them is wrong" : "It is wrong";
    const doubtful = marks
      .slice(0, 6)
      .map((/** @type {Cell} */ cell) => this.position.label(cell))
      .join("  ");
    this.tell(
      "bad",
      head,
      h(
        "p",
        null,
        pointing(words, this.position, (cell) => this.point(cell)),
      ),
      note(`${wrong}${doubtful && `, or one of these marks: ${doubtful}`}.`),
    );
  }

  /** @param {Cell | null} cell */
  point(cell) {
    this.pointed = cell;
    this.refresh();
  }

  refresh() {
    clearTimeout(this.prompt);
    this.prompt = 0;
    const { position, analysis } = this;
    const layers = new Layers(position);
    const fits =
      analysis &&
      !analysis.error &&
      analysis.rows === position.rows &&
      analysis.cols === position.cols;
    if (fits && analysis.status === "contradiction") {
      for (const { cell } of analysis.conflict || []) if (cell) layers.ring([cell], "conflict");
    } else if (fits) {
      this.overlayOn(analysis, layers);
      if (analysis.move && !this.shown && this.engine < 0) {
        for (const pair of evens(position, analysis)) layers.ring(pair, "even");
        layers.ring(this.deadCells(analysis), "dead");
        layers.ring([analysis.move.cell], "move");
      }
    }
    if (this.engine >= 0 && this.compared) {
      layers.wipe();
      layers.prove(this.compared.engines[this.engine]);
      layers.ring(this.added(), "clue");
    }
    layers.explain(this.shown);
    if (this.screenshot) layers.ring(this.screenshot.unsure, "conflict");
    if (this.pointed) layers.ring([this.pointed], "last");
    this.model.show({ ...layers, hue: this.gains(analysis) ? "information" : "risk" });
  }

  /** The numbers of an overlay in `GAINS`; null if none of them is shown. @param {any} analysis @returns {(number | null)[][] | null} */
  gains(analysis) {
    return analysis?.overlay?.shows === this.overlay ? analysis.overlay.values : null;
  }

  /** The cells whose number would tell nothing new. They are known only while the board shows
   * information. @param {any} analysis @returns {Cell[]} */
  deadCells(analysis) {
    const bits = this.overlay === "information" ? this.gains(analysis) : null;
    /** @type {Cell[]} */
    const dead = [];
    bits?.forEach((line, row) =>
      line.forEach((value, col) => {
        const risk = analysis.probabilities[row][col];
        if (value === null || !(risk > 0 && risk < 1)) return;
        const least = -risk * Math.log2(risk) - (1 - risk) * Math.log2(1 - risk);
        if (Math.abs(value - least) < 1e-9) dead.push([row, col]);
      }),
    );
    return dead;
  }

  /** @param {any} analysis @param {Layers} layers */
  overlayOn(analysis, layers) {
    const { position, overlay } = this;
    const { tones, heat, labels } = layers;
    layers.prove(analysis);
    const gain = this.gains(analysis);
    const table = gain || (overlay === "none" ? null : analysis.probabilities);
    if (!table) return;
    const unknown = names(gain ? [] : analysis.unknown || []);
    const most = gain ? Math.max(0.01, ...gain.flat().map(Number)) : 1;
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
        heat[at] = gain ? 0.5 * (value / most) ** 2 : value;
        labels[at] =
          gain && overlay === "information"
            ? value.toFixed(1)
            : brief(overlay === "safety" ? 1 - value : value);
      }
  }

  /** @param {string} overlay */
  setOverlay(overlay) {
    this.overlay = overlay;
    keep("overlay", overlay);
    if (GAINS.includes(overlay) && this.analysis && !this.gains(this.analysis)) this.changed();
    else this.refresh();
    this.tellOverlay();
  }

  /** Says below the board what its numbers are, or why the overlay is not shown. */
  tellOverlay() {
    const { shows, refused: reason } = this.analysis?.overlay || {};
    const refused = shows === this.overlay && reason;
    const legend = refused
      ? `${REFUSED[this.overlay]}: ${refused}. ${LEGENDS.risk}`
      : LEGENDS[this.overlay];
    const { grid } = this.position;
    this.legend.textContent = grid === gridNamed() ? legend : `${legend} ${countsIn(grid)}`;
  }

  // --- why ---

  /** Explains a hidden cell. @param {Cell} cell @param {boolean} [reveal] whether to scroll to it @param {boolean} [typed] by the keyboard */
  async ask(cell, reveal = true, typed = false) {
    this.model.set("cursor", cell);
    if (this.position.at(cell) !== HIDDEN) return this.forget();
    const { position } = this;
    const explanation = await this.asking.ask("explain", { ...position.request, cell });
    if (!explanation || position !== this.position) return;
    this.forget(false);
    const close = button("close", "", () => this.forget(), "×");
    close.setAttribute("aria-label", "Close the explanation");
    const refused = refusal(explanation, "No layout fits, so this cell has no explanation.");
    this.tellWhy(close, refused ? h("p", null, refused) : this.explained(explanation, position));
    this.setTyped(typed);
    this.refresh();
    const first = this.shown?.reveal || []; // the cells of the first step
    if (reveal) this.model.set("reveal", [...first, cell, ...(explanation.clues || [])]);
  }

  forget(draw = true) {
    this.asking.cancel();
    this.hush();
    this.readout.hide();
    this.pointed = null;
    if (draw) this.refresh();
  }

  // --- engines ---

  async compare() {
    const { position } = this;
    this.table.replaceChildren(note("Comparing engines …"));
    const compared = await this.comparing.ask("compare", {
      ...position.request,
      use_total: this.useTotal,
      backends: this.known.compared,
    });
    if (!compared || position !== this.position) return;
    const refused = refusal(compared, "No layout fits: every complete engine says so.");
    if (refused) return this.table.replaceChildren(note(refused));
    this.compared = compared;
    this.showEngines();
  }

  showEngines() {
    const { compared } = this;
    const needs = Object.entries(compared.difficulty)
      .map(([grade, count]) => `${count} by ${gradeWords(grade)}`)
      .join(", ");
    const headings = [["engine"], ["found", "number"], ["ms", "number"]];
    const rows = compared.engines.map((/** @type {any} */ engine, /** @type {number} */ at) =>
      this.engineRow(engine, at),
    );
    this.table.replaceChildren(
      table(headings, rows),
      note(
        compared.certain
          ? `${plural(compared.certain, "certain cell")}: ${needs || "too many clues to grade them"}.`
          : "No cell is certain.",
      ),
      note(this.engine >= 0 ? this.adds() : "Choose an engine to see what it finds."),
    );
  }

  /** @param {any} engine @param {number} at */
  engineRow(engine, at) {
    const count = provedBy(engine).length;
    const title = this.titleOf(engine.backend);
    const choose = button("plain", engine.backend, () => this.chooseEngine(at), title);
    press(choose, at === this.engine);
    const share = bar(count, Math.max(1, this.compared.certain || count));
    return h(
      "tr",
      { class: at === this.engine ? "chosen" : "" },
      h("th", { scope: "row" }, choose),
      h(
        "td",
        { class: "number" },
        engine.too_wide ? "too wide" : h("span", null, share, ` ${count}`),
      ),
      h("td", { class: "number" }, (engine.seconds * 1000).toFixed(1)),
    );
  }

  /** The name of an engine for people. @param {string} backend */
  titleOf(backend) {
    return this.known.titles[backend] || backend;
  }

  adds() {
    const { compared, engine } = this;
    const more = this.added().length;
    const before = engine ? this.titleOf(compared.engines[engine - 1].backend) : "";
    const missing = (compared.certain || 0) - provedBy(compared.engines[engine]).length;
    return joined([
      before &&
        (more
          ? `Ringed: ${plural(more, "cell")} that ${before} misses.`
          : `It finds nothing that ${before} misses.`),
      missing > 0 && `It misses ${missing}.`,
    ]);
  }

  /** @returns {Cell[]} the cells that the chosen engine proves and the engine before it does not */
  added() {
    const { compared, engine } = this;
    if (engine < 1) return [];
    const known = names(provedBy(compared.engines[engine - 1]));
    return provedBy(compared.engines[engine]).filter((cell) => !known.has(name(cell)));
  }

  /** @param {number} at */
  chooseEngine(at) {
    this.engine = this.engine === at ? -1 : at;
    this.showEngines();
    this.refresh();
    this.table.querySelectorAll("button")[at]?.focus();
  }

  // --- sharing ---

  address() {
    clearTimeout(this.addressTimer);
    const { position } = this;
    const { hash } = location;
    if (position.rows * position.cols > MOST_LINKED) return;
    this.addressTimer = setTimeout(async () => {
      const report = await ask("formats", { ...position.request, to: "line" });
      if (report.error || position !== this.position || hash !== location.hash) return;
      this.link = report.text;
      history.replaceState(null, "", `#/analyse/${report.text}`);
    }, LINK_DELAY);
  }

  /** Calls `use` with the position in a notation, or as a picture. @param {string} to @param {(text: string) => void} use */
  async write(to, use) {
    const report = await request("formats", { ...this.position.request, to, theme: theme() });
    if (report) use(report.text);
  }

  /** @param {string} to */
  copyAs(to) {
    this.write(to, copy);
  }

  saveSvg() {
    this.write("svg", (text) => save("board.svg", new Blob([text], { type: "image/svg+xml" })));
  }

  savePng() {
    const size = this.position.rows * this.position.cols > 2500 ? 16 : 32;
    const sizes = measureOf(this.model, size);
    const canvas = h("canvas", { hidden: true });
    this.boardPlace.append(canvas);
    paintCanvas(canvas, this.model, sizes, { left: 0, top: 0, ...sizes });
    canvas.toBlob((/** @type {Blob | null} */ blob) => blob && save("board.png", blob));
    canvas.remove();
  }
}

/** A link with its escaped characters decoded. A link that cannot be decoded stays unchanged. @param {string} link */
function decoded(link) {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}

/** Says why an answer of the server cannot be shown; "" if it can be shown. @param {any} answer @param {string} contradiction */
function refusal(answer, contradiction) {
  return answer.error || (answer.status === "contradiction" ? contradiction : "");
}

/** The cells that an engine proves safe or proves mines. @param {any} engine @returns {Cell[]} */
const provedBy = ({ safe, certain_mines }) => [...safe, ...certain_mines];

/** What some keys do, in words. */
const DRAWING = [
  ["0…9", "set a number"],
  ["h", "hides or opens"],
  ["f", "marks a mine"],
  ["a", "goes back to asking"],
];
const ASKING = [
  ["Enter", "asks why"],
  ["←→", "go through the steps"],
  ["d", "draws"],
];

/** @param {string[]} pair */
const keyed = ([key, words]) => h("span", null, h("kbd", null, key), ` ${words}. `);

/**
 * Pairs of cells that no number can ever tell apart. A clue says that exactly one of the two is a
 * mine. Every other cell that touches one of them is a mine, or touches both.
 * @param {Position} position @param {any} analysis @returns {Cell[][]}
 */
function evens(position, analysis) {
  const mines = names(analysis.certain_mines);
  const safe = names(analysis.safe);
  /** @param {Cell} cell */
  const isMine = (cell) => mines.has(name(cell)) || [MARKED, EXPLODED].includes(position.at(cell));
  /** @param {Cell} cell */
  const undecided = (cell) =>
    position.at(cell) === HIDDEN && !mines.has(name(cell)) && !safe.has(name(cell));
  /** @type {Map<string, Cell[]>} */
  const pairs = new Map();
  for (let row = 0; row < position.rows; row++)
    for (let col = 0; col < position.cols; col++) {
      if (position.at([row, col]) < 1) continue;
      const near = position.around([row, col]);
      const pair = near.filter(undecided);
      if (pair.length !== 2 || position.at([row, col]) - near.filter(isMine).length !== 1) continue;
      const own = names(pair);
      const beside = pair.map((cell) => position.around(cell));
      const [first, second] = beside.map(names);
      const tells = (/** @type {Cell} */ other) =>
        !isMine(other) &&
        !own.has(name(other)) &&
        !(first.has(name(other)) && second.has(name(other)));
      if (!beside.flat().some(tells)) pairs.set(pair.map(name).join(" "), pair);
    }
  return [...pairs.values()];
}

/** How many layouts fit. @param {any} analysis */
function fitting({ move, solutions }) {
  if (solutions === null) return "";
  const won = move?.exact ? `; perfect play wins ${percent(move.win_chance)} of them` : "";
  return `${large(solutions)} ${solutions === "1" ? "layout fits" : "layouts fit"}${won}`;
}

/** How accurate the estimated risks are. @param {any} analysis */
function estimates({ complete, unknown }) {
  return joined([
    "This board is too wide to count, so risks are estimates.",
    unknown.length && `The risk of ${plural(unknown.length, "cell")} is unknown (?).`,
    !complete && "More cells may be certain.",
  ]);
}
