/** The review of a recorded game: the curve of the chance to win, each move with its board, risks
 * and reason, and the mistakes. */

import { ask, Newest } from "./api.js";
import { shape } from "./board.js";
import {
  busy,
  button,
  div,
  figures,
  h,
  icon,
  note,
  percent,
  plural,
  row,
  slider,
  span,
  within,
} from "./dom.js";
import { Layers } from "./layers.js";
import { Position } from "./position.js";
import { gradeWords } from "./proof.js";
import { BoardView, zoomButtons } from "./view.js";

/** @typedef {import("./board.js").Cell} Cell */

const [WIDE, HIGH] = [600, 120]; // units of the curve
const VERDICTS = /** @type {Record<string, string>} */ ({
  proved: "Proved safe",
  forced: "A forced guess",
  needless: "A needless guess",
});

export class Review extends BoardView {
  /** @param {import("./choices.js").Choices} known */
  constructor(known) {
    const blank = Position.blank(known.levels[0]);
    super("Review", "game", known, blank);
    this.position = blank;
    /** @type {any} */
    this.report = null;
    /** @type {any} */
    this.analysis = null;
    this.newest = new Newest();
    this.asked = 0; // number of the newest game: older reviews are not shown
    this.at = 0;
    this.build();
  }

  build() {
    this.title = h("h1", null, "Review a game");
    this.curve = div("curve");
    this.summary = h("div", { class: "card", hidden: true });
    this.player = this.controls();
    this.file = h("input", {
      type: "file",
      "aria-label": "A recorded game",
      onchange: () => this.file.files[0] && this.receive({ file: this.file.files[0] }),
    });
    this.curve.append(
      note("Every move with its risks and its reason, and where you lost chances."),
    );
    this.lay([this.title, this.curve, this.player, this.boardPlace], "The move", [this.summary]);
    this.player.hidden = this.boardPlace.hidden = true;
    this.tell(
      "",
      "Drop a recorded game",
      note(
        "A log of csp-mines play, or a recording: AVF, EVF, RMV, MVF or RAWVF. Games that you " +
          "finish under Play can be reviewed there.",
      ),
      row(this.file),
    );
  }

  controls() {
    this.slider = slider("Move", 1, 0, (value) => this.go(value));
    this.nextMistake = button(
      "primary",
      "The next needless guess or fault (m)",
      () => this.mistake(),
      "Next mistake",
    );
    this.count = span("number count");
    return div(
      "player",
      icon("First move", "«", () => this.go(0)),
      icon("Previous move", "‹", () => this.go(this.at - 1)),
      icon("Next move", "›", () => this.go(this.at + 1)),
      icon("Last move", "»", () => this.go(this.last)),
      this.nextMistake,
      this.slider,
      this.count,
      zoomButtons(() => [this.model]),
    );
  }

  /** The moves of the game, as the server judged them. @returns {any[]} */
  get moves() {
    return this.report?.moves || [];
  }

  get last() {
    return Math.max(0, this.moves.length - 1);
  }

  open() {}

  /** Reviews a game. @param {{body: object}} given the fields of the request */
  async take({ body }) {
    this.tell("", "Reviewing the game …", note("This takes a few seconds."));
    const asked = ++this.asked;
    const report = await ask("review", body);
    if (asked !== this.asked) return;
    if (report.error || !report.moves.length) {
      const why = report.error || "The game has no move.";
      return this.tellBad("No review", why, this.file);
    }
    this.report = report;
    this.slider.max = this.last;
    this.nextMistake.disabled = !report.moves.some(isMistake);
    this.player.hidden = this.boardPlace.hidden = this.summary.hidden = false;
    this.title.textContent = `Review of ${report.game}`;
    this.tellSummary();
    this.drawCurve();
    const first = this.moves.findIndex((move) => move.fault);
    await this.go(Math.max(0, first));
  }

  tellSummary() {
    const { report } = this;
    const end = report.won ? "Won" : "Lost";
    const pairs = [
      ["Accuracy", report.accuracy === null ? "–" : percent(report.accuracy)],
      ["Points lost", report.lost === null ? "–" : (100 * report.lost).toFixed(1)],
      ["Luck", report.luck === null ? "–" : signed(100 * report.luck)],
      ["Forced guesses", String(report.forced)],
      ["Needless guesses", String(report.needless)],
      ["3BV", String(report.three_bv)],
    ];
    if (report.wrong_marks) pairs.push(["Wrong flags", String(report.wrong_marks)]);
    if (report.efficiency) pairs.push(["Efficiency", percent(report.efficiency)]);
    this.summary.replaceChildren(
      h("h2", null, report.won === null ? "Unfinished" : end),
      figures(pairs),
      note(
        `${plural(report.inaccuracies, "inaccuracy", "inaccuracies")}, ` +
          `${plural(report.mistakes, "mistake")}, ${plural(report.blunders, "blunder")}.`,
      ),
      report.note ? note(report.note) : "",
    );
  }

  /** The chance to win before each guess and after it; marks at guesses and faults. */
  drawCurve() {
    const { moves, report } = this;
    const guesses = moves.filter((move) => move.before !== null);
    if (!guesses.length) return this.curve.replaceChildren(note("No guess: reasoning was enough."));
    const x = (/** @type {number} */ turn) => (WIDE * (turn - 0.5)) / moves.length;
    const y = (/** @type {number} */ chance) => HIGH - 6 - (HIGH - 12) * within(0, chance, 1);
    const made = shape("svg", {
      viewBox: `0 0 ${WIDE} ${HIGH}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": "The chance to win, move by move",
    });
    const points = [`0,${y(guesses[0].before)}`];
    for (const guess of guesses) {
      points.push(`${x(guess.turn)},${y(guess.before)}`, `${x(guess.turn)},${y(guess.chance)}`);
      if (guess.after !== null) points.push(`${x(guess.turn)},${y(guess.after)}`);
    }
    points.push(`${WIDE},${y(report.result ?? guesses[guesses.length - 1].after ?? 0)}`);
    made.append(
      shape("path", { class: "middle", d: `M0 ${y(0.5)}H${WIDE}` }),
      shape("polyline", { points: points.join(" ") }),
      ...guesses.map((guess) => {
        const kind = guess.fault || guess.verdict;
        const d = `M${x(guess.turn)} ${y(guess.chance)}h0`;
        return shape("path", { class: `dot ${kind}`, d });
      }),
      (this.here = shape("path", { class: "here" })),
    );
    made.addEventListener("click", (/** @type {MouseEvent} */ event) => {
      const box = made.getBoundingClientRect();
      this.go(Math.floor((moves.length * (event.clientX - box.left)) / box.width));
    });
    this.curve.replaceChildren(made);
  }

  /** Shows the board before a move, and what the review says about the move. @param {number} to */
  async go(to) {
    if (!this.report) return;
    this.at = within(0, to, this.last);
    const move = this.moves[this.at];
    this.slider.value = this.at;
    this.count.textContent = `${this.at + 1} of ${this.last + 1}`;
    const x = (WIDE * (this.at + 0.5)) / (this.last + 1);
    this.here?.setAttribute("d", `M${x} 0V${HIGH}`);
    this.tellMove(move);
    const answers = await Promise.all([
      ask("read", { text: move.board }),
      this.newest.ask("analyze", { board: move.board, ignore_marks: true }),
    ]);
    const [board, analysis] = answers;
    if (!analysis || board.error || move !== this.moves[this.at]) return;
    this.position = Position.of(board);
    this.analysis = analysis;
    if (this.position.grid.names) this.tellMove(move); // now the names of its cells are known
    this.refresh();
    this.model.set("reveal", [move.cell]);
  }

  /** @param {any} move */
  tellMove(move) {
    const label = (/** @type {Cell} */ cell) => this.position.label(cell);
    const words = [];
    if (move.verdict === "proved")
      words.push(move.grade ? `It needs ${gradeWords(move.grade)}.` : "");
    else if (move.risk !== null) words.push(`The risk was ${percent(move.risk)}.`);
    if (move.easiest)
      words.push(`${label(move.easiest.cell)} was proved safe: ${move.easiest.text}`);
    if (move.verdict === "forced" && move.reference)
      words.push(`The best cell was ${label(move.reference.cell)}: ${move.reference.reason}.`);
    if (move.lost !== null && move.before !== null)
      words.push(
        `The chance to win was ${percent(move.before)}; with this cell ${percent(within(0, move.chance, 1))}.`,
      );
    const play = () => this.bridge("play", { position: this.position });
    const kind = move.mine || move.fault ? "bad" : move.verdict === "proved" ? "good" : "";
    const head = `${VERDICTS[move.verdict]}: ${label(move.cell)}`;
    this.tell(
      kind,
      move.fault ? `${head} (${move.fault})` : head,
      move.mine ? h("p", null, "It was a mine.") : null,
      ...words.filter(Boolean).map((sentence) => h("p", null, sentence)),
      row(
        this.analyseButton(() => this.position),
        button("quiet", "", play, "Play from here"),
      ),
    );
  }

  /** Goes to the next needless guess or fault; after the last, to the first. */
  mistake() {
    const { moves } = this;
    const next = moves.findIndex((move, at) => at > this.at && isMistake(move));
    const to = next >= 0 ? next : moves.findIndex(isMistake);
    if (to >= 0) this.go(to);
  }

  /** @param {KeyboardEvent} key */
  key(key) {
    if (busy(key) || !this.report) return;
    if (document.activeElement?.matches("input")) return;
    if (key.key === "." || key.key === "ArrowRight") this.go(this.at + 1);
    else if (key.key === "," || key.key === "ArrowLeft") this.go(this.at - 1);
    else if (key.key === "m") this.mistake();
    else return;
    key.preventDefault();
  }

  refresh() {
    if (!this.report) return;
    const move = this.moves[this.at];
    const layers = new Layers(this.position);
    const risks = this.analysis?.probabilities;
    if (risks) {
      layers.prove(this.analysis);
      layers.warm(risks);
    }
    layers.tone(move.wrong_marks, "wrong");
    if (move.reference) layers.ring([move.reference.cell], "move");
    if (move.easiest) layers.ring([move.easiest.cell], "so safe");
    layers.ring([move.cell], move.verdict === "proved" ? "target" : "conflict");
    this.model.show({ ...layers });
  }
}

/** Whether a move is a fault or a needless guess. @param {any} move */
const isMistake = (move) => move.fault || move.verdict === "needless";

/** A number with its sign: +12.3, −4.0. @param {number} value */
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
