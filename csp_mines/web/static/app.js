// @ts-check
/** The page: three views, the address, light and dark. */

import { Analyse } from "./analyse.js";
import { ask } from "./api.js";
import { keep, kept, say } from "./dom.js";
import { Play } from "./play.js";
import { learnGrades } from "./proof.js";
import { Watch } from "./watch.js";

const views = /** @type {Record<string, any>} */ ({
  analyse: new Analyse(),
  play: new Play(),
  watch: new Watch(),
});
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
let current = "";

for (const view of Object.values(views)) {
  view.el.hidden = true;
  main.append(view.el);
}

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
    document.title = `${current[0].toUpperCase()}${current.slice(1)} · csp-mines`;
  }
  views[current].open(current === "analyse" ? link || "" : "");
}

/** @param {string} theme */
function dress(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  for (const view of Object.values(views)) view.model?.set("theme", theme);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
dress(kept("theme", ""));
dark.addEventListener("change", () => dress(kept("theme", "")));
document.getElementById("theme")?.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  keep("theme", next);
  dress(next);
});

window.addEventListener("hashchange", route);
document.addEventListener("keydown", (event) => views[current].key?.(event));
document.addEventListener("paste", (event) => views[current].paste?.(event));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  views[current].drop?.(event);
});

route();
const known = await ask("choices", {});
if (known.error) say(known.error, "bad");
else {
  learnGrades(known.grades);
  for (const view of Object.values(views)) view.offer?.(known);
}
