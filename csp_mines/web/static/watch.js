/** Watch: one agent plays, or two agents on the same layout, step by step or fast. Lists their moves and reasons. */

import { ask } from "./api.js";
import { MARKED, render } from "./board.js";
import { gridOptions, levelOptions, middleLevel, STARTS } from "./choices.js";
import {
  busy,
  button,
  div,
  field,
  fields,
  h,
  icon,
  keep,
  kept,
  note,
  number,
  percent,
  plural,
  row,
  select,
  slider,
  span,
  within,
} from "./dom.js";
import { Layers, minesOf } from "./layers.js";
import { Model } from "./model.js";
import { Position } from "./position.js";
import { zoomButtons } from "./view.js";

/** @typedef {import("./board.js").Cell} Cell */

const SPEEDS = [1, 3, 8, 25, 80]; // steps a second
const LISTED = 60; // steps that the list shows at most

/** One agent's game: its moves, and the board after any of them. */
class Track {
  /** @param {any} game */
  constructor(game) {
    this.game = game;
    this.at = 0;
    /** @type {any} */
    this.place = null; // the element around the board
    this.begin = this.position = Position.beginning(game);
    this.model = new Model(this.begin, `game of ${game.agent}`);
  }

  get steps() {
    return this.game.moves.length;
  }

  /** @param {number} to */
  go(to) {
    to = within(0, to, this.steps);
    if (to < this.at) {
      this.position = this.begin;
      this.at = 0;
    }
    const moves = this.game.moves.slice(this.at, to);
    this.position = this.position.with(moves.flatMap(changes));
    this.at = to;
    this.show();
  }

  show() {
    const layers = new Layers(this.position);
    const move = this.game.moves[this.at - 1];
    if (this.at === this.steps)
      layers.showHidden(minesOf(this.game.layout.slice(-this.game.rows)), "ghost");
    if (move) {
      layers.ring(move.clues, "clue");
      layers.ring([move.cell], move.kind === "guess" ? "conflict" : "target");
    }
    this.model.show({ ...layers });
    if (move) this.follow(move.cell);
  }

  /** Scrolls the board, and not the page, to a cell. @param {Cell} cell */
  follow([row, col]) {
    const at = this.place.querySelector(`[id$="-${row}-${col}"]`);
    const board = this.place.firstElementChild;
    if (!at) return;
    const [{ left, right }, box] = [at, board].map((element) => element.getBoundingClientRect());
    if (left < box.left || right > box.right)
      board.scrollLeft += (left + right - box.left - box.right) / 2;
  }
}

/** The name of an agent for people, with its identifier. @param {import("./choices.js").Choices} known @param {string} agent */
const titleOf = ({ titles }, agent) => (titles[agent] ? `${titles[agent]} (${agent})` : agent);

/** What a move changes on the board. @param {any} move @returns {[Cell, number][]} */
function changes(move) {
  const opened = move.opened.map((/** @type {Cell} */ cell, /** @type {number} */ at) => [
    cell,
    move.codes[at],
  ]);
  return move.kind === "mark" ? [[move.cell, MARKED], ...opened] : opened;
}

/** @param {any} move @param {Position} position */
function described(move, position) {
  const cell = position.label(move.cell);
  if (move.kind === "mark") return ["Mark", `${cell} is a mine: ${move.reason}`];
  const shown = move.shown === "X" ? "a mine" : move.shown === "C" ? "safe" : String(move.shown);
  const more = move.opened.length > 1 ? `, ${plural(move.opened.length, "cell")} open` : "";
  const risk = move.risk === null ? "" : `, risk ${percent(move.risk)}`;
  const heads = /** @type {Record<string, string>} */ ({
    guess: "Guess",
    deduced: "Open",
    start: "Start",
  });
  return [heads[move.kind] || move.kind, `${cell} shows ${shown}${more}: ${move.reason}${risk}`];
}

export class Watch {
  /** @param {import("./choices.js").Choices} known */
  constructor(known) {
    this.known = known;
    this.el = h("section", { class: "view", "aria-label": "Watch" });
    this.choice = kept("watch", {
      agent: known.default_agent,
      other: "",
      level: middleLevel(known.levels),
      start: "zero",
      seed: 7,
      speed: 2,
    });
    /** @type {Track[]} */
    this.tracks = [];
    /** The functions that remove the boards that are shown. @type {(() => void)[]} */
    this.closers = [];
    this.at = 0;
    this.asked = 0; // number of the newest request: older answers are not shown
    this.running = false;
    this.build();
  }

  build() {
    this.boards = div("boards");
    this.results = h("div", { class: "card status", "aria-live": "off" });
    this.list = h("ol", { class: "moves", tabIndex: 0, "aria-label": "Steps" });
    this.el.append(
      div("stage", h("h1", { class: "spoken" }, "Watch agents play"), this.boards, this.player()),
      h(
        "section",
        { class: "panel", "aria-label": "Agents" },
        this.results,
        this.options(),
        div("card", h("h2", null, "Steps"), this.list),
      ),
    );
  }

  /** The buttons and sliders that go through a game. */
  player() {
    const { choice } = this;
    this.runButton = button(
      "primary",
      "Play or pause (space)",
      () => this.setRunning(!this.running),
      "Play",
    );
    this.slider = slider("Step", 1, 0, (value) => this.jump(value));
    this.count = span("number count");
    const speed = slider("Speed", SPEEDS.length - 1, choice.speed, (value) => {
      choice.speed = value;
      keep("watch", choice);
      if (this.running) this.setRunning(true);
    });
    return div(
      "player",
      icon("To the start", "«", () => this.jump(0)),
      icon("Previous step", "‹", () => this.jump(this.at - 1)),
      this.runButton,
      icon("Next step", "›", () => this.jump(this.at + 1)),
      icon("To the end", "»", () => this.jump(this.longest)),
      this.slider,
      this.count,
      h("label", { class: "speed" }, "Speed", speed),
    );
  }

  /** The fields that choose the agents and the game. */
  options() {
    const { choice, known } = this;
    /** @param {string} key */
    const change = (key) => (/** @type {string} */ value) => {
      /** @type {any} */ (choice)[key] = value;
      this.play();
    };
    const agents = known.agents.map((agent) => [agent, titleOf(known, agent)]);
    const agent = select(agents, choice.agent, change("agent"));
    const other = select([["", "none"], ...agents], choice.other, change("other"));
    this.level = select(
      [...levelOptions(known.levels), ["shape", "The shape drawn in Analyse"]],
      choice.level,
      change("level"),
    );
    const grids = gridOptions(known.grids);
    this.grid = select(grids, choice.grid || grids[0][0], change("grid"));
    this.showLevel();
    const start = select(STARTS, choice.start, change("start"));
    this.seed = number(0, 999999999, choice.seed, (value) => {
      choice.seed = Math.max(0, Math.round(value || 0));
      this.play();
    });
    const another = () => {
      this.seed.value = choice.seed = Math.floor(Math.random() * 1e6);
      this.play();
    };
    return div(
      "card",
      fields(
        field("Agent", agent, "", "whole"),
        field("Compare with", other, "", "whole"),
        field("Level", this.level),
        field("Grid", this.grid, "Which cells a number counts"),
        field("The first cell", start),
        field("Seed", this.seed),
      ),
      row(
        button("quiet", "With another seed", another, "Another layout"),
        button("quiet", "What follows from it", () => this.analyse(), "Analyse this position"),
        zoomButtons(() => this.tracks.map(({ model }) => model)),
      ),
    );
  }

  /** Shows another view with something in it; `app.js` sets this. @param {string} view @param {any} what */
  bridge(view, what) {}

  /** Shows the chosen level. No grid can be chosen for a drawn shape, which has its own. */
  showLevel() {
    const { level, shape } = this.choice;
    this.level.value = level;
    this.level.lastElementChild.hidden = !shape;
    this.grid.disabled = level === "shape";
  }

  /** Lets the agent play on a shape. @param {{shape: object}} given */
  take({ shape }) {
    Object.assign(this.choice, { level: "shape", shape });
    return this.play();
  }

  analyse() {
    if (this.tracks.length) this.bridge("analyse", this.tracks[0].position);
  }

  async open() {
    if (!this.tracks.length) await this.play();
  }

  close() {
    this.setRunning(false);
  }

  get longest() {
    return Math.max(0, ...this.tracks.map((track) => track.steps));
  }

  async play() {
    const { choice } = this;
    keep("watch", choice);
    this.showLevel();
    this.setRunning(false);
    this.results.replaceChildren(note("The game is being played …"));
    const asked = ++this.asked;
    const agents = [choice.agent, choice.other].filter(Boolean);
    const { grid, level, seed, shape, start } = choice;
    const size = level === "shape" ? shape : { level, grid };
    const games = await Promise.all(
      agents.map((agent) => ask("play", { ...size, agent, start, seed })),
    );
    if (asked !== this.asked) return;
    const refused = games.find((game) => game.error);
    if (refused) return this.tellRefused(refused.error);
    for (const close of this.closers.splice(0)) close();
    this.tracks = games.map((game) => new Track(game));
    this.boards.replaceChildren(
      ...this.tracks.map((track) => {
        const place = (track.place = div("board-place"));
        const caption = h("figcaption", null, titleOf(this.known, track.game.agent));
        const figure = h("figure", null, this.tracks.length > 1 ? caption : null, place);
        queueMicrotask(() => this.closers.push(render({ model: track.model, el: place })));
        return figure;
      }),
    );
    this.boards.classList.toggle("two", this.tracks.length > 1);
    this.el.classList.toggle("wide", this.tracks.length > 1);
    this.slider.max = this.longest;
    this.go(0);
  }

  /** @param {string} why */
  tellRefused(why) {
    this.results.replaceChildren(
      h("h2", { class: "bad" }, "No game"),
      h("p", null, why),
      row(button("primary", "", () => this.play(), "Try again")),
    );
  }

  /** @param {number} to */
  jump(to) {
    this.setRunning(false);
    this.go(to);
  }

  /** @param {number} to */
  go(to) {
    this.at = within(0, to, this.longest);
    for (const track of this.tracks) track.go(this.at);
    this.slider.value = this.at;
    this.count.textContent = `${this.at} / ${this.longest}`;
    this.tell();
    if (this.at === this.longest) this.setRunning(false);
  }

  tell() {
    this.results.replaceChildren(
      ...this.tracks.map((track) => {
        const { game } = track;
        const done = track.at === track.steps;
        const words = done ? (game.won ? "Won" : "Lost") : "Playing";
        const detail = done
          ? `${plural(game.guesses, "guess", "guesses")}, ${plural(game.deduced, "cell")} proved`
          : track.at
            ? described(game.moves[track.at - 1], track.begin)[1]
            : `${plural(track.steps, "step")}`;
        return div(
          "result",
          h("h2", { class: done ? (game.won ? "good" : "bad") : "" }, words),
          h("p", null, titleOf(this.known, game.agent)),
          note(detail),
        );
      }),
    );
    const first = this.tracks[0];
    if (!first) return;
    const from = Math.max(0, first.at - LISTED);
    this.list.replaceChildren(
      ...first.game.moves
        .slice(from, first.at)
        .map((/** @type {any} */ move) => {
          const [head, rest] = described(move, first.begin);
          return h(
            "li",
            { value: move.number, class: move.kind },
            h("strong", null, head),
            ` ${rest}`,
          );
        })
        .reverse(),
    );
  }

  /** @param {boolean} on */
  setRunning(on) {
    clearInterval(this.timer);
    if (on && this.at >= this.longest) this.go(0);
    this.running = on;
    this.runButton.textContent = on ? "Pause" : "Play";
    if (on) this.timer = setInterval(() => this.go(this.at + 1), 1000 / SPEEDS[this.choice.speed]);
  }

  /** @param {KeyboardEvent} key */
  key(key) {
    if (busy(key)) return;
    if (document.activeElement?.matches("button, input, summary")) return;
    if (key.key === " ") this.setRunning(!this.running);
    else if (key.key === ".") this.jump(this.at + 1);
    else if (key.key === ",") this.jump(this.at - 1);
    else return;
    key.preventDefault();
  }
}
