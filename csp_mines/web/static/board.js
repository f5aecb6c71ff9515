/**
 * The board, for the page and for notebooks: `render({model, el})`, as anywidget calls it.
 *
 * The model has these values, which say what to show:
 *
 *   rows, cols, cells   what each cell shows: a number, -1 hidden, -2 marked, -3 opened mine, -4 safe,
 *                       -5 nothing, because there is no cell
 *   grid                where the cells are and which of them touch (`GridData`)
 *   tones               per cell "", "safe", "mine", "wrong", "layout", "ghost" or "pending"
 *   heat, labels        per cell a number from 0 to 1 or null, and a short text
 *   hue                 what the heat means: "risk", or "information" in the accent's colour
 *   lit                 [row, col, kind] for rings of kind clue, cell, target, move, conflict, last,
 *                       so (a step concludes the cell), even (a pair of cells that no number tells apart),
 *                       dead (its number tells nothing new), or tinted: "clue a" to "clue d", "cell a" to "cell d"
 *   letters             [row, col, letter] for cells that a proof names
 *   cursor, label       the cell that the keyboard acts on, and the name of the board
 *   drawing             whether the user draws: the wheel changes cells, and holes can be chosen
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
export const HOLE = -5;

const GUTTER = 20; // pixels for the numbers of rows and columns
const UNIT = 32; // the side of a cell in SVG, before it is scaled
const MOST_ELEMENTS = 2500; // cells; a larger board is painted on a canvas
const NARROWEST = 17; // the smallest cell in pixels, on a board that fits the width
const SMALLEST = 24; // the smallest cell in pixels, on a board that is scrolled
const LARGEST = 40; // the largest cell in pixels
const TINIEST = 9; // pixels of a cell at any zoom
const NOTCH = 60; // pixels of wheel movement that count as one step: less than a mouse's notch
const LINE = 40; // pixels for each line, if the wheel counts in lines
const AROUND = 270; // pixels of the window's height that the board does not use
const JOINED = 12; // pixels for the arrows beside a board whose edges are joined
const LONGEST = 9; // letters of a cell's name that are drawn
const LONG = 420; // milliseconds of a long press
const STATES = [
  "rows",
  "cols",
  "grid",
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
  const reveal = () => queueMicrotask(() => revealIn(painter, model));
  model.on("change:reveal", reveal);
  for (const name of STATES) model.on(`change:${name}`, plan);
  const watcher = new ResizeObserver(resized);
  watcher.observe(el);
  window.addEventListener("resize", resized);
  const input = new Input(model, root, () => painter);
  painter.draw();
  return () => {
    model.off("change:reveal", reveal);
    for (const name of STATES) model.off(`change:${name}`, plan);
    watcher.disconnect();
    window.removeEventListener("resize", resized);
    input.close();
    root.remove();
  };
}

export default { render };

/** Scrolls to the cells of `reveal`. If there is no room for all of them, the first ones stay in view. @param {ReturnType<typeof paint>} painter @param {Model} model */
function revealIn(painter, model) {
  const cells = /** @type {Cell[]} */ (model.get("reveal") || []);
  for (const cell of [...cells].reverse()) if (gridOf(model).has(cell)) painter.show(cell);
}

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
  if (!room.known) {
    // Reading a size makes the browser lay out the whole page, so it is read only after a change.
    room.width = room.root.parentElement?.clientWidth || 600;
    room.height = window.innerHeight;
    room.known = true;
  }
  const [across, down] = gridOf(model).extent;
  const wide = Math.floor((room.width - GUTTER - 2) / across);
  const tall = Math.floor((room.height - AROUND) / down);
  const zoom = model.get("zoom") ?? 1;
  const narrow = wide < NARROWEST && zoom !== 0; // the board is scrolled anyway, so cells can be large
  const fitting = narrow ? SMALLEST : Math.min(LARGEST, wide, Math.max(SMALLEST, tall));
  return measureOf(model, Math.max(TINIEST, Math.round(fitting * (zoom || 1))));
}

/** The sizes of a board with cells of this size. @param {Model} model @param {number} size @returns {Measure} */
export function measureOf(model, size) {
  const { data, extent } = gridOf(model);
  const [width, height] = extent.map((cells) => cells * size + GUTTER + (data.wraps ? JOINED : 1));
  return { size, gutter: GUTTER, width, height };
}

// --- grids ---

/** @typedef {[number, number]} Point to the right and down, in cells */
/**
 * A grid as Python describes it (`drawn_grid`). Only a graph has `extent`, `places`, `near` and `names`.
 * @typedef {object} GridData
 * @property {string} grid how a text names it
 * @property {string} name
 * @property {string} title its name for people
 * @property {string} around the cells that a number counts, in words
 * @property {number} most the largest number
 * @property {string} between what separates the cells of a row in a text
 * @property {Point[]} corners the outline of a cell, from its middle
 * @property {Cell[][]} offsets distances to the cells around a cell of an even row, and of an odd one
 * @property {boolean} [wraps] whether opposite edges are joined
 * @property {Point} origin the middle of the first cell
 * @property {Point} step to the next column and the next row
 * @property {number} shift of odd rows
 * @property {Point} [extent]
 * @property {Point[]} [places] the middle of each cell
 * @property {number[][]} [near] the numbers of the cells around each cell
 * @property {string[]} [names]
 */

/** The grid of a board of some size: where the cells are. Lengths are in cells, from the corner. */
export class Grid {
  /** @param {GridData} data @param {number} rows @param {number} cols */
  constructor(data, rows, cols) {
    this.data = data;
    this.rows = rows;
    this.cols = cols;
  }

  /** How wide and how high the board is. @type {Point} */
  get extent() {
    const { extent, origin, shift, step } = this.data;
    if (extent) return extent;
    const width = 2 * origin[0] + (this.cols - 1) * step[0] + shift;
    return [width, 2 * origin[1] + (this.rows - 1) * step[1]];
  }

  /** @param {Cell} cell @returns {Point} */
  middle([row, col]) {
    const { origin, places, shift, step } = this.data;
    if (places) return places[row * this.cols + col];
    return [origin[0] + col * step[0] + (row & 1 ? shift : 0), origin[1] + row * step[1]];
  }

  /** The left and upper edge of a cell. @param {Cell} cell @returns {Point} */
  corner(cell) {
    const [right, down] = this.middle(cell);
    return [right - 0.5, down - 0.5];
  }

  /** The cell at a point: the one whose middle is nearest. @param {number} right @param {number} down @returns {Cell | null} */
  at(right, down) {
    /** @type {Cell | null} */
    let nearest = null;
    let least = this.data.places ? 0.36 : Infinity; // the cells of a graph do not fill the plane
    for (const cell of this.candidates(right, down)) {
      const [x, y] = this.middle(cell);
      const distance = (x - right) ** 2 + (y - down) ** 2;
      if (distance < least) [least, nearest] = [distance, cell];
    }
    return nearest && this.has(nearest) ? nearest : null;
  }

  /** The cells that may be the nearest to a point. Some may lie outside the board. @param {number} right @param {number} down @returns {Cell[]} */
  candidates(right, down) {
    const { origin, places, shift, step } = this.data;
    if (places) return places.map((_, index) => this.cell(index));
    const row = Math.round((down - origin[1]) / step[1]);
    return [row - 1, row, row + 1].map((near) => [
      near,
      Math.round((right - origin[0] - (near & 1 ? shift : 0)) / step[0]),
    ]);
  }

  /** @param {number} index @returns {Cell} */
  cell(index) {
    return [Math.floor(index / this.cols), index % this.cols];
  }

  /** @param {Cell} cell */
  has([row, col]) {
    return row >= 0 && row < this.rows && col >= 0 && col < this.cols;
  }

  /** The cell at an offset from a cell. Beyond an edge that is joined, it is on the other side. @param {Cell} cell @param {Cell} offset @returns {Cell} */
  beyond([row, col], [down, right]) {
    const { cols, rows } = this;
    if (!this.data.wraps) return [row + down, col + right];
    return [(((row + down) % rows) + rows) % rows, (((col + right) % cols) + cols) % cols];
  }

  /** @param {Cell} cell @returns {Cell[]} */
  around(cell) {
    const { near, offsets } = this.data;
    if (near) return near[cell[0] * this.cols + cell[1]].map((index) => this.cell(index));
    const all = offsets[cell[0] & 1].map((offset) => this.beyond(cell, offset));
    if (!this.data.wraps) return all.filter((other) => this.has(other));
    const others = new Map(all.map((other) => [String(other), other])); // on a narrow board some are equal
    others.delete(String(cell));
    return [...others.values()];
  }

  /** The next cell in a direction, or the same one if there is none. @param {Cell} cell @param {Cell} direction @param {(cell: Cell) => boolean} skipped */
  next(cell, direction, skipped) {
    if (this.data.places) return this.nextPlace(cell, direction, skipped);
    let to = this.beyond(cell, direction);
    while (this.has(to) && skipped(to) && String(to) !== String(cell))
      to = this.beyond(to, direction);
    return this.has(to) ? to : cell;
  }

  /** The nearest cell of a graph in a direction. @param {Cell} cell @param {Cell} direction @param {(cell: Cell) => boolean} skipped */
  nextPlace(cell, [down, right], skipped) {
    const [x, y] = this.middle(cell);
    let [best, least] = [cell, Infinity];
    this.data.places?.forEach((place, index) => {
      const [dx, dy] = [place[0] - x, place[1] - y];
      const along = dx * right + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * right);
      const other = this.cell(index);
      if (along < 0.1 || aside > 2 * along || along + 2 * aside >= least || skipped(other)) return;
      [best, least] = [other, along + 2 * aside];
    });
    return best;
  }

  /** The name of a cell for people, such as `3,4`. @param {Cell} cell */
  label([row, col]) {
    return this.data.names?.[row * this.cols + col] ?? `${row},${col}`;
  }

  /** The outline of a cell whose corner is at 0,0, in units of SVG. @param {number} inset @returns {Part} */
  outline(inset) {
    const side = UNIT - 2 * inset;
    const { corners } = this.data;
    if (corners.length === 4)
      return { tag: "rect", kind: "", more: { x: inset, y: inset, width: side, height: side } };
    const points = corners.map((corner) =>
      corner.map((length) => (UNIT / 2 + length * side).toFixed(2)),
    );
    return { tag: "polygon", kind: "", more: { points: points.join(" ") } };
  }

  /** Adds the outline of a cell to the path of a pen. @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {number} side */
  trace(pen, x, y, side) {
    const { corners } = this.data;
    if (corners.length === 4) return pen.rect(x, y, side, side);
    for (const [right, down] of corners)
      pen.lineTo(x + (0.5 + right) * side, y + (0.5 + down) * side);
    pen.closePath();
  }

  /** The rows and columns of which something is visible: the first, and the one after the last. @param {number[]} from right and down @param {number[]} to */
  visible(from, to) {
    const { origin, places, shift, step } = this.data;
    if (places) return { rows: [0, this.rows], cols: [0, this.cols] };
    /** @param {number} axis @param {number} count @param {number} shifted */
    const range = (axis, count, shifted) => [
      Math.max(0, Math.floor((from[axis] - origin[axis] - shifted - 0.6) / step[axis])),
      Math.min(count, Math.ceil((to[axis] - origin[axis] + 0.6) / step[axis]) + 1),
    ];
    return { rows: range(1, this.rows, 0), cols: range(0, this.cols, shift) };
  }

  /** The lines of a graph, without those of holes. @param {ArrayLike<number>} codes @returns {[Point, Point][]} */
  lines(codes) {
    const { near, places } = this.data;
    if (!near || !places) return [];
    return near.flatMap((others, index) =>
      others
        .filter((other) => other > index && codes[other] !== HOLE && codes[index] !== HOLE)
        .map((other) => /** @type {[Point, Point]} */ ([places[index], places[other]])),
    );
  }

  /** Arrows at the edges that are joined, each as three points. They stand between two cells, where no number of a row or column is. */
  get arrows() {
    if (!this.data.wraps) return [];
    const [width, height] = this.extent;
    const [across, along] = [Math.floor(width / 2), Math.floor(height / 2)];
    const ends = [
      [width, along, 1, 0],
      [0, along, -1, 0],
      [across, height, 0, 1],
      [across, 0, 0, -1],
    ];
    return ends.map(([x, y, right, down]) => [
      [x + 0.3 * right, y + 0.3 * down],
      [x + 0.05 * right + 0.2 * down, y + 0.05 * down + 0.2 * right],
      [x + 0.05 * right - 0.2 * down, y + 0.05 * down - 0.2 * right],
    ]);
  }
}

/** The last grid made for each description. @type {WeakMap<GridData, Grid>} */
const grids = new WeakMap();

/** The grid of a board of this size. @param {GridData} data @param {number} rows @param {number} cols */
export function gridFor(data, rows, cols) {
  let grid = grids.get(data);
  if (!grid || grid.rows !== rows || grid.cols !== cols)
    grids.set(data, (grid = new Grid(data, rows, cols)));
  return grid;
}

/** The grid of a board. @param {Model} model */
const gridOf = (model) => gridFor(model.get("grid"), model.get("rows"), model.get("cols"));

/** Makes a function that says whether a cell is a hole that cannot be chosen. While the user draws, every hole can be chosen. @param {Model} model */
const skips =
  (model) =>
  (/** @type {Cell} */ [row, col]) =>
    model.get("cells")[row * model.get("cols") + col] === HOLE && !model.get("drawing");

/** The cell at a point of the board; null outside the board and at a hole that cannot be chosen. @param {Model} model @param {number} right @param {number} down @returns {Cell | null} */
function cellIn(model, right, down) {
  const cell = gridOf(model).at(right, down);
  return cell && !skips(model)(cell) ? cell : null;
}

/** The cells around a cell that are tinted: none on the usual grid, or while a proof has tints. @param {Model} model @param {Cell | null} cell @returns {Cell[]} */
function hinted(model, cell) {
  const grid = gridOf(model);
  if (!cell || grid.data.name === "square" || !grid.has(cell)) return [];
  if (model.get("lit")?.some((/** @type {Ring} */ [, , kind]) => kind.startsWith("clue")))
    return [];
  const codes = model.get("cells");
  const real = (/** @type {Cell} */ [row, col]) => codes[row * grid.cols + col] !== HOLE;
  return real(cell) ? grid.around(cell).filter(real) : [];
}

/** @param {string} name */
const shortened = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

// --- elements ---

/** @param {string} name @param {Record<string, any>} [attributes] */
export function shape(name, attributes = {}) {
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
    this.near = shape("g", { "aria-hidden": "true" });
    this.rings = shape("g", { class: "rings", "aria-hidden": "true" });
    this.shape = gridOf(model);
    this.place = shape("g", { class: "cursor", "aria-hidden": "true" });
    this.focus.append(this.edges, this.grid, this.near, this.rings, this.place);
    room.root.append(this.focus);
    /** @type {Element[]} */
    this.cells = [];
    /** What each cell shows. @type {string[]} */
    this.drawn = [];
    /** @type {Part[][]} */
    this.worn = [];
    /** @type {Cell | null} */
    this.pointed = null;
    this.framed = "";
    this.laid = "";
    this.cols = 0;
  }

  /** Makes empty cells and everything around them. Does nothing while the size, the grid and the holes of a graph stay the same. */
  lay() {
    const { model } = this;
    const { cols, data, rows } = (this.shape = gridOf(model));
    const holes = data.near ? [...model.get("cells")].map((code) => (code === HOLE ? 1 : 0)) : [];
    const key = `${rows} ${cols} ${data.grid} ${holes.join("")}`;
    if (this.laid === key) return;
    this.laid = key;
    this.cols = cols;
    this.cells = [];
    this.drawn = [];
    this.worn = [];
    this.framed = "";
    this.grid.replaceChildren();
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
    this.place.replaceChildren(outlined(this.shape, 1.5, { rx: 4 }));
    this.edges.replaceChildren(...edgesOf(this.shape, model.get("cells")));
  }

  /** Sets all sizes if they changed: setting the same size would make the browser lay out every text again. */
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
    this.lay();
    this.frame();
    this.focus.setAttribute("aria-label", model.get("label") || "board");
    this.dress();
    this.rings.replaceChildren(
      ...(model.get("lit") || []).map((/** @type {Ring} */ lit) => ring(this.shape, lit)),
      ...(model.get("letters") || []).map((/** @type {Ring} */ named) => badge(this.shape, named)),
    );
    this.hint(this.pointed);
    const at = model.get("cursor");
    if (!at || !this.shape.has(at)) return this.focus.removeAttribute("aria-activedescendant");
    this.focus.setAttribute("aria-activedescendant", `${this.id}-${at[0]}-${at[1]}`);
    put(this.place, { transform: placed(this.shape, at) });
  }

  /** Updates every cell that has changed. */
  dress() {
    const { cells, drawn, worn } = this;
    const look = looks(this.model);
    const outline = this.shape.outline(0.75);
    const face = { ...outline, more: { ...outline.more, rx: 2.5 } };
    for (let index = 0; index < cells.length; index++) {
      const shown = look(index);
      const key = `${shown.code} ${shown.tone} ${opacity(shown)} ${shown.label}`;
      if (drawn[index] === key) continue;
      drawn[index] = key;
      const [cell, parts] = [cells[index], partsOf(shown, face)];
      cell.setAttribute("aria-label", describe(shown, this.shape.label(this.shape.cell(index))));
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

  /** Tints the cells around a cell. @param {Cell | null} cell */
  hint(cell) {
    this.pointed = cell;
    const around = hinted(this.model, cell).map((near) =>
      outlined(this.shape, 1.5, { class: "near", rx: 3, transform: placed(this.shape, near) }),
    );
    if (around.length || this.near.firstChild) this.near.replaceChildren(...around);
  }
}

/** What is around and between the cells: the numbers of rows and columns; the lines and names of a graph; arrows at edges that are joined. @param {Grid} grid @param {ArrayLike<number>} codes @returns {Element[]} */
function edgesOf(grid, codes) {
  const { cols, data, rows } = grid;
  const units = (/** @type {number} */ cells) => cells * UNIT;
  if (data.names) {
    const joined = grid.lines(codes).map(([from, to]) => {
      const [x1, y1, x2, y2] = [...from, ...to].map(units);
      return shape("line", { x1, y1, x2, y2 });
    });
    const named = data.names.flatMap((name, index) => {
      const [x, y] = grid.middle(grid.cell(index)).map(units);
      return codes[index] === HOLE ? [] : [written(shortened(name), { x, y: y - UNIT / 2 - 6 })];
    });
    return [...joined, ...named];
  }
  const across = Array.from({ length: cols }, (_, col) =>
    written(col, { x: units(grid.middle([0, col])[0]), y: -8 }),
  );
  const down = Array.from({ length: rows }, (_, row) =>
    written(row, { x: -11, y: units(grid.middle([row, 0])[1]) }),
  );
  const arrows = grid.arrows.map((corners) =>
    shape("polygon", { points: corners.map((corner) => corner.map(units)).join(" ") }),
  );
  return [...across, ...down, ...arrows];
}

/** A text as an element. @param {number | string} said @param {Record<string, any>} attributes */
function written(said, attributes) {
  const words = shape("text", attributes);
  words.textContent = String(said);
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
  return written(letter, { class: "letter", x: 8, y: 9, transform: placed(grid, [row, col]) });
}

/** @typedef {{code: number, tone: string, heat: number | null, label: string}} Look */

/** Makes a function that gives the look of a cell from its index. @param {Model} model @returns {(index: number) => Look} */
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
  if (look.code === HOLE) return "cell hole";
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
      kind: look.code > 9 ? "clue long" : look.code > 0 ? "clue" : "label",
      more: { x: 16, y: 17 },
      changes: look.code > 0 ? ["fill", `var(--${inkOf(look.code)})`] : undefined,
      words,
    });
  return parts;
}

/** The name of the colour of a number. @param {number} number */
export const inkOf = (number) => `n${((number - 1) % 8) + 1}`;

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

/** @param {Look} look @param {string} cell the name of the cell */
function describe(look, cell) {
  const tone = {
    safe: "proved safe",
    mine: "a mine for certain",
    layout: "a mine",
    ghost: "a mine in this layout",
    wrong: "but it is safe",
    pending: "will be opened",
  };
  const codes = /** @type {Record<number, string>} */ ({
    [HIDDEN]: "hidden",
    [MARKED]: "marked as a mine",
    [EXPLODED]: "opened mine",
    [CLEAR]: "safe, no number",
    [HOLE]: "no cell",
  });
  const words = [codes[look.code] ?? String(look.code)];
  if (look.tone) words.push(tone[/** @type {keyof typeof tone} */ (look.tone)] || look.tone);
  else if (look.label && look.code < 0) words.push(look.label);
  return `${cell}: ${words.join(", ")}`;
}

// --- canvas ---

/** Paints the board on a canvas that is as large as the visible part. */
class Painting {
  wanted = "canvas";
  early = false;

  /** @param {Model} model @param {Room} room */
  constructor(model, room) {
    this.model = model;
    this.room = room;
    const made = () => document.createElement("div");
    this.focus = put(made(), { class: "board-window", tabindex: 0, role: "application" });
    this.space = made();
    this.canvas = put(document.createElement("canvas"), { "aria-hidden": "true" });
    this.spoken = put(made(), { class: "spoken", role: "status" });
    this.space.append(this.canvas);
    this.focus.append(this.space);
    /** @type {Cell | null} */
    this.pointed = null;
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
    if (at && gridOf(model).has(at) && document.activeElement === focus) {
      const index = at[0] * model.get("cols") + at[1];
      this.spoken.textContent = describe(looks(model)(index), gridOf(model).label(at));
    }
    paintCanvas(this.canvas, model, sizes, {
      left: focus.scrollLeft,
      top: focus.scrollTop,
      width: focus.clientWidth,
      height: focus.clientHeight,
      focused: document.activeElement === focus,
      near: hinted(model, this.pointed),
    });
  }

  /** Tints the cells around a cell. @param {Cell | null} cell */
  hint(cell) {
    const before = hinted(this.model, this.pointed).length;
    this.pointed = cell;
    if (before || hinted(this.model, cell).length) this.draw();
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

  /** @param {Cell} cell */
  show(cell) {
    const { focus } = this;
    const { size, gutter } = measure(this.model, this.room);
    const [x, y] = gridOf(this.model)
      .corner(cell)
      .map((cells) => cells * size);
    /** @param {number} from @param {number} at @param {number} shown */
    const scrolled = (from, at, shown) =>
      Math.min(at, Math.max(from, at + size + gutter - shown + 1));
    focus.scrollLeft = scrolled(focus.scrollLeft, x, focus.clientWidth);
    focus.scrollTop = scrolled(focus.scrollTop, y, focus.clientHeight);
  }
}

/** Makes a function that gives a colour of the style sheet by its name, in the theme of the canvas.
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
 * @param {{left: number, top: number, width: number, height: number, focused?: boolean, near?: Cell[]}} view
 */
export function paintCanvas(canvas, model, sizes, view) {
  const { size, gutter } = sizes;
  const [width, height] = [Math.min(view.width, sizes.width), Math.min(view.height, sizes.height)];
  const colour = palette(canvas);
  const pen = blank(canvas, width, height, colour("stage"));
  if (!pen) return;
  const grid = gridOf(model);
  const shown = grid.visible(
    [view.left / size, view.top / size],
    [(view.left + width) / size, (view.top + height) / size],
  );
  /** @param {Point} point @returns {Point} */
  const pixels = ([right, down]) => [
    gutter + right * size - view.left,
    gutter + down * size - view.top,
  ];
  const look = looks(model);
  const codes = model.get("cells");
  const hue = model.get("hue") === "information" ? "accent" : "heat";
  const paint = { pen, colour, hue, grid, size, pixels };
  pen.save();
  pen.beginPath();
  pen.rect(gutter, gutter, width - gutter, height - gutter);
  pen.clip();
  paintLines(paint, grid.lines(codes));
  for (let row = shown.rows[0]; row < shown.rows[1]; row++)
    for (let col = shown.cols[0]; col < shown.cols[1]; col++) {
      const [x, y] = pixels(grid.corner([row, col]));
      const inside = x > -size && y > -size && x < width && y < height;
      if (inside) paintCell(paint, look(row * grid.cols + col), x, y);
    }
  const near = (view.near || []).map(([row, col]) => [row, col, "near"]);
  const rings = [...near, ...(model.get("lit") || [])];
  const cursor = model.get("cursor");
  if (cursor && grid.has(cursor) && view.focused) rings.push([...cursor, "cursor"]);
  for (const ring of rings) paintRing(paint, ring);
  paintLetters(paint, model.get("letters") || []);
  pen.restore();
  paintEdges(paint, codes, shown);
}

/** An empty canvas of a size, and the pen that paints on it. @param {HTMLCanvasElement} canvas @param {number} width @param {number} height @param {string} colour */
function blank(canvas, width, height, colour) {
  const dots = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * dots);
  canvas.height = Math.round(height * dots);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  if (!pen) return null;
  pen.setTransform(dots, 0, 0, dots, 0, 0);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, width, height);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  return pen;
}

/** What every painting function needs: `hue` is the colour of heat, `pixels` the place of a point. @typedef {{pen: CanvasRenderingContext2D, colour: (name: string) => string, hue: string, grid: Grid, size: number, pixels: (point: Point) => Point}} Paint */

/** @param {Paint} paint @param {[Point, Point][]} lines */
function paintLines({ pen, colour, pixels }, lines) {
  pen.strokeStyle = colour("hidden-edge");
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const [from, to] of lines) {
    pen.moveTo(...pixels(from));
    pen.lineTo(...pixels(to));
  }
  pen.stroke();
}

/** @param {Paint} paint @param {Ring[]} letters */
function paintLetters({ pen, colour, grid, size, pixels }, letters) {
  pen.fillStyle = colour("ink");
  pen.font = `700 ${size * 0.32}px system-ui, sans-serif`;
  for (const [row, col, letter] of letters) {
    const [x, y] = pixels(grid.corner([row, col]));
    pen.fillText(letter, x + size / 4, y + size / 4);
  }
}

/** What is at the edges: see `edgesOf`. @param {Paint} paint @param {ArrayLike<number>} codes @param {{rows: number[], cols: number[]}} shown */
function paintEdges({ pen, colour, grid, pixels }, codes, { rows, cols }) {
  pen.fillStyle = colour("faint");
  pen.font = "10px system-ui, sans-serif";
  grid.data.names?.forEach((name, index) => {
    const [x, y] = grid.middle(grid.cell(index));
    const [right, down] = pixels([x, y - 0.5]);
    if (codes[index] !== HOLE) pen.fillText(shortened(name), right, down - 6);
  });
  if (grid.data.names) return;
  for (let col = cols[0]; col < cols[1]; col++)
    pen.fillText(String(col), pixels(grid.middle([0, col]))[0], 11);
  for (let row = rows[0]; row < rows[1]; row++)
    pen.fillText(String(row), 9, pixels(grid.middle([row, 0]))[1]);
  pen.fillStyle = colour("accent");
  for (const corners of grid.arrows) {
    pen.beginPath();
    for (const corner of corners) pen.lineTo(...pixels(/** @type {Point} */ (corner)));
    pen.fill();
  }
}

/** @param {Paint} paint @param {Look} look @param {number} x @param {number} y */
function paintCell(paint, look, x, y) {
  const { pen, colour, hue, grid, size } = paint;
  if (look.code === HOLE) return;
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
  paintWords(paint, look, x + inner / 2, y + inner / 2 + 0.5);
}

/** @param {Paint} paint @param {Look} look @param {number} x @param {number} y */
function paintWords({ pen, colour, size }, look, x, y) {
  const words = wordsOf(look);
  if (!words) return;
  pen.fillStyle = look.code > 0 ? colour(inkOf(look.code)) : colour("ink");
  pen.font =
    look.code > 0
      ? `650 ${size * (look.code > 9 ? 0.44 : 0.56)}px system-ui, sans-serif`
      : `${Math.max(8, size * 0.36)}px system-ui, sans-serif`;
  pen.fillText(words, x, y);
}

/** @param {Paint} paint @param {Ring} ring */
function paintRing({ pen, colour, grid, size, pixels }, [row, col, kind]) {
  const [x, y] = pixels(grid.corner([row, col]));
  const [what, tint] = kind.split(" ");
  const colours = /** @type {Record<string, string>} */ ({ conflict: "mine", last: "ink" });
  pen.strokeStyle = colour(tint && what !== "so" ? `tint-${tint}` : colours[what] || "accent");
  pen.lineWidth = ["target", "move", "conflict", "so"].includes(what) ? 2.5 : 1.5;
  pen.beginPath();
  grid.trace(pen, x + 1, y + 1, size - 3);
  if (what !== "near") return pen.stroke();
  pen.fillStyle = colour("accent-soft");
  pen.fill();
}

// --- pointer and keys ---

const MOVES = /** @type {Record<string, Cell>} */ ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
});

/** @typedef {{button: number, cell: string, touch: boolean, x: number, y: number, timer: any, long: boolean}} Held */

/** Turns actions of pointers, wheel and keys into events for the model. */
class Input {
  /** @param {Model} model @param {HTMLElement} root @param {() => ReturnType<typeof paint>} painter */
  constructor(model, root, painter) {
    this.model = model;
    this.root = root;
    this.painter = painter;
    /** @type {Held | null} */
    this.held = null;
    this.hovered = "";
    this.wheeled = { cell: "", pixels: 0 };
    /** @type {[string, (event: any) => void, any?][]} */
    this.heard = [
      ["pointerdown", (event) => this.down(event)],
      ["pointermove", (event) => this.move(event)],
      ["pointerup", (event) => this.up(event)],
      ["pointercancel", () => this.drop()],
      ["pointerleave", (event) => this.leave(event)],
      ["wheel", (event) => this.turn(event), { passive: false }],
      ["keydown", (event) => this.press(event)],
      ["contextmenu", (event) => event.preventDefault()],
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
    this.painter().hint(cell);
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
      this.painter().hint(cell);
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

  /** After a touch, the cells around the cell stay tinted. @param {PointerEvent} pointer */
  leave(pointer) {
    if (pointer.pointerType !== "touch") this.painter().hint(null);
    if (this.hovered && this.hovered !== "null") this.tell("hover", null);
    this.hovered = "";
  }

  /** @param {WheelEvent} wheel */
  turn(wheel) {
    if (!this.model.get("drawing") || wheel.ctrlKey || wheel.shiftKey) return;
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
    const grid = gridOf(this.model);
    const cursor = this.model.get("cursor");
    /** @type {Cell} */
    const at = cursor && grid.has(cursor) ? cursor : [0, 0];
    const step = MOVES[key.key];
    const skipped = skips(this.model);
    /** @param {number} row */
    const line = (row) =>
      Array.from({ length: grid.cols }, (_, col) => /** @type {Cell} */ ([row, col])).filter(
        (cell) => !skipped(cell),
      );
    /** @type {Cell | undefined} */
    let to;
    if (step && this.model.get("arrows") !== false && !key.ctrlKey && !key.metaKey && !key.altKey)
      to = grid.next(at, step, skipped);
    else if (key.key === "Home") to = line(key.ctrlKey ? 0 : at[0])[0];
    else if (key.key === "End") to = line(key.ctrlKey ? grid.rows - 1 : at[0]).pop();
    if (to) {
      key.preventDefault();
      this.place(to);
      this.painter().show(to);
      this.painter().hint(to);
      this.tell("moved", to, { shift: key.shiftKey });
    }
  }
}
