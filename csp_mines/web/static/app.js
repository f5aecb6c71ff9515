// @ts-check
/** The page: three views, the address, light and dark. */

import { Analyse } from "./analyse.js";
import { ask } from "./api.js";
import { capitalised } from "./choices.js";
import { h, keep, kept, prefersDark, theme } from "./dom.js";
import { Play } from "./play.js";
import { learnGrades } from "./proof.js";
import { Watch } from "./watch.js";

/** The views by their names in the address; empty until the server has sent the choices. */
const views = /** @type {Record<string, any>} */ ({});
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
let current = "";

function route() {
  const [, wanted, link] = /^#\/(\w+)\/?(.*)$/s.exec(location.hash) || [];
  const next = wanted && wanted in views ? wanted : "analyse";
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
  Object.assign(views, {
    analyse: new Analyse(known),
    play: new Play(known),
    watch: new Watch(known),
  });
  for (const view of Object.values(views)) {
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
  document.addEventListener("paste", (event) => views[current].paste?.(event));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    views[current].drop?.(event);
  });
}

const known = await ask("choices", {});
if (known.error) main.append(h("p", { role: "alert" }, known.error));
else begin(known);
