// @ts-check
/** Asking the server. Of requests that follow each other quickly, only the newest counts. */

import { say } from "./dom.js";

const PATIENCE = 150; // milliseconds that an old request may still take when a newer one waits

/**
 * Sends a request to a route. If the server refuses it, the answer has `error`.
 * @param {string} route @param {object} body @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(route, body, signal) {
  let answer;
  try {
    answer = await fetch(`/api/${route}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (signal?.aborted) return null;
    return { error: "The server does not answer. Is csp-mines web still running?" };
  }
  try {
    return await answer.json();
  } catch (error) {
    return signal?.aborted
      ? null
      : { error: `The server answered with status ${answer.status} and no message.` };
  }
}

/**
 * Sends a request to a route. If the server refuses it, shows the error and returns null.
 * @param {string} route @param {object} body @returns {Promise<any>}
 */
export async function request(route, body) {
  const answer = await ask(route, body);
  if (!answer.error) return answer;
  say(answer.error, "bad");
  return null;
}

/** Sends one request at a time. A superseded request gives null, and is ended if it takes long. */
export class Newest {
  constructor() {
    /** @type {{since: number, stop: AbortController} | null} */
    this.running = null;
    /** @type {(() => void) | null} */
    this.waiting = null;
    this.turn = 0;
  }

  /** @param {string} route @param {object} body @returns {Promise<any>} */
  async ask(route, body) {
    const turn = ++this.turn;
    this.release();
    if (this.running) {
      const { since, stop } = this.running;
      const timer = setTimeout(
        () => stop.abort(),
        Math.max(0, PATIENCE - (performance.now() - since)),
      );
      await new Promise((resolve) => (this.waiting = () => resolve(null)));
      clearTimeout(timer);
      if (turn !== this.turn) return null;
    }
    const stop = new AbortController();
    this.running = { since: performance.now(), stop };
    const answer = await ask(route, body, stop.signal);
    this.running = null;
    this.release();
    return turn === this.turn ? answer : null;
  }

  /** Wakes the request that waits. It goes on if it is still the newest. */
  release() {
    const { waiting } = this;
    this.waiting = null;
    waiting?.();
  }
}
