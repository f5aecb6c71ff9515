/** Play: a game that the server holds, with its clock, flags, keys and hints. After a loss, the view shows which cells were certain. */

import { ask, request } from "./api.js";
import { EXPLODED, HIDDEN } from "./board.js";
import { countsIn, gridOptions, levelOptions, middleLevel, STARTS } from "./choices.js";
import {
  busy,
  button,
  cellNamed,
  checkbox,
  confirmed,
  copy,
  dialog,
  div,
  field,
  fields,
  figures,
  folded,
  h,
  keep,
  kept,
  keyName,
  name,
  names,
  note,
  number,
  percent,
  plural,
  press,
  row,
  save,
  say,
  segments,
  select,
  span,
  unsay,
} from "./dom.js";
import { Layers, minesOf, ringed } from "./layers.js";
import { gridNamed, Position } from "./position.js";
import { gradeWords } from "./proof.js";
import { Turns } from "./turns.js";
import { BoardView, zoomButtons } from "./view.js";

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {[string, Cell, number]} Deed */

/** Each action with its name and its key. @type {[string, string, string][]} */
const ACTIONS = [
  ["open", "Open", " "],
  ["flag", "Flag", "f"],
  ["chord", "Open around", "c"],
  ["hint", "Hint", "h"],
  ["undo", "Take back", "u"],
  ["new", "New game", "n"],
  ["mode", "Flag mode", "m"],
];
/** The checkboxes of rules: each a key of `choice`, words, a hint. */
const CHECKS = [
  ["noGuess", "no guessing: reasoning alone wins", "Every step on this board can be proved"],
  ["training", "training: moves can be taken back", "Even a move that opened a mine"],
  ["strict", "strict: a needless guess loses", "If some cell is proved safe, open it"],
  ["fair", "fair: forced guesses survive", "If no cell is proved safe, no guess loses"],
];
const SEED_HINT = "The same seed and the same first cell give the same board again";
const KEYS = Object.fromEntries(ACTIONS.map(([action, , key]) => [action, key]));

export class Play extends BoardView {
  /** @param {import("./choices.js").Choices} known */
  constructor(known) {
    const blank = Position.blank(known.levels[0]);
    super("Play", "game", known, blank);
    this.position = blank;
    this.choice = kept("play", {
      level: middleLevel(known.levels),
      start: "zero",
      noGuess: true,
      training: false,
      rows: 12,
      cols: 18,
      mines: 36,
    });
    this.keys = { ...KEYS, ...kept("keys", {}) };
    this.flagging = false;
    this.turns = new Turns(this);
    this.whole = true;
    this.taken = false; // whether a game on a given layout, position or shape is being begun
    this.dealt = 0; // number of the newest game that was asked for; older games are not shown
    /** What the player did since a new game was asked for; it is done when that game is shown. @type {(() => void)[] | null} */
    this.early = null;
    /** The position for which a hint is on its way. @type {Position | null} */
    this.hinting = null;
    this.twice = false; // whether the hint on its way was asked for twice
    /** @type {Set<string>} */
    this.flags = new Set();
    /** @type {Position} */
    this.before = blank;
    /** @type {Cell[]} */
    this.lastTurn = [];
    /** Every click as a review takes it: what, where, and when. @type {Deed[]} */
    this.deeds = [];
    this.spent = 0; // milliseconds of play, until `since`
    this.since = 0; // when the clock began to run, or 0 if it stands
    /** @type {any} */
    this.hinted = null;
    /** The position before the last turn, and its analysis. @type {{position: Position, analysis: any} | null} */
    this.review = null;
    this.reviewing = false;
    this.build();
    setInterval(() => this.tick(), 200);
    window.addEventListener("pagehide", () => this.keepGame());
  }

  /** The game as the server described it last; null before the first. */
  get game() {
    return this.turns.game;
  }

  /** The cell that was opened first. */
  get first() {
    return this.turns.made[0]?.[0] ?? null;
  }

  // --- the page ---

  build() {
    const words =
      "A left click opens, a right click flags. A click on a number with all its flags opens " +
      "the cells around it. On a touch screen, hold to flag.";
    const toolbar = this.toolbar();
    this.lay(
      [
        h("h1", { class: "spoken" }, "Play"),
        toolbar,
        this.custom,
        this.counters(),
        this.boardPlace,
        h("p", { class: "hintline" }, words),
      ],
      "Help",
      [this.bridges(), this.options()],
    );
  }

  /** Keeps a choice and begins a game with it, unless one is being played. @param {string} key @param {any} value */
  choose(key, value) {
    this.choice[key] = value;
    keep("play", this.choice);
    this.gradeField.hidden = !this.choice.noGuess;
    if (this.running) say("The next game will use this");
    else this.begin();
  }

  bridges() {
    return row(
      this.analyseButton(() => this.position),
      zoomButtons(() => [this.model]),
    );
  }

  /** @param {string} level */
  async chooseLevel(level) {
    if (!(await this.mayLeave())) return this.levels.mark(this.choice.level);
    this.choice.level = level;
    this.showLevel();
    await this.begin();
  }

  /** Shows the chosen level and the fields that apply to it. A drawn shape has its own grid, so no grid is offered. */
  showLevel() {
    const { level, shape } = this.choice;
    this.levels.mark(level);
    this.levels.el.lastElementChild.hidden = !shape;
    this.custom.hidden = level !== "custom";
    this.grids.hidden = level === "shape";
  }

  toolbar() {
    const { choice, known } = this;
    const longest = Math.floor(Math.sqrt(known.most.played));
    this.levels = segments(
      "Level",
      [
        ...levelOptions(known.levels),
        ["custom", "Custom"],
        ["shape", "Shape", "The grid and the holes that you have drawn in Analyse"],
      ],
      choice.level,
      (value) => this.chooseLevel(value),
    );
    /** @param {"rows" | "cols" | "mines"} key */
    const size = (key) =>
      number(1, longest, choice[key], (value) =>
        this.choose(key, Math.max(1, Math.round(value || 1))),
      );
    this.custom = div(
      "fields inline",
      field("Rows", size("rows")),
      field("Columns", size("cols")),
      field("Mines", size("mines")),
    );
    const grids = gridOptions(known.grids);
    const choose = (/** @type {string} */ value) => this.choose("grid", value);
    this.grids = select(grids, choice.grid || grids[0][0], choose, "Grid");
    this.showLevel();
    return div(
      "toolbar",
      this.levels.el,
      this.grids,
      span("spring"),
      button("primary", "New game (n)", () => this.again(), "New game"),
    );
  }

  counters() {
    this.left = h("span", { class: "number", title: "Mines without a flag" });
    this.clock = h("span", { class: "number", title: "Seconds" });
    const flagMode = () => this.setFlagging(!this.flagging);
    this.mode = button("quiet", "A tap sets a flag (m)", flagMode, "⚑ Flag mode");
    press(this.mode, false);
    this.hintButton = button("primary", "The easiest next step (h)", () => this.hint(), "Hint");
    const undo = () => this.undo();
    this.undoButton = button("quiet", "Take the last move back (u)", undo, "Take back");
    return div(
      "counters",
      span("counter", h("span", { "aria-hidden": "true" }, "⚑"), this.left),
      this.mode,
      this.hintButton,
      this.undoButton,
      span("spring"),
      span("counter", this.clock, " s"),
    );
  }

  options() {
    const { choice, known } = this;
    const start = select(STARTS, choice.start, (value) => this.choose("start", value));
    const grades = known.grades.map(({ name, words }) => [name, words]);
    const grade = select([["", "any"], ...grades], choice.grade || "", (value) =>
      this.choose("grade", value),
    );
    this.gradeField = field(
      "Hardest step",
      grade,
      "What the hardest step of a board without guesses needs",
    );
    const card = folded(
      "Game",
      fields(field("The first cell", start), this.gradeField),
      CHECKS.map(([key, words, title]) =>
        checkbox(words, choice[key], (checked) => this.choose(key, checked), title),
      ),
      fields(field("Seed", this.seedInput(), SEED_HINT)),
      row(button("quiet", "Choose other keys", () => this.editKeys(), "Keys …")),
    );
    card.open = true;
    return card;
  }

  seedInput() {
    const input = h("input", {
      type: "number",
      min: 0,
      max: 999_999_999,
      placeholder: "random",
      value: this.choice.seed ?? "",
      onchange: () =>
        this.choose("seed", input.value === "" ? null : Math.floor(Math.abs(Number(input.value)))),
    });
    return input;
  }

  editKeys() {
    const rows = ACTIONS.map(([action, words]) => {
      const shown = this.keys[action] === " " ? "Space" : this.keys[action];
      const input = h("input", {
        value: shown,
        readOnly: true,
        "aria-label": `Key for ${words}`,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Tab" || event.key === "Escape") return;
          event.preventDefault();
          this.keys[action] = keyName(event);
          input.value = event.key === " " ? "Space" : event.key;
          keep("keys", this.keys);
        },
      });
      return field(words, input);
    });
    const reset = () => {
      this.keys = { ...KEYS };
      keep("keys", this.keys);
      shown.close();
    };
    const words = note("Choose a field and press a key. Arrow keys move.");
    const done = button("primary", "", () => shown.close(), "Done");
    const buttons = row(button("quiet", "", reset, "Reset"), done);
    const shown = dialog("Keys", "Keys", words, fields(rows), buttons);
  }

  async open() {
    if (this.game || this.taken || (await this.resume())) return;
    await this.begin();
  }

  /** Begins a game on a layout that the server has read, from a position, or on a shape. @param {{layout?: string[], grid?: string, position?: Position, shape?: object}} given */
  async take({ layout, grid, position, shape }) {
    this.taken = true; // keeps the page from beginning another game meanwhile
    if (!(await this.mayLeave())) return;
    if (!shape) return this.begin(position ? position.request : { layout, grid });
    Object.assign(this.choice, { level: "shape", shape });
    this.showLevel();
    await this.begin();
  }

  /** The fields of a request that describe the layout of a finished game. */
  get laidOut() {
    const { grid, layout } = this.game;
    return { grid, layout };
  }

  /** Plays the same layout again, from the same first cell. */
  async repeat() {
    const { first } = this;
    if ((await this.begin(this.laidOut)) && first) await this.openCells([first]);
  }

  // --- the game ---

  /** Whether a game is in progress, which a new game would end. */
  get running() {
    return this.playing && this.game.turns > 0;
  }

  /** Whether a new game may begin. Asks the player if a game is in progress. */
  async mayLeave() {
    const words = "The game that you are playing ends if you begin another.";
    return !this.running || confirmed("Begin another game?", words, "New game", "Keep playing");
  }

  async again() {
    if (await this.mayLeave()) await this.begin();
  }

  /** Begins a game: a new one as chosen, on a given layout, or from a position. Returns whether it is shown. @param {object} [given] */
  async begin(given) {
    const { choice } = this;
    keep("play", choice);
    const { rows, cols, mines, grid, level } = choice;
    const size = level === "custom" ? { rows, cols, mines, grid } : { level, grid };
    const wanted = {
      ...(level === "shape" ? choice.shape : size),
      start: choice.start,
      no_guess: choice.noGuess,
      grade: (choice.noGuess && choice.grade) || null,
    };
    const { fair, strict, training } = choice;
    const seed = choice.seed ?? Math.floor(Math.random() * 1e9);
    const deal = { ...(given || wanted), seed, fair, strict, training };
    const dealt = ++this.dealt;
    this.early ||= [];
    const game = await request("play", deal);
    if (dealt !== this.dealt) return false;
    this.taken = false;
    const { early, position } = this;
    this.early = null;
    if (!game) return false;
    unsay();
    this.flags.clear();
    this.spent = this.since = 0;
    this.deeds = [];
    this.whole = !given || "layout" in given; // whether the page has seen every move of the game
    this.model.set("cursor", [Math.floor(game.rows / 2), Math.floor(game.cols / 2)]);
    this.turns.begin({ game, deal, made: [] });
    this.show(game);
    const noGuess = !given && choice.noGuess ? ", no guess needed" : "";
    this.tell(
      "",
      this.anyOpen ? "Go on from here" : "Open any cell",
      note(`${this.sizeInWords}, ${plural(game.mines, "mine")}${noGuess}.`),
      this.position.grid === gridNamed() ? "" : note(countsIn(this.position.grid)),
    );
    const same = position.rows === game.rows && position.cols === game.cols;
    if (same) for (const act of early) act();
    return true;
  }

  /** `16 × 30 cells`, or the number of cells where they do not fill a rectangle. */
  get sizeInWords() {
    const { cells, cols, grid, rows, size } = this.position;
    return size < cells.length || grid.names ? plural(size, "cell") : `${rows} × ${cols} cells`;
  }

  /** Continues the game that was in progress when the page was closed. Returns whether there is one. */
  async resume() {
    const saved = kept("game", null);
    if (!saved?.deal || !(await this.turns.resume(saved))) return false;
    this.flags = new Set(saved.flags);
    this.spent = saved.spent;
    this.deeds = saved.deeds;
    this.whole = saved.whole;
    this.show(this.game);
    if (this.game.turns) this.since = performance.now();
    this.tellLeft();
    return true;
  }

  /** Remembers the game, so that it goes on after a reload, also on a new server. */
  keepGame() {
    if (!this.game) return;
    const { deeds, flags, played, playing, turns, whole } = this;
    const all = { ...turns.kept, deeds, whole, flags: [...flags], spent: played };
    keep("game", playing ? all : null);
  }

  /** Milliseconds of play. */
  get played() {
    return this.spent + (this.since ? performance.now() - this.since : 0);
  }

  stopClock() {
    this.spent = this.played;
    this.since = 0;
  }

  /** Shows the game as the server describes it. @param {any} game */
  show(game) {
    this.forget();
    this.position = Position.of(game);
    this.undoButton.hidden = !game.training;
    this.undoButton.disabled = !game.turns;
    this.hintButton.disabled = !this.playing || !this.anyOpen;
    this.keepGame();
    this.refresh();
    this.tick();
  }

  /** Whether any cell is open; a game may begin with open cells. */
  get anyOpen() {
    return this.position.cells.some((/** @type {number} */ code) => code >= 0);
  }

  get playing() {
    return this.game?.status === "playing";
  }

  /** Keeps a click for a review of the game. @param {string} what @param {Cell} cell @returns {Deed} */
  note(what, cell) {
    /** @type {Deed} */
    const deed = [what, cell, this.played / 1000];
    this.deeds.push(deed);
    return deed;
  }

  /** Opens cells as soon as all earlier turns have been made. @param {Cell[]} cells @param {Cell} [chord] the number whose neighbours they are */
  async openCells(cells, chord) {
    if (!this.playing || !cells.length) return;
    if (!this.since) this.since = performance.now();
    const [deed] = chord
      ? [this.note("chord", chord)]
      : cells.map((cell) => this.note("open", cell));
    const words = "Making a board without guesses …";
    const made = this.game.turns || !this.turns.deal.no_guess;
    const slow = setTimeout(() => made || say(words), 400);
    const sent = this.turns.push({ open: cells.slice(0, this.known.most.opened), deed });
    this.refresh();
    await sent;
    clearTimeout(slow);
  }

  /** The turn without the cells that are open by now; null if nothing is left to do. @param {import("./turns.js").Turn} turn */
  ready(turn) {
    if (!turn.open) return turn;
    const open = turn.open.filter((cell) => this.position.at(cell) === HIDDEN);
    return open.length ? { open } : null;
  }

  /** @param {any} game @param {import("./turns.js").Turn} turn */
  took(game, { open, undo, deed }) {
    if (open) {
      this.before = this.position;
      this.lastTurn = open;
      this.dropFlags(Position.of(game), deed);
    }
    if (game.status !== "playing") this.stopClock();
    else if (!this.since) this.since = performance.now();
    if (undo) this.whole = false; // a review would show moves that were taken back
    this.show(game);
    if (undo) this.tell("", "Taken back");
    else if (game.status === "playing") this.tellLeft();
    else this.end();
  }

  /** Removes the flags of cells that a flood has opened. If a flag was set before `deed`, `deeds` gets a click that removes the flag just before `deed`. @param {Position} after @param {Deed} deed */
  dropFlags(after, deed) {
    for (const key of this.flags) {
      const cell = cellNamed(key);
      if (after.at(cell) < 0) continue;
      this.flags.delete(key);
      const at = this.deeds.indexOf(deed);
      const set = this.deeds
        .slice(0, at)
        .filter(([what, on]) => what === "flag" && name(on) === key);
      if (set.length % 2) this.deeds.splice(at, 0, ["flag", cell, deed[2]]);
    }
  }

  /** Says that the server refuses a turn, or does not answer. @param {any} answer */
  refused(answer) {
    const gone = answer.status === 410;
    if (!gone && !answer.unanswered) {
      this.refresh();
      return say(answer.error, "bad");
    }
    this.stopClock();
    this.tick();
    if (gone) {
      const begin = button("primary", "", () => this.begin(), "New game");
      this.tellBad("This game is gone", "The server was restarted and cannot restore it.", begin);
      this.turns.game = { ...this.game, status: "gone" };
      return;
    }
    const retry = () => {
      this.since = performance.now();
      this.turns.send();
    };
    this.tellBad("No connection", answer.error, button("primary", "", retry, "Try again"));
  }

  tellLeft() {
    this.tell("", `${this.cellsLeft()} to open`);
  }

  cellsLeft() {
    const open = this.position.cells.filter((code) => code >= 0).length;
    return plural(this.position.size - this.game.mines - open, "cell");
  }

  undo() {
    if (this.game?.training) this.turns.push({ undo: true });
  }

  giveUp() {
    this.turns.push({ give_up: true });
  }

  async end() {
    const won = this.game.status === "won";
    this.tell(
      won ? "good" : "bad",
      won ? "Won" : this.game.ended ? "A needless guess" : "You hit a mine",
      this.game.layout
        ? this.figures(this.spent / 1000)
        : row(
            button("primary", "", () => this.undo(), "Take back"),
            button("quiet", "", () => this.giveUp(), "Show the mines"),
          ),
    );
    const { game } = this;
    if (!won) await this.lookBack();
    if (game.layout && game === this.game) {
      this.status.append(this.afterwards());
      await this.tellGrade();
    }
  }

  /** What can be done with a finished game. */
  afterwards() {
    const { seed } = this.game;
    const repeat = () => this.repeat();
    const dealt = "no_guess" in this.turns.deal; // neither from a file nor from a position
    const line = async () => {
      const report = await request("formats", { ...this.laidOut, first: this.first, to: "line" });
      if (report) copy(report.text);
    };
    return div(
      "row",
      button("primary", "The same mines and the same first cell", repeat, "Same board again"),
      button("quiet", "One line that others can paste", line, "Copy the board"),
      this.whole ? this.recordButtons() : null,
      dealt ? span("quietly", `Seed ${seed}`) : null,
    );
  }

  /** Buttons that review this game, and save it as a log. */
  recordButtons() {
    const body = { ...this.laidOut, clicks: this.deeds };
    const log = async () => {
      const report = await request("formats", body);
      if (report) save("game.jsonl", new Blob([report.text], { type: "application/jsonl" }));
    };
    const review = () => this.bridge("review", { body });
    return [
      button("quiet", "Judge every move", review, "Review this game"),
      button("quiet", "A log that csp-mines review reads", log, "Save as a log"),
    ];
  }

  /** @param {number} seconds */
  figures(seconds) {
    const clicks = this.game["3bv"];
    const pairs = [
      ["Time", `${seconds.toFixed(1)} s`],
      ["3BV", String(clicks)],
      ["Clicks", String(this.deeds.length)],
    ];
    if (this.game.status === "won") {
      const share = Math.round((100 * clicks) / Math.max(1, this.deeds.length));
      pairs.push(["3BV/s", (clicks / Math.max(0.1, seconds)).toFixed(2)]);
      pairs.push(["Efficiency", `${share} %`]);
    }
    return figures(pairs);
  }

  async tellGrade() {
    const { game } = this;
    const graded = await ask("grade", { ...this.laidOut, first: this.first });
    if (graded.error || game !== this.game) return;
    this.status.append(note(gradeOf(graded, game.status === "won")));
  }

  /** After a mine was opened: shows which cells were certain, or safer, at that moment. */
  async lookBack() {
    const { before, game } = this;
    const analysis = await ask("analyze", before.request);
    if (game !== this.game || analysis.error || analysis.status === "contradiction") return;
    this.review = { position: before, analysis };
    const mine =
      this.lastTurn.find((cell) => this.position.at(cell) === EXPLODED) || this.lastTurn[0];
    const { move, probabilities, safe } = analysis;
    const risk = probabilities[mine[0]]?.[mine[1]] ?? null;
    const words = [];
    if (risk === 1) words.push(`${before.label(mine)} was certainly a mine.`);
    else if (risk !== null) words.push(`The risk at ${before.label(mine)} was ${percent(risk)}.`);
    if (safe.length)
      words.push(
        `${plural(safe.length, "cell was", "cells were")} certainly safe at that moment. Choose one to see why.`,
      );
    else if (move)
      words.push(
        `No cell was certainly safe. The best guess was ${before.label(move.cell)}, with a risk of ${percent(move.risk)}: ${move.reason}.`,
      );
    const turn = () => this.setReviewing(!this.reviewing);
    this.reviewButton = button("quiet", "", turn, "Show that moment");
    this.status.append(h("p", { class: "lookback" }, words.join(" ")), row(this.reviewButton));
    this.setReviewing(true);
  }

  /** @param {boolean} on */
  setReviewing(on) {
    this.reviewing = on;
    if (this.reviewButton) press(this.reviewButton, on);
    this.hush();
    this.refresh();
  }

  // --- hints ---

  /** The first hint says where to look; the second shows the whole step. */
  async hint() {
    if (!this.playing || !this.anyOpen) return;
    if (this.hinted) return this.showHint();
    const { position } = this;
    this.twice = this.hinting === position;
    if (this.twice) return;
    this.hinting = position;
    const body = { ...position.request, ignore_marks: true, hint: true };
    const hinted = await request("explain", body);
    if (this.hinting === position) this.hinting = null;
    if (!hinted || position !== this.position) return;
    this.hinted = hinted;
    this.shown = { lit: ringed(hinted.clues, "clue") };
    this.model.set("reveal", hinted.clues.length ? hinted.clues : hinted.cells);
    this.tellWhy(
      h("p", null, whereToLook(hinted)),
      row(button("primary", "The cell and the reason", () => this.showHint(), "Show the step")),
    );
    this.refresh();
    if (this.twice) this.showHint();
  }

  showHint() {
    const { hinted } = this;
    const open = /** @type {Cell[]} */ (hinted.cells.slice(0, this.known.most.opened));
    const it = open.length > 1 ? `Open these ${open.length}` : "Open it";
    const act = () => {
      for (const cell of open) if (this.flags.has(name(cell))) this.flag(cell);
      this.openCells(open);
    };
    const words = hinted.verdict === "safe" ? it : "Open it anyway";
    this.tellWhy(this.explained(hinted, this.position), row(button("primary", "", act, words)));
    this.refresh();
    this.model.set("reveal", [...open, ...hinted.clues]);
  }

  forget() {
    this.hush();
    this.hinted = null;
    this.review = null;
    this.reviewing = false;
  }

  /** Why a cell was safe when the mine was opened. @param {Cell} cell */
  async explainPast(cell) {
    const { review } = this;
    if (!review || review.position.at(cell) !== HIDDEN) return;
    const explanation = await request("explain", { ...review.position.request, cell });
    if (!explanation || review !== this.review) return;
    this.tellWhy(this.explained(explanation, review.position));
    this.refresh();
  }

  // --- pointer and keys ---

  /** @param {any} message */
  hear(message) {
    const { event, cell, button: pressed, touch, both } = message;
    if (this.early) return void this.early.push(() => this.hear(message));
    if (event === "press" && this.review && this.reviewing && pressed === 0)
      return void this.explainPast(cell);
    if (!this.playing || !cell) return;
    if (event === "press" && (both || pressed === 1)) this.chord(cell);
    else if (event === "press" && pressed === 2) this.flag(cell);
    else if (event === "press" && touch) this.act(cell, this.flagging);
    else if (event === "long") this.act(cell, !this.flagging);
    else if (event === "release" && pressed === 0 && !touch) this.act(cell, this.flagging);
  }

  /** @param {Cell} cell @param {boolean} flag */
  act(cell, flag) {
    if (this.position.at(cell) >= 0) this.chord(cell);
    else if (flag) this.flag(cell);
    else if (this.position.at(cell) === HIDDEN && !this.flags.has(name(cell)))
      this.openCells([cell]);
  }

  /** @param {Cell} cell */
  flag(cell) {
    const waits = this.turns.waiting.some((open) => name(open) === name(cell));
    if (this.position.at(cell) !== HIDDEN || waits) return;
    if (!this.flags.delete(name(cell))) this.flags.add(name(cell));
    this.note("flag", cell);
    this.keepGame();
    this.refresh();
    this.tick();
  }

  /** @param {Cell} cell */
  chord(cell) {
    const around = this.position.around(cell);
    const flagged = around.filter((near) => this.flags.has(name(near)));
    if (this.position.at(cell) !== flagged.length || !flagged.length) return;
    this.openCells(
      around.filter((near) => this.position.at(near) === HIDDEN && !this.flags.has(name(near))),
      cell,
    );
  }

  /** @param {boolean} on */
  setFlagging(on) {
    this.flagging = on;
    press(this.mode, on);
  }

  /** @param {KeyboardEvent} key */
  key(key) {
    if (busy(key) || this.stepKey(key)) return;
    const letter = keyName(key);
    const cell = this.model.get("cursor");
    const { keys } = this;
    if (letter === keys.hint) this.hint();
    else if (letter === keys.undo) this.undo();
    else if (letter === keys.new) this.again();
    else if (letter === keys.mode) this.setFlagging(!this.flagging);
    else if (!this.focused || !this.keyOn(letter, cell)) return;
    key.preventDefault();
  }

  /** Does what a key does to a cell. Returns whether it does anything. @param {string} letter @param {Cell} cell */
  keyOn(letter, cell) {
    const { keys } = this;
    const known = [keys.open, "Enter", keys.flag, keys.chord].includes(letter);
    if (this.early) known && this.early.push(() => this.keyOn(letter, cell));
    else if (letter === keys.open || letter === "Enter")
      this.reviewing ? this.explainPast(cell) : this.act(cell, false);
    else if (letter === keys.flag) this.playing && this.flag(cell);
    else if (letter === keys.chord) this.chord(cell);
    return known;
  }

  // --- drawing ---

  tick() {
    if (!this.game) return;
    const won = this.game.status === "won"; // then every mine is shown as flagged
    this.left.textContent = String(won ? 0 : this.game.mines - this.flags.size);
    this.clock.textContent = String(Math.floor(this.played / 1000));
  }

  refresh() {
    const past = this.reviewing ? this.review : null;
    const layers = new Layers(past ? past.position : this.position);
    if (past) this.showPast(past.analysis, layers);
    layers.explain(this.shown);
    if (!past) {
      const flagged = [...this.flags].map(cellNamed);
      layers.tone(
        this.turns.waiting.filter((cell) => this.position.at(cell) === HIDDEN),
        "pending",
      );
      layers.mark(flagged);
      if (this.game?.layout) this.showLayout(layers, flagged);
    }
    this.model.show({ ...layers });
  }

  /** @param {any} analysis @param {Layers} layers */
  showPast(analysis, layers) {
    layers.prove(analysis);
    if (!analysis.safe.length) layers.warm(analysis.probabilities);
    layers.ring(
      this.lastTurn.filter((cell) => this.position.at(cell) === EXPLODED),
      "conflict",
    );
  }

  /** @param {Layers} layers @param {Cell[]} flagged */
  showLayout(layers, flagged) {
    const mines = minesOf(this.game.layout);
    if (this.game.status === "won") layers.mark(mines);
    else layers.showHidden(mines, "layout");
    const known = names(mines);
    layers.tone(
      flagged.filter((cell) => !known.has(name(cell))),
      "wrong",
    );
  }
}

/** The first part of a hint. @param {any} hinted */
function whereToLook({ clues, difficulty, verdict }) {
  if (verdict !== "safe") return "No cell is proved safe. The next step is the best guess.";
  if (!clues.length) return "Count the mines that are left.";
  return `Look at the ringed ${clues.length === 1 ? "clue" : "clues"}: ${gradeWords(difficulty)}.`;
}

/** How hard a layout is, in words. @param {any} graded as `grade --json` gives it @param {boolean} won */
function gradeOf(graded, won) {
  if (graded.no_guess) {
    const needs = graded.grade
      ? `the hardest step needs ${gradeWords(graded.grade)}`
      : "the first cell opens everything";
    return `${won ? "Won by reasoning alone" : "Reasoning alone wins this board"}; ${needs}.`;
  }
  const guesses = plural(graded.exact.guesses, "guess", "guesses");
  const chance = graded.win
    ? ` At the first of them, the chance to win is ${graded.win.exact ? "" : "about "}${percent(graded.win.win_chance)}.`
    : "";
  return `From this first cell, the board needs a guess. A player who always takes the lowest risk meets ${guesses}.${chance}`;
}
