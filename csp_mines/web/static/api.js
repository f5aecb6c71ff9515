// @ts-check
/** Asking the server: one call a route, and for what changes as one draws, only the newest counts. */

const PATIENCE = 150; // milliseconds that old work may still take when something newer is wanted

/**
 * Asks a route. An answer that is a refusal has `error`.
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
      : { error: `The server answered ${answer.status} without words.` };
  }
}

/** Asks one thing at a time. What is superseded is answered by null, and ended if it takes long. */
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

  /** Lets whoever waits look whether it is their turn. */
  release() {
    const { waiting } = this;
    this.waiting = null;
    waiting?.();
  }
}
