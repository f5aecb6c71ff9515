// @ts-check
/** What more than one view offers to choose from. */

/** What the first cell of a game is promised to be. @type {[string, string][]} */
export const STARTS = [
  ["zero", "opens an area"],
  ["safe", "is safe"],
];
