/** The levels, agents, engines, formats, grids and starts that the page offers. All but the starts come from the server. */

/** @typedef {{name: string, rows: number, cols: number, mines: number}} Level */
/**
 * The answer of the route `choices`.
 * @typedef {object} Choices
 * @property {Level[]} levels the smallest first
 * @property {string[]} clues
 * @property {import("./board.js").GridData[]} grids the usual one first
 * @property {{name: string, about: string, writes_boards: boolean}[]} formats
 * @property {{name: string, title: string, summary: string, available: boolean}[]} backends
 * @property {Record<string, string>} titles names of engines and agents for people
 * @property {string} default_backend
 * @property {string[]} compared the engines that are shown side by side, the weakest first
 * @property {string[]} agents
 * @property {string} default_agent
 * @property {{name: string, words: string}[]} grades
 * @property {{cells: number, played: number, opened: number}} most the largest board, the largest
 *   game, and the most cells of one turn
 */

/** What a start promises about the first cell. @type {[string, string][]} */
export const STARTS = [
  ["zero", "opens an area"],
  ["safe", "is safe"],
];

/** The levels as options. @param {Level[]} levels @returns {[string, string][]} */
export const levelOptions = (levels) => levels.map(({ name }) => [name, capitalised(name)]);

/** The grids as options. @param {import("./board.js").GridData[]} grids @returns {[string, string, string][]} */
export const gridOptions = (grids) =>
  grids.map(({ around, grid, title }) => [grid, title, countsIn({ around })]);

/** What a number counts, as a sentence. @param {{around: string}} grid */
export const countsIn = ({ around }) => `A number counts the mines among ${around}.`;

/** The level that a view begins with: the one in the middle. @param {Level[]} levels */
export const middleLevel = (levels) => levels[Math.floor(levels.length / 2)].name;

/** @param {string} word */
export const capitalised = (word) => `${word[0].toUpperCase()}${word.slice(1)}`;
