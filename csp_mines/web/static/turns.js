/** The turns of a game that the server holds. They wait in a queue and are sent one after the other,
 * so that nothing is lost while an answer is on its way, or the connection is down. A game that the
 * server no longer has is made again from its turns. */

import { answered, ask, askOnce, ATTEMPTS, pause } from "./api.js";

const BUSY = 503; // the status of an answer that says that the server has too much to do

/** @typedef {import("./board.js").Cell} Cell */
/** What the server is asked to do. `deed` is the click that asked for it. @typedef {{open?: Cell[], undo?: boolean, give_up?: boolean, deed?: any}} Turn */
/** A game, the request that began it, and its turns. An empty turn means that the turn before was taken back. @typedef {{game: any, deal: object, made: Cell[][]}} Kept */
/**
 * @typedef {object} Owner
 * @property {(turn: Turn) => Turn | null} ready returns what is left to do of a turn, or null
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
    /** @type {any} */
    this.deal = {};
    /** @type {Cell[][]} */
    this.made = [];
    this.sending = false;
  }

  /** Begins another game: turns of the one before are dropped. @param {Kept} kept */
  begin({ game, deal, made }) {
    this.game = game;
    this.deal = deal;
    this.made = made;
    this.queue = [];
  }

  /** Takes up a game that the browser has kept. Returns whether it goes on. @param {Kept} kept */
  async resume(kept) {
    const now = await ask("play", { game: kept.game.game });
    const game = now.status === 410 ? await revived(kept) : now;
    if (game.status !== "playing") return false;
    this.begin({ ...kept, game });
    return true;
  }

  /** What the browser has to keep, so that the game goes on after a reload or on a new server. @returns {Kept} */
  get kept() {
    const { game, deal, made } = this;
    return { game, deal, made };
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

  async send() {
    if (this.sending) return;
    this.sending = true;
    while (this.queue.length) {
      const { game: token } = this.game;
      const turn = this.owner.ready(this.queue[0]);
      let game = turn && (await this.deliver(turn));
      if (token !== this.game.game) continue; // another game has begun meanwhile
      if (game?.status === 410) {
        game = await revived(this.kept);
        if (token !== this.game.game) continue;
        if (!game.error) this.game = game;
        if (!game.error) continue; // the turn is sent again
      }
      if (game?.error) {
        if (!game.unanswered) this.queue = [];
        this.sending = false;
        return this.owner.refused(game);
      }
      const { deed } = /** @type {Turn} */ (this.queue.shift());
      if (!turn) continue;
      this.game = game;
      this.made.push(turn.open || []);
      if (game.status !== "playing") this.queue = [];
      this.owner.took(game, { ...turn, deed });
    }
    this.sending = false;
  }

  /** Sends a turn. If no answer comes, asks whether the server made the turn, and sends it again if not. @param {Turn} turn */
  async deliver(turn) {
    const { game, status, turns } = this.game;
    for (let attempt = 0; ; attempt++) {
      const answer = await askOnce("play", { game, ...turn });
      const busy = answer.status === BUSY;
      if (!(answer.unanswered || busy) || attempt === ATTEMPTS) {
        if (attempt) answered();
        return answer;
      }
      await pause(attempt);
      if (busy) continue; // the server has not made the turn
      const now = await ask("play", { game });
      if (now.error || now.turns !== turns || now.status !== status) return now;
    }
  }
}

/** Makes a game again that the server has lost. Returns the game, or an error. @param {Kept} kept */
async function revived({ game, deal, made }) {
  const again = await ask("play", { ...deal, turns: made });
  if (again.error || again.board.join() === game.board.join()) return again;
  return { error: "The server lost this game and can make only another board.", status: 410 };
}
