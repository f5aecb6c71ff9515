/** Small functions that every view uses: elements, fields and buttons; numbers in words; messages and dialogs; stored values. */

/**
 * Makes an element. Properties named `on…` become listeners; `class`, `data-…`, `aria-…` and so on
 * become attributes; all others become properties of the element.
 * @param {string} tag @param {Record<string, any> | null} [properties] @param {...any} children
 * @returns {any}
 */
export function h(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !name.includes("-") && name !== "list" && name !== "form")
      /** @type {any} */ (made)[name] = value;
    else made.setAttribute(name === "class" ? "class" : name, value === true ? "" : String(value));
  }
  made.append(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return made;
}

/** A `div` of a class. @param {string} kind @param {...any} children */
export const div = (kind, ...children) => h("div", { class: kind }, ...children);

/** A `span` of a class. @param {string} kind @param {...any} children */
export const span = (kind, ...children) => h("span", { class: kind }, ...children);

/** A row of buttons of which one is chosen. @param {string} name @param {string[][]} options each a value, its words, a title and a name for screen readers @param {string} chosen @param {(value: string) => void} choose @returns {any} */
export function segments(name, options, chosen, choose) {
  const group = h("div", { class: "segments", role: "group", "aria-label": name });
  /** @param {string} value */
  const mark = (value) => {
    for (const button of group.children) press(button, button.dataset.value === value);
  };
  for (const [value, words, title, label] of options) {
    const act = () => {
      mark(value);
      choose(value);
    };
    const made = button("", title, act, words);
    made.dataset.value = value;
    if (label) made.setAttribute("aria-label", label);
    group.append(made);
  }
  mark(chosen);
  return { el: group, mark };
}

/** A field with its label. @param {string} label @param {any} control @param {string} [hint] @param {string} [kind] "whole" for a field as wide as its card */
export function field(label, control, hint, kind = "") {
  return h("label", { class: `field ${kind}`, title: hint }, h("span", null, label), control);
}

/** Fields in two columns. @param {...any} children */
export const fields = (...children) => div("fields", ...children);

/** @param {string[][]} options each a value, its words, and a hint @param {string} value @param {(value: string) => void} change @param {string} [label] */
export function select(options, value, change, label) {
  const made = h(
    "select",
    { "aria-label": label, onchange: () => change(made.value) },
    options.map(([key, words, title]) => h("option", { value: key, title }, words)),
  );
  made.value = value;
  return made;
}

/** Buttons and fields side by side. @param {...any} children */
export const row = (...children) => div("row", ...children);

/** A paragraph in a quieter style. @param {...any} children */
export const note = (...children) => h("p", { class: "quietly" }, ...children);

/** Numbers with their names. @param {string[][]} pairs */
export const figures = (pairs) =>
  h(
    "dl",
    { class: "figures" },
    pairs.map(([key, value]) =>
      h("div", null, h("dt", null, key), h("dd", { class: "number" }, value)),
    ),
  );

/** A card that unfolds. @param {string} title @param {...any} children */
export const folded = (title, ...children) =>
  h("details", { class: "card" }, h("summary", null, title), ...children);

/** A bar that shows a number. @param {number} value @param {number} high */
export const bar = (value, high) => h("meter", { min: 0, max: high, value, "aria-hidden": "true" });

/** A key of the keyboard: letters in lower case. @param {KeyboardEvent} event */
export const keyName = ({ key }) => (key.length === 1 ? key.toLowerCase() : key);

/** @param {string} kind @param {string | undefined} title @param {() => void} act @param {any} words or elements */
export function button(kind, title, act, words) {
  return h("button", { type: "button", class: kind, title, onclick: act }, words);
}

/** Shows a button as pressed, or as not pressed. @param {Element} made @param {boolean} on */
export const press = (made, on) => made.setAttribute("aria-pressed", String(on));

/** A button that shows a sign instead of words. @param {string} label @param {string} sign @param {() => void} act @param {string} [title] */
export function icon(label, sign, act, title = label) {
  const made = button("icon", title, act, sign);
  made.setAttribute("aria-label", label);
  return made;
}

/** A field for a number. `change` is given NaN for anything else. @param {number} low @param {number} high @param {number | ""} value @param {(value: number) => void} change */
export function number(low, high, value, change) {
  const made = h("input", {
    type: "number",
    min: low,
    max: high,
    value,
    inputMode: "numeric",
    onchange: () => change(Number(made.value)),
  });
  return made;
}

/** @param {string} label @param {number} high @param {number} value @param {(value: number) => void} change */
export function slider(label, high, value, change) {
  const made = h("input", {
    type: "range",
    min: 0,
    max: high,
    value,
    "aria-label": label,
    oninput: () => change(Number(made.value)),
  });
  return made;
}

/** A checkbox with its words. @param {string} words @param {boolean} checked @param {(checked: boolean) => void} change @param {string} [title] */
export function checkbox(words, checked, change, title) {
  const box = h("input", { type: "checkbox", checked, onchange: () => change(box.checked) });
  return h("label", { class: "check", title }, box, words);
}

/** A table with a line of headings, each with an optional class. @param {string[][]} headings @param {any[]} rows @param {object | null} [properties] @param {any} [caption] */
export function table(headings, rows, properties = null, caption = null) {
  const head = headings.map(([words, kind]) => h("th", { scope: "col", class: kind }, words));
  return h(
    "table",
    properties,
    caption,
    h("thead", null, h("tr", null, head)),
    h("tbody", null, rows),
  );
}

/** The number, or the nearest bound if it lies outside. @param {number} low @param {number} value @param {number} high */
export const within = (low, value, high) => Math.max(low, Math.min(value, high));

/** A share in percent: 12.3 %, 0.04 %. Only a share of exactly 0 or 1 reads as 0 or 100. @param {number} share */
export function percent(share) {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const value = share * 100;
  if (value < 0.01) return "< 0.01 %";
  if (value > 99.99) return "> 99.99 %";
  return `${value.toFixed(value < 1 || value > 99 ? 2 : 1)} %`;
}

/** A share in percent, short enough for a cell. @param {number} share */
export function brief(share) {
  if (share > 0 && share < 0.01) return "<1";
  if (share < 1 && share > 0.99) return ">99";
  return String(Math.round(share * 100));
}

/** An error about a text: `line 3:` replaces `<text>:3:`. @param {string} error */
export const plain = (error) => error.replace(/^<text>:(\d+)(:\d+)?:/, "line $1:");

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number of any length: 1,234 or 2.20 × 10⁵⁷. @param {string} digits */
export function large(digits) {
  if (digits.length <= 12) return digits.replace(/\B(?=(\d{3})+$)/g, ",");
  const power = String(digits.length - 1).replace(/\d/g, (digit) => RAISED[Number(digit)]);
  return `${digits[0]}.${digits.slice(1, 3)} × 10${power}`;
}

/** @param {number} number @param {string} word @param {string} [several] */
export function plural(number, word, several) {
  return `${number.toLocaleString("en")} ${number === 1 ? word : several || `${word}s`}`;
}

/** The parts that are neither empty nor false, as one text. @param {any[]} parts @param {string} [between] */
export const joined = (parts, between = " ") => parts.filter(Boolean).join(between);

/** @param {[number, number] | number[]} cell */
export const name = (cell) => `${cell[0]},${cell[1]}`;

/** The names of cells. @param {[number, number][]} cells */
export const names = (cells) => new Set(cells.map(name));

/** The cell with a name such as `3,4`. @param {string} name */
export const cellNamed = (name) => /** @type {[number, number]} */ (name.split(",").map(Number));

/** Saves text or bytes as a file. @param {string} file @param {Blob} content */
export function save(file, content) {
  const link = h("a", { href: URL.createObjectURL(content), download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @type {any} */
let fading;

/** Shows a message for a moment, also to screen readers. @param {string} words @param {string} [kind] "bad" for an error @param {string | HTMLElement} [more] a second sentence, or a button */
export function say(words, kind = "", more = "") {
  const place = document.getElementById("message");
  if (!place) return;
  if (typeof more !== "string") place.replaceChildren(words, " ", more);
  else if (place.textContent !== `${words} ${more}`) place.textContent = `${words} ${more}`;
  place.dataset.words = words;
  place.className = `message shown ${kind}`;
  clearTimeout(fading);
  fading = setTimeout(() => place.classList.remove("shown"), kind === "bad" ? 8000 : 3200);
}

/** Hides the message if it has these words; without words, hides an error. @param {string} [words] */
export function unsay(words) {
  const place = document.getElementById("message");
  if (!place) return;
  if (words ? place.dataset.words === words : place.classList.contains("bad"))
    place.classList.remove("shown");
}

/** Opens a dialog, which is removed when it closes. @param {string} label @param {string} title @param {...any} children */
export function dialog(label, title, ...children) {
  const made = h(
    "dialog",
    { "aria-label": label, onclose: () => made.remove() },
    h("h2", null, title),
    children,
  );
  document.body.append(made);
  made.showModal();
  return made;
}

/** Asks a question in a dialog. Returns whether the answer is yes. @param {string} title @param {string} words @param {string} yes @param {string} no @returns {Promise<boolean>} */
export function confirmed(title, words, yes, no) {
  return new Promise((resolve) => {
    /** @param {boolean} answer */
    const end = (answer) => {
      resolve(answer);
      asked.close();
    };
    const stay = button("quiet", "", () => end(false), no);
    const go = button("primary", "", () => end(true), yes);
    const asked = dialog(title, title, h("p", null, words), row(go, stay));
    asked.addEventListener("close", () => resolve(false));
    stay.focus(); // a key pressed in haste means no
  });
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    say("The browser did not allow the page to copy", "bad");
  }
}

/** Whether an event, such as a key press, belongs to a field or a dialog. @param {Event} event */
export function typing(event) {
  const at = event.target;
  return (
    at instanceof Element &&
    !!at.closest(
      "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, dialog",
    )
  );
}

/** Whether a view must ignore a key press: in a field, or with Ctrl, Alt or the command key. @param {KeyboardEvent} key */
export const busy = (key) => typing(key) || key.ctrlKey || key.metaKey || key.altKey;

/** The value that this browser has kept, or `otherwise` if there is none. @param {string} key @param {any} otherwise */
export function kept(key, otherwise) {
  try {
    const text = localStorage.getItem(`csp-mines.${key}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** Keeps a value, or forgets it if it is null. @param {string} key @param {any} value */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(`csp-mines.${key}`);
    else localStorage.setItem(`csp-mines.${key}`, JSON.stringify(value));
  } catch {
    // this browser keeps nothing, so the choice lasts only as long as the page
  }
}

export const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is "light" or "dark" now: as chosen, else as the system prefers. */
export const theme = () =>
  document.documentElement.style.colorScheme || (prefersDark.matches ? "dark" : "light");
