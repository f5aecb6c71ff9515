/** The lessons of Learn, the easiest grade first. A test checks this order. */

/**
 * A lesson: a position, a question about it, and words. `find` says what the learner has to find: a
 * "safe" cell, a "mine", or that "none" is safe. `cell` is the answer that is explained.
 * @typedef {object} Lesson
 * @property {string} id
 * @property {string} title
 * @property {"safe" | "mine" | "none"} find
 * @property {[number, number]} cell
 * @property {string} board
 * @property {string} words
 */

/** @type {Lesson[]} */
export const LESSONS = [
  {
    id: "only-left",
    title: "Only its mines are left",
    find: "mine",
    cell: [0, 0],
    board: "?1000\n11000\n00111\n001??\n001??",
    words:
      "A number says how many of the cells around it are mines. If it has no more hidden cells " +
      "than mines, all of them are mines.",
  },
  {
    id: "all-found",
    title: "All its mines are known",
    find: "safe",
    cell: [3, 0],
    board: "mines: 8\n?20000\n?30000\n?20000\n?20122\n?201??\n?201??",
    words:
      "When you know all mines of a number, its other hidden cells are safe. Find the mines of the " +
      "3 first.",
  },
  {
    id: "one-one",
    title: "1-1 at the wall",
    find: "safe",
    cell: [0, 2],
    board: "???\n11C\nCCC",
    words:
      "Both cells that the first 1 sees are seen by the second 1, too. A ✓ is an open cell whose " +
      "number does not matter here.",
  },
  {
    id: "hole",
    title: "A hole",
    find: "safe",
    cell: [0, 1],
    board: "?????\n??1??\nCC1CC\nCCCCC",
    words: "The number in the hole sees everything that the number behind it sees, and more.",
  },
  {
    id: "triangle",
    title: "A triangle",
    find: "safe",
    cell: [1, 3],
    board: "CCCC\nC1??\nC?1?\nC???",
    words: "The corner number sees two cells. The number on the diagonal sees both of them.",
  },
  {
    id: "subtraction",
    title: "One clue taken from another",
    find: "safe",
    cell: [0, 5],
    board: "mines: 8\n??1???\n22112?\n?1001?\n110011\n12322?\n1???2?",
    words:
      "Take the mines of one number from another: what is left is a new fact. A third number meets " +
      "that fact.",
  },
  {
    id: "one-two",
    title: "1-2",
    find: "mine",
    cell: [0, 3],
    board: "????\nC12C\nCCCC",
    words:
      "Beside a 1, a 2 has at most one mine in the two cells that they share. So its third cell is " +
      "a mine.",
  },
  {
    id: "one-two-one",
    title: "1-2-1",
    find: "safe",
    cell: [0, 2],
    board: "?????\nC121C\nCCCCC",
    words: "Use 1-2 from both sides: the mines are in front of the 1s.",
  },
  {
    id: "one-two-two-one",
    title: "1-2-2-1",
    find: "safe",
    cell: [0, 1],
    board: "??????\nC1221C\nCCCCCC",
    words: "Use 1-2 from both sides again: the mines are in front of the 2s.",
  },
  {
    id: "cases",
    title: "Trying cases",
    find: "safe",
    cell: [1, 4],
    board: "mines: 8\n??1???\n1112??\n0001??\n1101??\n?321??\n??????",
    words:
      "Here, combining a few numbers decides nothing. Suppose that a cell is a mine, and follow what " +
      "happens: if a number can no longer be true, the cell is safe.",
  },
  {
    id: "last-cells",
    title: "The mine count",
    find: "safe",
    cell: [2, 0],
    board: "mines: 2\n?1C1?\n?CCC?\n?CCC?",
    words: "Two mines in all. Two numbers account for both, so nothing is left for other cells.",
  },
  {
    id: "fifty-fifty",
    title: "A 50/50",
    find: "none",
    cell: [8, 8],
    board:
      "mines: 10\n000111000\n0123?1011\n12??2101?\n?22211121\n110001?21\n00000112?\n000001121\n000002?31\n000002???",
    words:
      "One of two cells is a mine, and no number will ever tell which. Thinking does not help: " +
      "guess at once, or leave it for the end.",
  },
];
