/** Learn: lessons about patterns, and drills. Each exercise is a position with a question. The answer
 * is judged at once, with the proof of what the learner missed. */

import { ask } from "./api.js";
import { HIDDEN } from "./board.js";
import { capitalised } from "./choices.js";
import { busy, button, div, h, keep, kept, keyName, name, note, row, span } from "./dom.js";
import { Layers } from "./layers.js";
import { LESSONS } from "./lessons.js";
import { Position } from "./position.js";
import { gradeWords } from "./proof.js";
import { BoardView } from "./view.js";

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {import("./lessons.js").Lesson} Lesson */
/** @typedef {{lesson: Lesson} | {grade: string}} Task a lesson, or a drill of a grade */
/** @typedef {{right: number, wrong: number, streak: number}} Tally */

const QUESTIONS = {
  safe: "Find a safe cell",
  mine: "Find a cell that is a mine",
  none: "Which cell is safe?",
};

export class Learn extends BoardView {
  /** @param {import("./choices.js").Choices} known */
  constructor(known) {
    const blank = Position.blank({ rows: 3, cols: 3, mines: null });
    super("Learn", "exercise", known, blank);
    this.position = blank;
    this.progress = kept("learn", { lessons: {}, drills: {} });
    /** @type {Task} */
    this.task = { lesson: LESSONS[0] };
    /** @type {any} */
    this.analysis = null;
    this.answered = false;
    this.begun = false;
    this.build();
  }

  build() {
    this.title = h("h1", null, "Learn");
    this.words = h("p", { class: "lesson-words" });
    this.none = button(
      "quiet",
      "No cell is proved safe (0)",
      () => this.answer(null),
      "None is safe",
    );
    this.show = button("quiet", "Show the proof", () => this.reveal(), "Show me");
    this.next = button("primary", "The next one (n)", () => this.goOn(), "Next one");
    this.lessonList = h("ol", { class: "lessons" });
    this.drillList = h("ul", { class: "drills" });
    this.lay(
      [
        this.title,
        this.words,
        this.boardPlace,
        row(this.none, this.show, span("spring"), this.next),
      ],
      "Exercise",
      [
        div("card", h("h2", null, "Lessons"), this.lessonList),
        div("card", h("h2", null, "Drills"), this.drillList),
      ],
    );
    this.fillLists();
  }

  /** The lists of lessons and drills, with the results. */
  fillLists() {
    const { task } = this;
    const current = "lesson" in task ? task.lesson.id : task.grade;
    this.lessonList.replaceChildren(
      ...LESSONS.map((lesson) =>
        h(
          "li",
          { class: this.progress.lessons[lesson.id] ? "done" : "" },
          this.choice(lesson.title, lesson.id === current, () => this.begin({ lesson })),
        ),
      ),
    );
    this.drillList.replaceChildren(
      ...this.known.grades.map(({ name: grade, words }) => {
        const { right, streak, wrong } = this.tally(grade);
        const count = right + wrong ? `${right} of ${right + wrong}, ${streak} in a row` : "";
        return h(
          "li",
          null,
          this.choice(capitalised(words), grade === current, () => this.begin({ grade })),
          span("quietly number", count),
        );
      }),
    );
  }

  /** @param {string} words @param {boolean} current @param {() => void} act */
  choice(words, current, act) {
    const made = button("plain", "", act, words);
    if (current) made.setAttribute("aria-current", "true");
    return made;
  }

  /** @param {string} grade @returns {Tally} */
  tally(grade) {
    return this.progress.drills[grade] || { right: 0, wrong: 0, streak: 0 };
  }

  async open() {
    if (this.begun) return;
    const lesson = LESSONS.find(({ id }) => !this.progress.lessons[id]);
    await this.begin(lesson ? { lesson } : { grade: this.known.grades[0].name });
  }

  /** Begins a lesson or a drill. @param {Task} task */
  async begin(task) {
    this.begun = true;
    this.task = task;
    this.answered = true; // until the position is there, there is nothing to answer
    const report = await this.fetched(task);
    if (task !== this.task) return;
    if (report.error) return this.tellFailed(report.error);
    this.position = Position.of(report);
    this.analysis = await ask("analyze", this.position.request);
    if (task !== this.task) return;
    this.answered = false;
    this.hush();
    this.title.textContent = "lesson" in task ? task.lesson.title : "Drill";
    this.words.textContent =
      "lesson" in task ? task.lesson.words : `The next step needs ${gradeWords(task.grade)}.`;
    this.show.disabled = this.none.disabled = false;
    this.tell("", QUESTIONS[this.find], note("Choose a cell of the board."));
    this.model.set("cursor", [0, 0]);
    this.fillLists();
    this.refresh();
    scrollTo(0, 0); // on a phone, the lists are below the board
  }

  /** The position of a lesson or a new drill. @param {Task} task */
  fetched(task) {
    if ("lesson" in task) return ask("read", { text: task.lesson.board });
    return ask("generate", { drill: task.grade, seed: Math.floor(Math.random() * 1e9) });
  }

  /** @param {string} why */
  tellFailed(why) {
    const again = button("primary", "", () => this.begin(this.task), "Try again");
    this.tellBad("No exercise", why, again);
  }

  /** What the learner has to find: a "safe" cell, a "mine", or that "none" is safe. */
  get find() {
    return "lesson" in this.task ? this.task.lesson.find : "safe";
  }

  /** Judges an answer: a cell, or null for "none is safe". @param {Cell | null} cell */
  async answer(cell) {
    if (this.answered || !this.analysis || (cell && this.position.at(cell) !== HIDDEN)) return;
    const { certain_mines: mines, safe } = this.analysis;
    const has = (/** @type {Cell[]} */ cells) =>
      cell && cells.some((other) => name(other) === name(cell));
    const right = cell
      ? has(this.find === "mine" ? mines : safe)
      : !safe.length && this.find !== "mine";
    this.answered = true;
    this.record(!!right);
    const verdict = right ? "Right" : !cell ? "Some cell is safe" : this.wrongWords(cell, has);
    this.tell(right ? "good" : "bad", verdict, note(right ? "" : "You missed this:"));
    await this.explainAnswer(right && cell ? cell : null);
  }

  /** Why an answer is wrong. @param {Cell} cell @param {(cells: Cell[]) => any} has */
  wrongWords(cell, has) {
    const { certain_mines: mines, safe } = this.analysis;
    if (has(mines)) return "This cell is a mine";
    if (has(safe)) return "This cell is safe";
    const risk = this.analysis.probabilities[cell[0]][cell[1]];
    return `Nothing proves this cell: its risk is ${Math.round(risk * 100)} %`;
  }

  /** Shows the proof before an answer. This counts as a wrong answer. */
  async reveal() {
    if (this.answered) return;
    this.answered = true;
    this.record(false);
    this.tell("", "This is the step");
    await this.explainAnswer(null);
  }

  /** Explains a cell, or the easiest step. @param {Cell | null} cell */
  async explainAnswer(cell) {
    const { position, task } = this;
    this.show.disabled = this.none.disabled = true;
    const wanted = cell || ("lesson" in task ? task.lesson.cell : null);
    const body = wanted ? { cell: wanted } : { hint: true };
    const explanation = await ask("explain", { ...position.request, ...body });
    if (task !== this.task || explanation.error) return;
    const next = button("primary again", "The next one (n)", () => this.goOn(), "Next one");
    this.tellWhy(this.explained(explanation, position), next);
    this.refresh();
    this.model.set("reveal", [explanation.cell, ...explanation.clues]);
  }

  /** Keeps the result of an exercise in this browser. @param {boolean} right */
  record(right) {
    const progress = (this.progress = kept("learn", this.progress)); // another tab may have changed it
    const { task } = this;
    if ("lesson" in task) {
      if (right) progress.lessons[task.lesson.id] = true;
    } else {
      const tally = this.tally(task.grade);
      progress.drills[task.grade] = {
        right: tally.right + Number(right),
        wrong: tally.wrong + Number(!right),
        streak: right ? tally.streak + 1 : 0,
      };
    }
    keep("learn", progress);
    this.fillLists();
  }

  /** The next lesson, or another drill of the same grade. */
  goOn() {
    const { task } = this;
    if (!("lesson" in task)) return this.begin({ grade: task.grade });
    const next = LESSONS[LESSONS.indexOf(task.lesson) + 1];
    return this.begin(next ? { lesson: next } : { grade: this.known.grades[0].name });
  }

  /** @param {any} message */
  hear({ event, cell, button: pressed }) {
    if (event === "press") this.setTyped(false);
    if (event === "press" && pressed === 0 && cell) this.answer(cell);
  }

  /** @param {KeyboardEvent} key */
  key(key) {
    if (busy(key) || this.stepKey(key)) return;
    const letter = keyName(key);
    if (letter === "n") this.goOn();
    else if (letter === "0") this.answer(null);
    else if ((letter === "Enter" || letter === " ") && this.focused) {
      this.answer(this.model.get("cursor"));
    } else return;
    key.preventDefault();
  }

  refresh() {
    const layers = new Layers(this.position);
    layers.explain(this.shown);
    this.model.show({ ...layers });
  }
}
