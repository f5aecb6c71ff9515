// @ts-check
/** The turns of a game that the server holds. They wait in a queue and are sent one after the other,
 * so that nothing is lost while an answer is on its way, or while the connection is down. */

import { answered, ask, askOnce, pause } from "./api.js";

const ATTEMPTS = 25; // about a minute

/** @typedef {import("./board.js").Cell} Cell */
/** @typedef {{open?: Cell[], undo?: boolean, give_up?: boolean}} Turn */
/**
 * @typedef {object} Owner
 * @property {(turn: Turn) => Turn | null} ready what is left to do of a turn; null if nothing is
 * @property {(game: any, turn: Turn) => void} took called with the game after a turn
 * @property {(answer: any) => void} refused called when the server refuses a turn
 */

export class Turns {
  /** @param {Owner} owner */
  constructor(owner) {
    this.owner = owner;
    /** @type {Turn[]} */
    this.queue = [];
    /** @type {any} */
    this.game = null;
    this.sending = false;
  }

  /** Begins another game: turns of the one before are dropped. @param {any} game */
  begin(game) {
    this.game = game;
    this.queue = [];
  }

  /** The cells that will be opened. @returns {Cell[]} */
  get waiting() {
    return this.queue.flatMap(({ open }) => open || []);
  }

  /** @param {Turn} turn */
  push(turn) {
    this.queue.push(turn);
    return this.send();
  }

  /** Sends the turns that wait. */
  async send() {
    if (this.sending) return;
    this.sending = true;
    while (this.queue.length) {
      const { game: token } = this.game;
      const turn = this.owner.ready(this.queue[0]);
      const game = turn && (await this.deliver(turn));
      if (token !== this.game.game) continue; // another game has begun meanwhile
      if (game?.error) {
        if (!game.unanswered) this.queue = [];
        this.sending = false;
        return this.owner.refused(game);
      }
      this.queue.shift();
      if (!turn) continue;
      this.game = game;
      if (game.status !== "playing") this.queue = [];
      this.owner.took(game, turn);
    }
    this.sending = false;
  }

  /** Sends a turn. If no answer comes, asks whether the turn was made before sending it again. @param {Turn} turn */
  async deliver(turn) {
    const { game, status, turns } = this.game;
    for (let attempt = 0; ; attempt++) {
      const answer = await askOnce("play", { game, ...turn });
      if (!answer.unanswered || attempt === ATTEMPTS) {
        if (attempt) answered();
        return answer;
      }
      await pause(attempt);
      const now = await ask("play", { game });
      if (now.error || now.turns !== turns || now.status !== status) return now;
    }
  }
}
