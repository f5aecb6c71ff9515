// @ts-check
/**
 * The board, for the page and for notebooks: `render({model, el})`, as anywidget calls it.
 *
 * The model has these values, which say what to show:
 *
 *   rows, cols, cells   what each cell shows: 0 to 8, -1 hidden, -2 marked, -3 opened mine, -4 safe
 *   tones               per cell "", "safe", "mine", "wrong", "layout", "ghost" or "pending"
 *   heat, labels        per cell a number from 0 to 1 or null, and a short text
 *   hue                 what the heat means: "risk", or "information" in the accent's colour
 *   lit                 [row, col, kind] for rings: clue, cell, target, so, move, conflict, last,
 *                       even, dead; "clue a" to "clue d" and "cell a" to "cell d" have tints
 *   letters             [row, col, letter] for cells that a proof names
 *   cursor, label       the cell that the keyboard acts on, and the name of the board
 *   wheel               whether the model wants events of the mouse wheel
 *   arrows              false if arrow keys do not move the cursor
 *   zoom                1 fits the board into the width if its cells stay large enough to touch;
 *                       0 always shows the whole width
 *   reveal              cells to scroll into view, the most important one first
 *   theme               "light", "dark", or "" for the theme around the board
 *
 * When the user acts, the model is sent {event, cell, …}, where event is press, drag, release, long,
 * wheel, hover or moved. A small board is an SVG in which every cell is an element with a role and a
 * name. A large board is painted on a canvas as large as its visible part.
 */

/**
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(name: string, call: (...values: any[]) => void) => void} on
 * @property {(name: string, call?: any) => void} off
 * @property {(message: any) => void} send
 */
/** @typedef {[number, number]} Cell */
/** @typedef {{size: number, gutter: number, width: number, height: number}} Measure */
/** @typedef {{root: HTMLElement, width: number, height: number, known: boolean}} Room around a board, in pixels */

export const HIDDEN = -1;
export const MARKED = -2;
export const EXPLODED = -3;
export const CLEAR = -4;

const GUTTER = 20; // pixels for the numbers of rows and columns
const UNIT = 32; // the side of a cell in SVG, before it is scaled
const MOST_ELEMENTS = 2500; // cells; a larger board is painted on a canvas
const NARROWEST = 17; // pixels of the smallest cell on a board that fits the width …
const SMALLEST = 24; // … and on a board that is scrolled
const LARGEST = 40;
const TINIEST = 9; // pixels of a cell at any zoom
const NOTCH = 60; // pixels of wheel movement that count as one step: less than a mouse's notch
const LINE = 40; // pixels of a wheel that counts in lines
const AROUND = 270; // pixels of the window's height that the board does not use
const LONG = 420; // milliseconds of a long press
const STATES = [
  "rows",
  "cols",
  "cells",
  "tones",
  "heat",
  "labels",
  "lit",
  "letters",
  "cursor",
  "label",
  "zoom",
  "theme",
  "hue",
];

const MINE = "M16 6.5v19M6.5 16h19M9.3 9.3l13.4 13.4M22.7 9.3L9.3 22.7";
const FLAG = "M12.5 7v18M12.5 7.6l10 4.2-10 4.4z";
const CHECK = "M10.5 16.4l4 4 7.2-8.4";

/** @param {{model: Model, el: HTMLElement}} given */
export function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "board";
  el.append(root);
  /** @type {Room} */
  const room = { root, width: 0, height: 0, known: false };
  let painter = paint(model, room);
  let planned = false;

  const draw = () => {
    planned = false;
    if (!root.isConnected && !painter.early) return;
    root.dataset.hue = model.get("hue") || "risk";
    root.style.colorScheme = model.get("theme") || "";
    if (painter.wanted !== kindFor(model)) {
      root.replaceChildren();
      painter = paint(model, room);
    }
    painter.draw();
  };
  const plan = () => {
    if (planned) return;
    planned = true;
    queueMicrotask(draw);
  };
  const resized = () => {
    room.known = false;
    plan();
  };
  const reveal = () => queueMicrotask(() => painter.reveal(model.get("reveal") || []));
  model.on("change:reveal", reveal);
  for (const name of STATES) model.on(`change:${name}`, plan);
  const watcher = new ResizeObserver(resized);
  watcher.observe(el);
  window.addEventListener("resize", resized);
  const hands = new Hands(model, root, () => painter);
  painter.draw();
  return () => {
    model.off("change:reveal", reveal);
    for (const name of STATES) model.off(`change:${name}`, plan);
    watcher.disconnect();
    window.removeEventListener("resize", resized);
    hands.close();
    root.remove();
  };
}

export default { render };

/** @param {Model} model */
function kindFor(model) {
  return model.get("rows") * model.get("cols") > MOST_ELEMENTS ? "canvas" : "svg";
}

/** @param {Model} model @param {Room} room */
function paint(model, room) {
  return kindFor(model) === "canvas" ? new Painting(model, room) : new Elements(model, room);
}

/** The sizes of the board that fit the room. @param {Model} model @param {Room} room @returns {Measure} */
function measure(model, room) {
  const grid = gridOf(model);
  if (!room.known) {
    // Reading a size makes the browser lay out the whole page, so it is read only after a change.
    room.width = room.root.parentElement?.clientWidth || 600;
    room.height = window.innerHeight;
    room.known = true;
  }
  const [across, down] = grid.extent(model);
  const wide = Math.floor((room.width - GUTTER - 2) / across);
  const tall = Math.floor((room.height - AROUND) / down);
  const zoom = model.get("zoom") ?? 1;
  const narrow = wide < NARROWEST && zoom !== 0; // it is scrolled anyway, so cells can be large
  const fitting = narrow ? SMALLEST : Math.min(LARGEST, wide, Math.max(SMALLEST, tall));
  return measureOf(model, Math.max(TINIEST, Math.round(fitting * (zoom || 1))));
}

/** The sizes of a board with cells of this size. @param {Model} model @param {number} size @returns {Measure} */
export function measureOf(model, size) {
  const [width, height] = gridOf(model)
    .extent(model)
    .map((cells) => cells * size + GUTTER + 1);
  return { size, gutter: GUTTER, width, height };
}

/**
 * Where the cells of a grid are. Everything that draws a cell or looks for one asks this value, so
 * another grid is one more value. Lengths are in cells, from the corner of the board.
 * @typedef {object} Grid
 * @property {(model: Model) => [number, number]} extent how wide and how high the board is
 * @property {(cell: Cell) => [number, number]} corner the left and upper edge of a cell
 * @property {(right: number, down: number) => Cell} at the cell at a place, also outside the board
 * @property {(inset: number) => Part} outline a cell at the corner 0,0, in units of SVG
 * @property {(pen: CanvasRenderingContext2D, x: number, y: number, side: number) => void} trace
 *   the path of a cell on a canvas
 */

/** @type {Grid} */
const SQUARE = {
  extent: (model) => [model.get("cols"), model.get("rows")],
  corner: ([row, col]) => [col, row],
  at: (right, down) => [Math.floor(down), Math.floor(right)],
  outline: (inset) => {
    const side = UNIT - 2 * inset;
    return { tag: "rect", kind: "", more: { x: inset, y: inset, width: side, height: side } };
  },
  trace: (pen, x, y, side) => pen.rect(x, y, side, side),
};

/** The grid of a board. @param {Model} model @returns {Grid} */
function gridOf(model) {
  return SQUARE;
}

/** The cell at a place, measured in cells from the corner; null outside the board. @param {Model} model @param {number} right @param {number} down @returns {Cell | null} */
function cellIn(model, right, down) {
  const [row, col] = gridOf(model).at(right, down);
  const inside = row >= 0 && row < model.get("rows") && col >= 0 && col < model.get("cols");
  return inside ? [row, col] : null;
}

// --- elements -------------------------------------------------------------------------------------

/** @param {string} name @param {Record<string, any>} [attributes] */
function shape(name, attributes = {}) {
  return put(document.createElementNS("http://www.w3.org/2000/svg", name), attributes);
}

/** @template {Element} T @param {T} element @param {Record<string, any>} attributes */
function put(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** The place of a cell as a transformation. @param {Grid} grid @param {Cell} cell */
function placed(grid, cell) {
  const [x, y] = grid.corner(cell);
  return `translate(${x * UNIT} ${y * UNIT})`;
}

/** The outline of a cell as an element. @param {Grid} grid @param {number} inset @param {Record<string, any>} attributes */
function outlined(grid, inset, attributes) {
  const { tag, more } = grid.outline(inset);
  return shape(tag, { ...more, ...attributes });
}

let boards = 0;

/** Draws the board as an SVG in which every cell is an element. */
class Elements {
  wanted = "svg";
  early = true;

  /** @param {Model} model @param {Room} room */
  constructor(model, room) {
    this.model = model;
    this.room = room;
    this.id = `board${++boards}`;
    this.focus = shape("svg", { role: "grid", tabindex: 0, class: "board-svg" });
    this.grid = shape("g", { role: "presentation" });
    this.edges = shape("g", { class: "edges", "aria-hidden": "true" });
    this.rings = shape("g", { class: "rings", "aria-hidden": "true" });
    this.shape = gridOf(model);
    this.place = outlined(this.shape, 1.5, { class: "cursor", "aria-hidden": "true", rx: 4 });
    this.focus.append(this.edges, this.grid, this.rings, this.place);
    room.root.append(this.focus);
    /** @type {Element[]} */
    this.cells = [];
    /** What each cell shows. @type {string[]} */
    this.drawn = [];
    /** @type {Part[][]} */
    this.worn = [];
    this.framed = "";
    this.rows = this.cols = 0;
  }

  /** Makes empty cells, and the numbers at the edges. */
  lay() {
    const [rows, cols] = ["rows", "cols"].map((name) => this.model.get(name));
    [this.rows, this.cols] = [rows, cols];
    this.cells = [];
    this.drawn = [];
    this.worn = [];
    this.grid.replaceChildren();
    this.edges.replaceChildren();
    for (let row = 0; row < rows; row++) {
      const line = shape("g", { role: "row" });
      for (let col = 0; col < cols; col++) {
        const cell = shape("g", {
          role: "gridcell",
          id: `${this.id}-${row}-${col}`,
          transform: placed(this.shape, [row, col]),
        });
        this.cells.push(cell);
        line.append(cell);
      }
      this.grid.append(line);
    }
    for (let col = 0; col < cols; col++) this.edges.append(edge((col + 0.5) * UNIT, -8, col));
    for (let row = 0; row < rows; row++) this.edges.append(edge(-11, (row + 0.5) * UNIT, row));
  }

  /** Sets all sizes if they changed: setting the same size would still lay out every text. */
  frame() {
    const { width, height } = measureOf(this.model, UNIT);
    const { size } = measure(this.model, this.room);
    const key = `${width} ${height} ${size}`;
    if (this.framed === key) return;
    this.framed = key;
    put(this.focus, {
      viewBox: `${-GUTTER} ${-GUTTER} ${width} ${height}`,
      width: (width * size) / UNIT,
      height: (height * size) / UNIT,
    });
  }

  draw() {
    const { model } = this;
    if (model.get("rows") !== this.rows || model.get("cols") !== this.cols) this.lay();
    this.frame();
    this.focus.setAttribute("aria-label", model.get("label") || "board");
    this.dress();
    this.rings.replaceChildren(
      ...(model.get("lit") || []).map((/** @type {Ring} */ lit) => ring(this.shape, lit)),
      ...(model.get("letters") || []).map((/** @type {Ring} */ named) => badge(this.shape, named)),
    );
    const at = model.get("cursor");
    if (!at) return;
    this.focus.setAttribute("aria-activedescendant", `${this.id}-${at[0]}-${at[1]}`);
    put(this.place, { transform: placed(this.shape, at) });
  }

  /** Updates every cell that has changed. */
  dress() {
    const { cells, cols, drawn, worn } = this;
    const look = looks(this.model);
    const outline = this.shape.outline(0.75);
    const face = { ...outline, more: { ...outline.more, rx: 2.5 } };
    for (let index = 0; index < cells.length; index++) {
      const shown = look(index);
      const key = `${shown.code} ${shown.tone} ${opacity(shown)} ${shown.label}`;
      if (drawn[index] === key) continue;
      drawn[index] = key;
      const [cell, parts] = [cells[index], partsOf(shown, face)];
      cell.setAttribute("aria-label", describe(shown, Math.floor(index / cols), index % cols));
      cell.setAttribute("class", classOf(shown));
      wear(cell, worn[index] || [], parts);
      worn[index] = parts;
    }
  }

  /** @param {number} x @param {number} y @returns {Cell | null} */
  cellAt(x, y) {
    const box = this.focus.getBoundingClientRect();
    const scale = box.width / measureOf(this.model, UNIT).width;
    const [right, down] = [(x - box.left) / scale - GUTTER, (y - box.top) / scale - GUTTER];
    return cellIn(this.model, right / UNIT, down / UNIT);
  }

  /** @param {Cell} cell */
  show(cell) {
    this.cells[cell[0] * this.cols + cell[1]]?.scrollIntoView({
      block: "nearest",
      inline: "nearest",
    });
  }

  /** Scrolls to cells; if there is no room for all, the first ones stay. @param {Cell[]} cells */
  reveal(cells) {
    for (const cell of [...cells].reverse()) this.show(cell);
  }
}

/** @param {number} x @param {number} y @param {number} number */
function edge(x, y, number) {
  const words = shape("text", { x, y });
  words.textContent = String(number);
  return words;
}

/** @typedef {[number, number, string]} Ring a row, a column and a kind */

/** How far inside a cell a ring is, so that the tints of two clues can be told apart. @type {Record<string, number>} */
const INSETS = { cell: 1, "cell a": 1, "cell b": 4, "cell c": 7, "cell d": 10, so: 0.5 };

/** @param {Grid} grid @param {Ring} lit */
function ring(grid, [row, col, kind]) {
  const inset = INSETS[kind] ?? 2;
  const transform = placed(grid, [row, col]);
  return outlined(grid, inset, { class: `ring ${kind}`, rx: 5, transform });
}

/** The letter of a cell, in its corner. @param {Grid} grid @param {Ring} named */
function badge(grid, [row, col, letter]) {
  const made = shape("text", { class: "letter", x: 8, y: 9, transform: placed(grid, [row, col]) });
  made.textContent = letter;
  return made;
}

/** @typedef {{code: number, tone: string, heat: number | null, label: string}} Look */

/** What a cell looks like, by its index. @param {Model} model @returns {(index: number) => Look} */
function looks(model) {
  const [cells, tones, heat, labels] = ["cells", "tones", "heat", "labels"].map((name) =>
    model.get(name),
  );
  return (index) => ({
    code: cells[index],
    tone: (tones && tones[index]) || "",
    heat: heat && heat[index] !== undefined ? heat[index] : null,
    label: (labels && labels[index]) || "",
  });
}

/** @param {Look} look */
function isOpen(look) {
  return look.code >= 0 || look.code === CLEAR || look.code === EXPLODED;
}

/** The opacity of a cell's heat as text; "" if it has none. @param {Look} look */
function opacity(look) {
  return look.heat === null || isOpen(look) ? "" : warmth(look.heat).toFixed(3);
}

/** @param {Look} look */
function classOf(look) {
  const heated = opacity(look) ? "heated" : "";
  return `cell ${isOpen(look) ? "open" : "hidden"} ${look.tone} ${heated} ${look.code === EXPLODED ? "exploded" : ""}`;
}

/** @typedef {{tag: string, kind: string, more: Record<string, any>, changes?: [string, string], words?: string}} Part */

/** The parts that a cell consists of. @param {Look} look @param {Part} face its outline @returns {Part[]} */
function partsOf(look, face) {
  /** @type {Part[]} */
  const parts = [{ ...face, kind: "face" }];
  const warm = opacity(look);
  if (warm) parts.push({ ...face, kind: "heat", changes: ["fill-opacity", warm] });
  const mark = glyph(look);
  if (mark) parts.push({ tag: "path", kind: `glyph ${mark.kind}`, more: { d: mark.path } });
  if (mark?.kind === "mine-glyph")
    parts.push({ tag: "circle", kind: "glyph ball", more: { cx: 16, cy: 16, r: 6.4 } });
  const words = wordsOf(look);
  if (words)
    parts.push({
      tag: "text",
      kind: look.code > 0 ? "clue" : "label",
      more: { x: 16, y: 17, ...(look.code > 0 && { fill: `var(--n${look.code})` }) },
      words,
    });
  return parts;
}

/** The text inside a cell. @param {Look} look */
function wordsOf(look) {
  if (look.code > 0) return String(look.code);
  return isOpen(look) || glyph(look) ? "" : look.label;
}

/** Changes only the parts that differ: the browser need not lay out the others again.
 * @param {Element} cell @param {Part[]} before @param {Part[]} parts */
function wear(cell, before, parts) {
  parts.forEach((part, index) => {
    const was = before[index];
    const same = was !== undefined && was.kind === part.kind;
    const element = same
      ? cell.children[index]
      : shape(part.tag, { class: part.kind, ...part.more });
    if (part.changes && !(same && was.changes?.[1] === part.changes[1]))
      element.setAttribute(...part.changes);
    if (part.words && !(same && was.words === part.words)) element.textContent = part.words;
    if (same) return;
    if (was) cell.replaceChild(element, cell.children[index]);
    else cell.append(element);
  });
  while (cell.children.length > parts.length) cell.lastElementChild?.remove();
}

/** @param {number} share */
function warmth(share) {
  return 0.92 * share ** 1.2;
}

/** @param {Look} look */
function glyph(look) {
  if (look.code === EXPLODED || ["mine", "layout", "ghost"].includes(look.tone))
    return { kind: "mine-glyph", path: MINE };
  if (look.code === MARKED) return { kind: "flag-glyph", path: FLAG };
  if (look.code === CLEAR || look.tone === "safe") return { kind: "check-glyph", path: CHECK };
  return null;
}

/** @param {Look} look @param {number} row @param {number} col */
function describe(look, row, col) {
  const tone = {
    safe: "proved safe",
    mine: "a mine for certain",
    layout: "a mine",
    ghost: "a mine in this layout",
    wrong: "marked, but not a mine",
    pending: "will be opened",
  };
  const codes = /** @type {Record<number, string>} */ ({
    [HIDDEN]: "hidden",
    [MARKED]: "marked as a mine",
    [EXPLODED]: "opened mine",
    [CLEAR]: "safe, no number",
  });
  const words = [codes[look.code] ?? String(look.code)];
  if (look.tone) words.push(tone[/** @type {keyof typeof tone} */ (look.tone)] || look.tone);
  else if (look.label && look.code < 0) words.push(look.label);
  return `${row},${col}: ${words.join(", ")}`;
}

// --- canvas ---------------------------------------------------------------------------------------

/** Paints the board on a canvas that is as large as the visible part. */
class Painting {
  wanted = "canvas";
  early = false;

  /** @param {Model} model @param {Room} room */
  constructor(model, room) {
    this.model = model;
    this.room = room;
    this.focus = document.createElement("div");
    this.focus.className = "board-window";
    this.focus.tabIndex = 0;
    this.focus.setAttribute("role", "application");
    this.space = document.createElement("div");
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.spoken = document.createElement("div");
    this.spoken.className = "spoken";
    this.spoken.setAttribute("role", "status");
    this.space.append(this.canvas);
    this.focus.append(this.space);
    room.root.append(this.focus, this.spoken);
    this.focus.addEventListener("scroll", () => this.draw(), { passive: true });
  }

  draw() {
    const { focus, model } = this;
    const sizes = measure(model, this.room);
    focus.setAttribute("aria-label", `${model.get("label") || "board"}; arrow keys move`);
    this.space.style.width = `${sizes.width}px`;
    this.space.style.height = `${sizes.height}px`;
    const at = model.get("cursor");
    if (at && document.activeElement === focus) {
      const index = at[0] * model.get("cols") + at[1];
      this.spoken.textContent = describe(looks(model)(index), at[0], at[1]);
    }
    paintCanvas(this.canvas, model, sizes, {
      left: focus.scrollLeft,
      top: focus.scrollTop,
      width: focus.clientWidth,
      height: focus.clientHeight,
      focused: document.activeElement === focus,
    });
  }

  /** @param {number} x @param {number} y @returns {Cell | null} */
  cellAt(x, y) {
    const { focus, model } = this;
    const { size, gutter } = measure(model, this.room);
    const box = focus.getBoundingClientRect();
    if (x - box.left < gutter || y - box.top < gutter) return null;
    const right = x - box.left + focus.scrollLeft - gutter;
    const down = y - box.top + focus.scrollTop - gutter;
    return cellIn(model, right / size, down / size);
  }

  /** Scrolls to cells; if there is no room for all, the first ones stay. @param {Cell[]} cells */
  reveal(cells) {
    for (const cell of [...cells].reverse()) this.show(cell);
  }

  /** @param {Cell} cell */
  show(cell) {
    const { focus } = this;
    const { size, gutter } = measure(this.model, this.room);
    const [x, y] = gridOf(this.model)
      .corner(cell)
      .map((cells) => cells * size);
    focus.scrollLeft = Math.min(
      x,
      Math.max(focus.scrollLeft, x + size + gutter - focus.clientWidth + 1),
    );
    focus.scrollTop = Math.min(
      y,
      Math.max(focus.scrollTop, y + size + gutter - focus.clientHeight + 1),
    );
  }
}

/** The colours of the style sheet, for a pen; light or dark, like the canvas.
 * @param {HTMLCanvasElement} canvas */
function palette(canvas) {
  /** @type {Map<string, string>} */
  const known = new Map();
  /** @param {string} name */
  return (name) => {
    let colour = known.get(name);
    if (colour === undefined) {
      canvas.style.color = `var(--${name})`;
      known.set(name, (colour = getComputedStyle(canvas).color));
    }
    return colour;
  };
}

/**
 * Paints the visible part of a board, `view`. The canvas must be in the document.
 * @param {HTMLCanvasElement} canvas @param {Model} model @param {Measure} sizes
 * @param {{left: number, top: number, width: number, height: number, focused?: boolean}} view
 */
export function paintCanvas(canvas, model, sizes, view) {
  const dots = window.devicePixelRatio || 1;
  const [width, height] = [Math.min(view.width, sizes.width), Math.min(view.height, sizes.height)];
  canvas.width = Math.round(width * dots);
  canvas.height = Math.round(height * dots);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const colour = palette(canvas);
  pen.setTransform(dots, 0, 0, dots, 0, 0);
  pen.fillStyle = colour("stage");
  pen.fillRect(0, 0, width, height);
  const { size, gutter } = sizes;
  const [rows, cols] = [model.get("rows"), model.get("cols")];
  const from = [Math.floor(view.top / size), Math.floor(view.left / size)];
  const to = [
    Math.min(rows, Math.ceil((view.top + height) / size)),
    Math.min(cols, Math.ceil((view.left + width) / size)),
  ];
  const grid = gridOf(model);
  /** @param {number} row @param {number} col @returns {[number, number]} */
  const place = (row, col) => {
    const [right, down] = grid.corner([row, col]);
    return [gutter + right * size - view.left, gutter + down * size - view.top];
  };
  const look = looks(model);
  const hue = model.get("hue") === "information" ? "accent" : "heat";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.save();
  pen.beginPath();
  pen.rect(gutter, gutter, width - gutter, height - gutter);
  pen.clip();
  for (let row = from[0]; row < to[0]; row++)
    for (let col = from[1]; col < to[1]; col++)
      paintCell(pen, { colour, hue, grid }, look(row * cols + col), ...place(row, col), size);
  const rings = [...(model.get("lit") || [])];
  const cursor = model.get("cursor");
  if (cursor && view.focused) rings.push([...cursor, "cursor"]);
  for (const [row, col, kind] of rings) {
    const [x, y] = place(row, col);
    paintRing(pen, { colour, hue, grid }, kind, x, y, size);
  }
  paintLetters(pen, colour, model.get("letters") || [], place, size);
  pen.restore();
  paintEdges(pen, colour, place, from, to, size);
}

/** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {Ring[]} letters @param {(row: number, col: number) => [number, number]} place @param {number} size */
function paintLetters(pen, colour, letters, place, size) {
  pen.fillStyle = colour("ink");
  pen.font = `700 ${size * 0.32}px system-ui, sans-serif`;
  for (const [row, col, letter] of letters) {
    const [x, y] = place(row, col);
    pen.fillText(letter, x + size / 4, y + size / 4);
  }
}

/** The numbers of rows and columns. @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {(row: number, col: number) => [number, number]} place @param {number[]} from @param {number[]} to @param {number} size */
function paintEdges(pen, colour, place, from, to, size) {
  pen.fillStyle = colour("faint");
  pen.font = "10px system-ui, sans-serif";
  for (let col = from[1]; col < to[1]; col++)
    pen.fillText(String(col), place(0, col)[0] + size / 2, 11);
  for (let row = from[0]; row < to[0]; row++)
    pen.fillText(String(row), 9, place(row, 0)[1] + size / 2);
}

/** @typedef {{colour: (name: string) => string, hue: string, grid: Grid}} Paint */

/** @param {CanvasRenderingContext2D} pen @param {Paint} paint @param {Look} look @param {number} x @param {number} y @param {number} size */
function paintCell(pen, { colour, hue, grid }, look, x, y, size) {
  const open = isOpen(look);
  const inner = size - 1.5;
  const fill = () => {
    pen.beginPath();
    grid.trace(pen, x, y, inner);
    pen.fill();
  };
  pen.fillStyle = colour(
    look.code === EXPLODED ? "mine" : open ? "open" : look.heat === null ? "hidden" : "cool",
  );
  fill();
  if (look.heat !== null && !open) {
    pen.globalAlpha = warmth(look.heat);
    pen.fillStyle = colour(hue);
    fill();
    pen.globalAlpha = 1;
  }
  if (!open && (look.tone === "safe" || look.tone === "mine")) {
    pen.fillStyle = colour(`${look.tone}-face`);
    fill();
  }
  const mark = glyph(look);
  if (mark) {
    pen.save();
    pen.translate(x, y);
    pen.scale(inner / UNIT, inner / UNIT);
    pen.lineWidth = 2.6;
    pen.lineCap = "round";
    pen.strokeStyle = pen.fillStyle = colour(
      look.code === EXPLODED ? "stage" : mark.kind === "check-glyph" ? "safe" : "mine",
    );
    const path = new Path2D(mark.path);
    pen.stroke(path);
    if (mark.kind === "flag-glyph") pen.fill(path);
    if (mark.kind === "mine-glyph") {
      pen.beginPath();
      pen.arc(16, 16, 6.4, 0, 7);
      pen.fill();
    }
    pen.restore();
  }
  paintWords(pen, colour, look, x + inner / 2, y + inner / 2 + 0.5, size);
}

/** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {Look} look @param {number} x @param {number} y @param {number} size */
function paintWords(pen, colour, look, x, y, size) {
  const words = wordsOf(look);
  if (!words) return;
  pen.fillStyle = look.code > 0 ? colour(`n${look.code}`) : colour("ink");
  pen.font =
    look.code > 0
      ? `650 ${size * 0.56}px system-ui, sans-serif`
      : `${Math.max(8, size * 0.36)}px system-ui, sans-serif`;
  pen.fillText(words, x, y);
}

/** @param {CanvasRenderingContext2D} pen @param {Paint} paint @param {string} kind @param {number} x @param {number} y @param {number} size */
function paintRing(pen, { colour, grid }, kind, x, y, size) {
  const [what, tint] = kind.split(" ");
  const colours = /** @type {Record<string, string>} */ ({ conflict: "mine", last: "ink" });
  pen.strokeStyle = colour(tint && what !== "so" ? `tint-${tint}` : colours[what] || "accent");
  pen.lineWidth = ["target", "move", "conflict", "so"].includes(what) ? 2.5 : 1.5;
  pen.beginPath();
  grid.trace(pen, x + 1, y + 1, size - 3);
  pen.stroke();
}

// --- hands ----------------------------------------------------------------------------------------

const MOVES = /** @type {Record<string, Cell>} */ ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
});

/** @typedef {{button: number, cell: string, touch: boolean, x: number, y: number, timer: any, long: boolean}} Held */

/** Turns actions of pointers, wheel and keys into events for the model. */
class Hands {
  /** @param {Model} model @param {HTMLElement} root @param {() => ReturnType<typeof paint>} painter */
  constructor(model, root, painter) {
    this.model = model;
    this.root = root;
    this.painter = painter;
    /** @type {Held | null} */
    this.held = null;
    this.hovered = "";
    this.wheeled = { cell: "", pixels: 0 };
    /** @type {[string, any, any?][]} */
    this.heard = [
      ["pointerdown", (/** @type {PointerEvent} */ event) => this.down(event)],
      ["pointermove", (/** @type {PointerEvent} */ event) => this.move(event)],
      ["pointerup", (/** @type {PointerEvent} */ event) => this.up(event)],
      ["pointercancel", () => this.drop()],
      ["pointerleave", () => this.leave()],
      ["wheel", (/** @type {WheelEvent} */ event) => this.turn(event), { passive: false }],
      ["keydown", (/** @type {KeyboardEvent} */ event) => this.press(event)],
      ["contextmenu", (/** @type {Event} */ event) => event.preventDefault()],
      ["focusin", () => painter().draw()],
      ["focusout", () => painter().draw()],
    ];
    for (const [name, call, how] of this.heard) root.addEventListener(name, call, how);
  }

  close() {
    for (const [name, call] of this.heard) this.root.removeEventListener(name, call);
  }

  /** @param {string} event @param {Cell | null} cell @param {object} [more] */
  tell(event, cell, more = {}) {
    this.model.send({ event, cell, ...more });
  }

  /** @param {Cell} cell */
  place(cell) {
    this.model.set("cursor", cell);
    this.model.save_changes();
  }

  /** @param {PointerEvent} pointer */
  down(pointer) {
    const cell = this.painter().cellAt(pointer.clientX, pointer.clientY);
    const touch = pointer.pointerType === "touch";
    if (touch && !pointer.isPrimary) return this.drop(); // a second finger zooms
    if (!cell) return;
    this.painter().focus.focus({ preventScroll: true });
    this.held = {
      button: pointer.button,
      cell: String(cell),
      touch,
      x: pointer.clientX,
      y: pointer.clientY,
      timer: 0,
      long: false,
    };
    this.place(cell);
    if (touch) {
      this.wait(this.held, cell);
      return;
    }
    this.root.setPointerCapture(pointer.pointerId);
    this.tell("press", cell, {
      button: pointer.button,
      shift: pointer.shiftKey,
      both: pointer.buttons === 3,
    });
    pointer.preventDefault();
  }

  /** Turns a touch into a long press if it stays on the cell for `LONG` milliseconds. @param {Held} held @param {Cell} cell */
  wait(held, cell) {
    held.timer = setTimeout(() => {
      if (this.held !== held) return;
      held.long = true;
      this.tell("long", cell);
    }, LONG);
  }

  /** @param {PointerEvent} pointer */
  move(pointer) {
    const { held } = this;
    const cell = this.painter().cellAt(pointer.clientX, pointer.clientY);
    if (held?.touch) {
      if (Math.hypot(pointer.clientX - held.x, pointer.clientY - held.y) > 10) this.drop();
      return;
    }
    if (String(cell) !== this.hovered) {
      this.hovered = String(cell);
      this.tell("hover", cell, { x: pointer.clientX, y: pointer.clientY });
      if (held && cell && held.cell !== this.hovered) {
        held.cell = this.hovered;
        this.tell("drag", cell, { button: held.button });
      }
    }
  }

  /** @param {PointerEvent} pointer */
  up(pointer) {
    const { held } = this;
    if (!held) return;
    this.drop();
    const cell = this.painter().cellAt(pointer.clientX, pointer.clientY);
    if (held.touch && !held.long && cell) this.tell("press", cell, { button: 0, touch: true });
    this.tell("release", cell, { button: held.button, touch: held.touch, long: held.long });
  }

  drop() {
    clearTimeout(this.held?.timer);
    this.held = null;
  }

  leave() {
    if (this.hovered && this.hovered !== "null") this.tell("hover", null);
    this.hovered = "";
  }

  /** @param {WheelEvent} wheel */
  turn(wheel) {
    if (!this.model.get("wheel") || wheel.ctrlKey || wheel.shiftKey) return;
    const cell = this.painter().cellAt(wheel.clientX, wheel.clientY);
    if (!cell || !wheel.deltaY) return;
    wheel.preventDefault();
    if (this.wheeled.cell !== String(cell)) this.wheeled = { cell: String(cell), pixels: 0 };
    this.wheeled.pixels += wheel.deltaY * (wheel.deltaMode ? LINE : 1);
    if (Math.abs(this.wheeled.pixels) < NOTCH) return;
    this.tell("wheel", cell, { up: this.wheeled.pixels < 0 });
    this.wheeled.pixels = 0;
  }

  /** @param {KeyboardEvent} key */
  press(key) {
    const [row, col] = this.model.get("cursor") || [0, 0];
    const step = MOVES[key.key];
    const last = [this.model.get("rows") - 1, this.model.get("cols") - 1];
    /** @type {Cell | null} */
    let to = null;
    if (step && this.model.get("arrows") !== false && !key.ctrlKey && !key.metaKey && !key.altKey)
      to = [
        Math.max(0, Math.min(last[0], row + step[0])),
        Math.max(0, Math.min(last[1], col + step[1])),
      ];
    else if (key.key === "Home") to = [key.ctrlKey ? 0 : row, 0];
    else if (key.key === "End") to = [key.ctrlKey ? last[0] : row, last[1]];
    if (to) {
      key.preventDefault();
      this.place(to);
      this.painter().show(to);
      this.tell("moved", to, { shift: key.shiftKey });
    }
  }
}
