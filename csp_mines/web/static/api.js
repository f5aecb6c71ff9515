/** Sends requests to the server. A request without an answer is sent again. If requests follow each
 * other quickly, only the newest one counts. */

import { say, unsay } from "./dom.js";
import { isUnknownGrid, learnGrids } from "./position.js";

const PATIENCE = 150; // milliseconds after which a request is ended if a newer one waits
const PAUSES = [200, 400, 800, 1500, 2500]; // milliseconds before each attempt; later ones wait like the last
export const ATTEMPTS = 25; // in about a minute
const UNANSWERED = "The server does not answer. Is csp-mines web still running?";

/**
 * Sends a request to a route once. If it fails, the result has `error`, and `unanswered` if no answer
 * came at all. If it is aborted, the result is null.
 * @param {string} route @param {object} body @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function askOnce(route, body, signal) {
  let answer;
  try {
    answer = await fetch(`/api/${route}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    const document = await answer.json();
    return document.error ? { ...document, status: answer.status } : document;
  } catch (error) {
    if (signal?.aborted) return null;
    const words = `The server answered with status ${answer?.status} and no message.`;
    return answer?.ok === false ? { error: words } : { error: UNANSWERED, unanswered: true };
  }
}

/**
 * Sends a request to a route. If no answer comes, tells the user and sends it again; so the route must
 * give the same answer when it is asked twice. If the server refuses the request, the answer has
 * `error`.
 * @param {string} route @param {object} body @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(route, body, signal) {
  for (let attempt = 0; ; attempt++) {
    const answer = await askOnce(route, body, signal);
    if (!answer?.unanswered || attempt >= ATTEMPTS) {
      if (attempt && answer && !answer.unanswered) answered();
      if (route !== "grid" && isUnknownGrid(answer?.grid)) return learned(answer, signal);
      return answer;
    }
    await pause(attempt);
    if (signal?.aborted) return null;
  }
}

/** Asks for the description of the grid that an answer names. Returns the given answer, or an error. @param {any} answer @param {AbortSignal} [signal] @returns {Promise<any>} */
async function learned(answer, signal) {
  const grid = await ask("grid", { grid: answer.grid }, signal);
  if (!grid || grid.error) return grid;
  learnGrids([grid]);
  return answer;
}

/** Removes the message of `pause`: an answer came. */
export const answered = () => unsay(UNANSWERED);

/** Says that the connection is lost, and waits before the next attempt. @param {number} attempt */
export function pause(attempt) {
  say(UNANSWERED, "bad", "Trying again …");
  const milliseconds = PAUSES[Math.min(attempt, PAUSES.length - 1)];
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
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

/** Sends one request at a time. If a newer request follows, the older one gives null, and is ended if it takes long. */
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

  /** Makes all requests so far give null. */
  cancel() {
    this.turn++;
    this.release();
  }

  /** Wakes the request that waits. It goes on if it is still the newest. */
  release() {
    const { waiting } = this;
    this.waiting = null;
    waiting?.();
  }
}
