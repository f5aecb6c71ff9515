/** The page: its views, the address that chooses a view, pasted text, dropped files, light and dark. */

import { Analyse } from "./analyse.js";
import { ask } from "./api.js";
import { capitalised } from "./choices.js";
import {
  button,
  dialog,
  h,
  keep,
  kept,
  plain,
  prefersDark,
  row,
  say,
  select,
  theme,
  typing,
  unsay,
} from "./dom.js";
import { givenIn, readGiven } from "./inbox.js";
import { Learn } from "./learn.js";
import { Play } from "./play.js";
import { learnGrids } from "./position.js";
import { learnGrades } from "./proof.js";
import { Review } from "./review.js";
import { Watch } from "./watch.js";

/** The views by their names in the address; empty until the server has sent the choices. */
const views = /** @type {Record<string, any>} */ ({});
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
let current = "";
let received = 0;

/** Shows a view with something in it, such as a position or a layout. @param {string} view @param {any} what */
function go(view, what) {
  views[view].take(what);
  if (view !== current) location.hash = `#/${view}`;
}

/** The view that shows what was pasted or dropped, by its kind. @type {Record<string, string>} */
const TAKERS = { board: "analyse", layout: "play", recording: "review", log: "review" };

/** Everything that is pasted or dropped comes here. @param {import("./inbox.js").Given | null} given @param {string} [format] the notation, if the person named it */
async function receive(given, format) {
  if (!given) return;
  const turn = ++received;
  const report = await readGiven(given, format);
  if (turn !== received) return; // something else was given meanwhile
  if (report.error) return tellUnread(given, report);
  unsay();
  if (report.format !== "canonical") say(`Read as ${report.format}`);
  go(TAKERS[report.kind], report);
}

// One of the readings that an error message offers: its name and its notation.
const READING = /(?:: |; or )([^:;]+): \d+×\d+, first row \S+ \(--format ('?)(.+?)\2\)/g;

/** Says why something cannot be read. Offers the readings that the error names, or all notations. @param {import("./inbox.js").Given} given @param {{error: string, unreadable?: boolean}} report */
function tellUnread(given, { error, unreadable }) {
  const words = plain(error.replace(READING, ""));
  const named = [...error.matchAll(READING)].map(([, words, , format]) =>
    button("quiet", format, () => receive(given, format), words),
  );
  const choose = button("quiet", "", () => chooseFormat(given), "Choose the notation");
  const offers = unreadable ? [] : named.length ? named : [choose];
  say(`Cannot read this: ${words}`, "bad", row(offers));
}

/** Lets the person name the notation of what was pasted or dropped. @param {import("./inbox.js").Given} given */
function chooseFormat(given) {
  unsay();
  const { formats } = /** @type {import("./choices.js").Choices} */ (known);
  const options = formats.map(({ name, about }) => [name, `${name}: ${about}`]);
  const format = select(options, options[0][0], () => {}, "Notation");
  const read = () => {
    shown.close();
    receive(given, format.value);
  };
  const cancel = button("quiet", "", () => shown.close(), "Cancel");
  const buttons = row(button("primary", "", read, "Read it"), cancel);
  const shown = dialog("Notation", "Which notation is it?", format, buttons);
}

function route() {
  const [, wanted, link] = /^#\/(\w+)\/?(.*)$/s.exec(location.hash) || [];
  const next = wanted && Object.hasOwn(views, wanted) ? wanted : "analyse";
  if (next !== current) {
    if (current) {
      views[current].el.hidden = true;
      views[current].close?.();
    }
    current = next;
    views[current].el.hidden = false;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.getAttribute("href") === `#/${current}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `${capitalised(current)} · csp-mines`;
  }
  views[current].open(current === "analyse" ? link || "" : "");
}

/** @param {string} chosen "light", "dark", or "" for what the system prefers */
function dress(chosen) {
  document.documentElement.style.colorScheme = chosen;
  for (const view of Object.values(views)) view.model?.set("theme", chosen);
}

dress(kept("theme", ""));
prefersDark.addEventListener("change", () => dress(kept("theme", "")));
document.getElementById("theme")?.addEventListener("click", () => {
  const next = theme() === "dark" ? "light" : "dark";
  keep("theme", next);
  dress(next);
});

/** @param {import("./choices.js").Choices} known */
function begin(known) {
  learnGrades(known.grades);
  learnGrids(known.grids);
  Object.assign(views, {
    analyse: new Analyse(known),
    play: new Play(known),
    learn: new Learn(known),
    watch: new Watch(known),
    review: new Review(known),
  });
  for (const view of Object.values(views)) {
    view.bridge = go;
    view.receive = receive;
    view.el.hidden = true;
    main.append(view.el);
  }
  dress(kept("theme", ""));
  listen();
  route();
}

function listen() {
  window.addEventListener("hashchange", route);
  document.addEventListener("keydown", (event) => views[current].key?.(event));
  document.addEventListener("paste", (event) => {
    const given = typing(event) ? null : givenIn(event.clipboardData);
    if (given) event.preventDefault();
    receive(given);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    receive(givenIn(event.dataTransfer));
  });
}

const known = await ask("choices", {});
if (known.error) main.append(h("p", { role: "alert" }, known.error));
else begin(known);
