// @ts-check
/** Play: a game that the server holds, with hints that explain, and what was certain after a loss. */

import { ask } from "./api.js";
import { EXPLODED, HIDDEN, MARKED, render } from "./board.js";
import { levelOptions, middleLevel, STARTS } from "./choices.js";
import {
  brief,
  button,
  field,
  h,
  keep,
  kept,
  name,
  number,
  percent,
  plural,
  say,
  segments,
  select,
  typing,
} from "./dom.js";
import { Model } from "./model.js";
import { Position } from "./position.js";
import { gradeWords, openPanel, proofPanel } from "./proof.js";

/** @typedef {import("./board.js").Cell} Cell */

const KEYS = /** @type {Record<string, string>} */ ({
  open: " ",
  flag: "f",
  chord: "c",
  hint: "h",
  undo: "u",
  new: "n",
  mode: "m",
});
const WORDS = /** @type {Record<string, string>} */ ({
  open: "Open",
  flag: "Flag",
  chord: "Open around",
  hint: "Hint",
  undo: "Take back",
  new: "New game",
  mode: "Flag mode",
});

export class Play {
  /** @param {import("./choices.js").Choices} known what the server offers */
  constructor(known) {
    this.known = known;
    const { rows, cols, mines } = known.levels[0];
    this.el = h("section", { class: "view", "aria-label": "Play" });
    this.position = Position.blank(rows, cols, mines);
    this.model = new Model({ rows, cols, cells: this.position.cells, label: "game" });
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
    /** @type {any} */
    this.game = null;
    /** @type {Set<string>} */
    this.flags = new Set();
    /** @type {Position} */
    this.before = this.position;
    /** @type {Cell[]} */
    this.lastTurn = [];
    /** @type {Cell | null} */
    this.first = null;
    this.clicks = 0;
    this.begun = 0;
    this.ended = 0;
    this.busy = false;
    /** @type {any} */
    this.hinted = null;
    /** @type {{lit: any[], known: Map<string, string>} | null} */
    this.proof = null;
    /** @type {{position: Position, found: any} | null} */
    this.review = null;
    this.build();
    this.model.heard = (message) => this.hear(message);
    setInterval(() => this.tick(), 200);
  }

  // --- the page ---------------------------------------------------------------------------------

  build() {
    this.boardPlace = h("div", { class: "board-place" });
    this.status = h("div", { class: "card status", "aria-live": "polite" });
    this.why = h("div", { class: "card why", hidden: true });
    const stage = h(
      "div",
      { class: "stage" },
      this.toolbar(),
      this.custom,
      this.counters(),
      this.boardPlace,
      h(
        "p",
        { class: "hintline" },
        "Left opens, right flags, a number with all its flags opens around it. Touch: hold to flag.",
      ),
    );
    this.el.append(
      stage,
      h("aside", { class: "panel", "aria-label": "Help" }, this.status, this.why, this.options()),
    );
    render({ model: this.model, el: this.boardPlace });
  }

  toolbar() {
    const { choice, known } = this;
    const longest = Math.floor(Math.sqrt(known.most.played));
    const levels = segments(
      "Level",
      [...levelOptions(known.levels), ["custom", "Custom"]],
      choice.level,
      (value) => {
        choice.level = value;
        this.custom.hidden = value !== "custom";
        this.begin();
      },
    );
    /** @param {"rows" | "cols" | "mines"} key */
    const size = (key) =>
      number(1, longest, choice[key], (value) => {
        choice[key] = Math.max(1, Math.round(value || 1));
        this.begin();
      });
    this.custom = h(
      "div",
      { class: "fields inline", hidden: choice.level !== "custom" },
      field("Rows", size("rows")),
      field("Columns", size("cols")),
      field("Mines", size("mines")),
    );
    return h(
      "div",
      { class: "toolbar" },
      levels.el,
      h("span", { class: "spring" }),
      button("primary", "New game (n)", () => this.begin(), "New game"),
    );
  }

  counters() {
    this.left = h("span", { class: "number", title: "Mines without a flag" });
    this.clock = h("span", { class: "number", title: "Seconds" });
    this.mode = button(
      "quiet",
      "A tap sets a flag (m)",
      () => this.setFlagging(!this.flagging),
      "⚑ Flag mode",
    );
    this.mode.setAttribute("aria-pressed", "false");
    this.hintButton = button("primary", "The easiest next step (h)", () => this.hint(), "Hint");
    this.undoButton = button(
      "quiet",
      "Take the last move back (u)",
      () => this.undo(),
      "Take back",
    );
    return h(
      "div",
      { class: "counters" },
      h("span", { class: "counter" }, h("span", { "aria-hidden": "true" }, "⚑"), this.left),
      this.mode,
      this.hintButton,
      this.undoButton,
      h("span", { class: "spring" }),
      h("span", { class: "counter" }, this.clock, " s"),
    );
  }

  options() {
    const { choice, known } = this;
    const start = select(STARTS, choice.start, (value) => {
      choice.start = value;
      this.begin();
    });
    const grade = select(
      [
        ["", "any"],
        .../** @type {[string, string][]} */ (known.grades.map(({ name, words }) => [name, words])),
      ],
      choice.grade || "",
      (value) => {
        choice.grade = value;
        this.begin();
      },
    );
    this.gradeField = field(
      "Hardest step",
      grade,
      "What the hardest step of a board without guesses needs",
    );
    return h(
      "details",
      { class: "card", open: true },
      h("summary", null, "Game"),
      h("div", { class: "fields" }, field("The first cell", start), this.gradeField),
      this.check(
        "noGuess",
        "no guessing: reasoning alone wins",
        "The board is made so that every step can be proved",
      ),
      this.check("training", "training: moves can be taken back", "Also the one onto a mine"),
      h(
        "div",
        { class: "row" },
        button("quiet", "Choose other keys", () => this.editKeys(), "Keys …"),
      ),
    );
  }

  /** @param {"noGuess" | "training"} key @param {string} words @param {string} title */
  check(key, words, title) {
    const box = h("input", {
      type: "checkbox",
      checked: this.choice[key],
      onchange: () => {
        this.choice[key] = box.checked;
        this.begin();
      },
    });
    return h("label", { class: "check", title }, box, words);
  }

  editKeys() {
    const rows = Object.keys(KEYS).map((action) => {
      const shown = this.keys[action] === " " ? "Space" : this.keys[action];
      const input = h("input", {
        value: shown,
        readOnly: true,
        "aria-label": `Key for ${WORDS[action]}`,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Tab" || event.key === "Escape") return;
          event.preventDefault();
          this.keys[action] = event.key.length === 1 ? event.key.toLowerCase() : event.key;
          input.value = event.key === " " ? "Space" : event.key;
          keep("keys", this.keys);
        },
      });
      return field(WORDS[action], input);
    });
    const dialog = h(
      "dialog",
      { "aria-label": "Keys", onclose: () => dialog.remove() },
      h("h2", null, "Keys"),
      h("p", { class: "quietly" }, "Choose a field and press a key. Arrow keys move."),
      h("div", { class: "fields" }, rows),
      h(
        "div",
        { class: "row" },
        button(
          "quiet",
          "",
          () => {
            this.keys = { ...KEYS };
            keep("keys", this.keys);
            dialog.close();
          },
          "As they were",
        ),
        button("primary", "", () => dialog.close(), "Done"),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  }

  async open() {
    if (!this.game) await this.begin();
  }

  // --- the game ---------------------------------------------------------------------------------

  async begin() {
    const { choice } = this;
    keep("play", choice);
    const size =
      choice.level === "custom"
        ? { rows: choice.rows, cols: choice.cols, mines: choice.mines }
        : { level: choice.level };
    const game = await ask("play", {
      ...size,
      start: choice.start,
      no_guess: choice.noGuess,
      training: choice.training,
      grade: (choice.noGuess && choice.grade) || null,
    });
    if (game.error) return say(game.error, "bad");
    this.gradeField.hidden = !choice.noGuess;
    this.flags.clear();
    this.begun = this.ended = this.clicks = 0;
    this.first = null;
    this.model.set("cursor", [Math.floor(game.rows / 2), Math.floor(game.cols / 2)]);
    this.forget();
    this.take(game);
    this.status.classList.remove("bad", "good");
    this.status.replaceChildren(
      h("h2", null, "Open any cell"),
      h(
        "p",
        { class: "quietly" },
        `${game.rows} × ${game.cols} cells, ${plural(game.mines, "mine")}${choice.noGuess ? ", and never a need to guess" : ""}.`,
      ),
    );
  }

  /** @param {any} game */
  take(game) {
    this.game = game;
    this.position = Position.of(game);
    this.undoButton.hidden = !game.training;
    this.undoButton.disabled = !game.turns;
    this.hintButton.disabled = game.status !== "playing" || !this.anyOpen;
    this.refresh();
    this.tick();
  }

  /** Whether there is a cell to reason from: a game may begin with some. */
  get anyOpen() {
    return this.position.cells.some((/** @type {number} */ code) => code >= 0);
  }

  get playing() {
    return this.game?.status === "playing" && !this.busy;
  }

  /** @param {Cell[]} cells */
  async openCells(cells) {
    if (!this.playing || !cells.length) return;
    this.busy = true;
    if (!this.begun) this.begun = performance.now();
    this.first ??= cells[0];
    const before = this.position;
    const slow = setTimeout(() => say("Making a board without guesses …"), 400);
    const game = await ask("play", {
      game: this.game.game,
      open: cells.slice(0, this.known.most.opened),
    });
    clearTimeout(slow);
    this.busy = false;
    if (game.error) return say(game.error, "bad");
    this.clicks++;
    this.before = before;
    this.lastTurn = cells;
    this.forget();
    this.take(game);
    if (game.status === "playing")
      this.status.replaceChildren(h("h2", null, `${this.cellsLeft()} to open`));
    else this.end();
  }

  cellsLeft() {
    const open = this.position.cells.filter((code) => code >= 0).length;
    return plural(this.position.rows * this.position.cols - this.game.mines - open, "cell");
  }

  async undo() {
    if (!this.game?.training || this.busy) return;
    const game = await ask("play", { game: this.game.game, undo: true });
    if (game.error) return say(game.error, "bad");
    this.ended = 0;
    this.forget();
    this.status.classList.remove("bad", "good");
    this.status.replaceChildren(h("h2", null, "Taken back"));
    this.take(game);
  }

  async giveUp() {
    const game = await ask("play", { game: this.game.game, give_up: true });
    if (game.error) return say(game.error, "bad");
    this.take(game);
    this.end();
  }

  async end() {
    if (!this.ended) this.ended = performance.now();
    const seconds = (this.ended - this.begun) / 1000;
    const won = this.game.status === "won";
    this.status.classList.toggle("good", won);
    this.status.classList.toggle("bad", !won);
    const lines = [h("h2", null, won ? "Won" : "A mine")];
    if (this.game.layout) lines.push(this.figures(seconds));
    else
      lines.push(
        h(
          "div",
          { class: "row" },
          button("primary", "", () => this.undo(), "Take back"),
          button("quiet", "", () => this.giveUp(), "Show the mines"),
        ),
      );
    this.status.replaceChildren(...lines);
    if (!won) await this.lookBack();
    if (this.game.layout) await this.tellGrade();
  }

  /** @param {number} seconds */
  figures(seconds) {
    const clicks = this.game["3bv"];
    const pairs = [
      ["Time", `${seconds.toFixed(1)} s`],
      ["3BV", String(clicks)],
      ["Clicks", String(this.clicks)],
    ];
    if (this.game.status === "won")
      pairs.push(["3BV/s", (clicks / Math.max(0.1, seconds)).toFixed(2)]);
    return h(
      "dl",
      { class: "figures" },
      pairs.map(([key, value]) =>
        h("div", null, h("dt", null, key), h("dd", { class: "number" }, value)),
      ),
    );
  }

  async tellGrade() {
    const { game } = this;
    const graded = await ask("grade", { layout: game.layout, first: this.first });
    if (graded.error || game !== this.game) return;
    this.status.append(h("p", { class: "quietly" }, gradeOf(graded, game.status === "won")));
  }

  /** After a mine: what was certain, or safer, when it was opened. */
  async lookBack() {
    const { before, game } = this;
    const found = await ask("analyze", { ...before.request });
    if (game !== this.game || found.error || found.status === "contradiction") return;
    this.review = { position: before, found };
    const mine =
      this.lastTurn.find((cell) => this.position.at(cell) === EXPLODED) || this.lastTurn[0];
    const risk = found.probabilities[mine[0]]?.[mine[1]];
    const words = [];
    if (risk !== null && risk !== undefined)
      words.push(
        risk === 1
          ? `${name(mine)} was certainly a mine.`
          : `${name(mine)} was a mine with probability ${percent(risk)}.`,
      );
    if (found.safe.length)
      words.push(
        `${plural(found.safe.length, "cell was", "cells were")} certainly safe at that moment. Choose one to hear why.`,
      );
    else if (found.move)
      words.push(
        `Nothing was certain. The best guess was ${name(found.move.cell)}, a mine with probability ${percent(found.move.risk)}: ${found.move.reason}.`,
      );
    this.status.append(
      h("p", { class: "lookback" }, words.join(" ")),
      h(
        "div",
        { class: "row" },
        (this.reviewButton = h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-pressed": "true",
            onclick: () => this.setReviewing(!this.reviewing),
          },
          "Show that moment",
        )),
      ),
    );
    this.setReviewing(true);
  }

  /** @param {boolean} on */
  setReviewing(on) {
    this.reviewing = on;
    this.reviewButton?.setAttribute("aria-pressed", String(on));
    this.proof = null;
    this.why.hidden = true;
    this.refresh();
  }

  // --- hints ------------------------------------------------------------------------------------

  /** First where to look, then the whole step. */
  async hint() {
    if (!this.playing || !this.anyOpen) return;
    if (this.hinted) return this.showHint();
    const hinted = await ask("explain", {
      ...this.position.request,
      ignore_marks: true,
      hint: true,
    });
    if (hinted.error) return say(hinted.error, "bad");
    this.hinted = hinted;
    const proved = hinted.verdict === "safe";
    const words = proved
      ? hinted.clues.length
        ? `Look at the ringed ${hinted.clues.length === 1 ? "clue" : "clues"}: ${gradeWords(hinted.difficulty)}.`
        : "Count the mines that are left."
      : "Nothing is certain. The best guess can be shown.";
    this.proof = {
      lit: hinted.clues.map((/** @type {Cell} */ cell) => [...cell, "clue"]),
      known: new Map(),
    };
    this.why.hidden = false;
    this.why.replaceChildren(
      h("p", null, words),
      h(
        "div",
        { class: "row" },
        button("primary", "The cell and the reason", () => this.showHint(), "Show the step"),
      ),
    );
    this.refresh();
  }

  showHint() {
    const { hinted } = this;
    const open = /** @type {Cell[]} */ (hinted.cells.slice(0, this.known.most.opened));
    const words =
      hinted.verdict === "safe"
        ? open.length > 1
          ? `Open these ${open.length}`
          : "Open it"
        : "Open it anyway";
    const act = button(
      "primary",
      "",
      () => {
        for (const cell of open) this.flags.delete(name(cell));
        this.openCells(open);
      },
      words,
    );
    this.why.replaceChildren(this.panelOf(hinted), h("div", { class: "row" }, act));
    this.refresh();
  }

  /** The panel of an explanation; as it is read, the board shows what it speaks of. @param {any} explanation */
  panelOf(explanation) {
    if (explanation.verdict !== "open")
      return proofPanel(explanation, (lit, known) => {
        this.proof = { lit, known };
        this.refresh();
      }).el;
    this.proof = { lit: [[...explanation.cell, "target"]], known: new Map() };
    return openPanel(explanation, (mines) => {
      this.ghosts = mines;
      this.refresh();
    });
  }

  forget() {
    this.hinted = null;
    this.proof = null;
    this.ghosts = null;
    this.review = null;
    this.reviewing = false;
    this.why.hidden = true;
    this.why.replaceChildren();
  }

  /** Why a cell was safe when the mine was opened. @param {Cell} cell */
  async explainPast(cell) {
    if (!this.review || this.review.position.at(cell) !== HIDDEN) return;
    const explanation = await ask("explain", { ...this.review.position.request, cell });
    if (explanation.error) return say(explanation.error, "bad");
    this.why.hidden = false;
    this.why.replaceChildren(this.panelOf(explanation));
    this.refresh();
  }

  // --- hands ------------------------------------------------------------------------------------

  /** @param {any} message */
  hear({ event, cell, button: pressed, touch, both }) {
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
    else if (!this.flags.has(name(cell))) this.openCells([cell]);
  }

  /** @param {Cell} cell */
  flag(cell) {
    if (this.position.at(cell) !== HIDDEN) return;
    if (!this.flags.delete(name(cell))) this.flags.add(name(cell));
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
    );
  }

  /** @param {boolean} on */
  setFlagging(on) {
    this.flagging = on;
    this.mode.setAttribute("aria-pressed", String(on));
  }

  /** @param {KeyboardEvent} key */
  key(key) {
    if (typing(key) || key.ctrlKey || key.metaKey || key.altKey) return;
    const letter = key.key.length === 1 ? key.key.toLowerCase() : key.key;
    const cell = this.model.get("cursor");
    const inside = this.boardPlace.contains(document.activeElement);
    const { keys } = this;
    if (letter === keys.hint) this.hint();
    else if (letter === keys.undo) this.undo();
    else if (letter === keys.new) this.begin();
    else if (letter === keys.mode) this.setFlagging(!this.flagging);
    else if (!inside) return;
    else if (letter === keys.open || letter === "Enter")
      this.reviewing ? this.explainPast(cell) : this.act(cell, false);
    else if (letter === keys.flag) this.playing && this.flag(cell);
    else if (letter === keys.chord) this.chord(cell);
    else return;
    key.preventDefault();
  }

  // --- drawing ----------------------------------------------------------------------------------

  tick() {
    if (!this.game) return;
    this.left.textContent = String(this.game.mines - this.flags.size);
    const now =
      this.game.status === "playing" ? performance.now() : this.ended || performance.now();
    this.clock.textContent = this.begun
      ? ((now - this.begun) / 1000).toFixed(this.game.status === "playing" ? 0 : 1)
      : "0";
  }

  refresh() {
    const past = this.reviewing && this.review;
    const position = past ? this.review?.position || this.position : this.position;
    const { rows, cols } = position;
    const cells = position.cells.slice();
    const tones = new Array(rows * cols).fill("");
    /** @type {(number | null)[]} */
    const heat = new Array(rows * cols).fill(null);
    const labels = new Array(rows * cols).fill("");
    /** @type {any[]} */
    const lit = this.proof ? [...this.proof.lit] : [];
    if (past) this.showPast(tones, heat, labels, lit);
    else {
      for (const key of this.flags) {
        const at = index(key, cols);
        if (cells[at] === HIDDEN) cells[at] = MARKED;
      }
      if (this.game?.layout) this.showLayout(cells, tones);
    }
    for (const [key, tone] of this.proof?.known || [])
      if (cells[index(key, cols)] !== MARKED) tones[index(key, cols)] = tone;
    for (const cell of this.ghosts || [])
      if (cells[index(name(cell), cols)] === HIDDEN) tones[index(name(cell), cols)] = "ghost";
    this.model.show({ rows, cols, cells, tones, heat, labels, lit });
  }

  /** @param {string[]} tones @param {(number | null)[]} heat @param {string[]} labels @param {any[]} lit */
  showPast(tones, heat, labels, lit) {
    const { position, found } = /** @type {any} */ (this.review);
    if (!this.proof) {
      position.toneProved(tones, found);
      if (!found.safe.length)
        for (let at = 0; at < tones.length; at++) {
          const risk = found.probabilities[Math.floor(at / position.cols)][at % position.cols];
          if (risk === null || tones[at]) continue;
          heat[at] = risk;
          labels[at] = brief(risk);
        }
    }
    for (const cell of this.lastTurn)
      if (this.position.at(cell) === EXPLODED) lit.push([...cell, "conflict"]);
  }

  /** @param {Int8Array} cells @param {string[]} tones */
  showLayout(cells, tones) {
    const { game } = this;
    game.layout.forEach((/** @type {string} */ row, /** @type {number} */ r) => {
      for (let col = 0; col < game.cols; col++) {
        const at = r * game.cols + col;
        if (row[col] === "*" && cells[at] === HIDDEN) {
          if (game.status === "won") cells[at] = MARKED;
          else tones[at] = "layout";
        }
        if (row[col] !== "*" && cells[at] === MARKED) tones[at] = "wrong";
      }
    });
  }
}

/** @param {string} key @param {number} cols */
function index(key, cols) {
  const [row, col] = key.split(",").map(Number);
  return row * cols + col;
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
    ? ` Where reasoning ends, the chance to win is ${graded.win.exact ? "" : "about "}${percent(graded.win.win_chance)}.`
    : "";
  return `From that first cell this board cannot be won without a guess; play by the lowest risk meets ${guesses}.${chance}`;
}
