// A game: a hidden layout, and the cells that are open. It is the compiled twin of
// csp_mines.games.game for exact clues. With the same seed, both games have the same layout and
// open cells in the same order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "board/grid.hpp"
#include "randomness/pcg64.hpp"
#include "resources/buffer.hpp"

namespace mines {

enum class Start : std::uint8_t { safe, zero, any, sqrt };

struct Rules {
    std::int32_t rows = 0, cols = 0;
    std::int64_t mines = 0;
    bool sweep = false;  // a mine does not end the game
    Start start = Start::safe;
    bool flood = true;
    std::int32_t first = -1;  // plain index of the first cell; -1: not given
    std::int32_t corner = 0;  // plain index of the first cell if `first` is not given
    std::shared_ptr<const NeighbourTable> table;  // null: the square grid
    std::vector<std::int32_t> holes;              // plain indices of places that are not cells

    // The usual rules on boards of this shape.
    static Rules of(const Shape& board, std::int64_t mines) {
        Rules rules;
        rules.rows = board.rows, rules.cols = board.cols;
        rules.mines = mines;
        rules.table = board.table;
        return rules;
    }
};

class Game {
  public:
    // The board that the player sees. The player writes its marks here, too.
    Grid board;
    std::int64_t opened_cells = 0, marked_cells = 0, exploded = 0;

    // Deals a new game whose layout follows from `seed`. False: there are too many mines for the
    // board. A start of kind sqrt chooses its cells by the second seed, `started`; other starts do
    // not read `started`.
    bool deal(const Rules& rules, const std::uint8_t* seed, const std::uint8_t* started);
    // Deals a new game with a given layout: rows x cols flags, 1 for a mine.
    void deal_given(const Rules& rules, const std::uint8_t* flags);

    // Continues the dealt game from a board that fits the layout of the game. May be called any
    // number of times. Opened mines count as marked, so that the game can still be won.
    void resume(const Grid& seen);

    // Makes the first opening, if the rules ask for one. The cells that it opened are in `fresh`.
    void begin();
    // Opens a hidden cell. The cells that show something new are in `fresh`, in order.
    void open(std::int32_t position);
    // Marks a hidden cell.
    void mark(std::int32_t position);

    bool is_mine(std::int32_t position) const { return shows()[position] == opened; }
    bool over() const;
    bool won() const;

    Buffer<std::int32_t> fresh;
    std::int32_t fresh_count = 0;

  private:
    void shape(const Rules& rules);
    std::int32_t first_cell() const { return rules_.first >= 0 ? rules_.first : rules_.corner; }
    void count();
    void place_mines(const std::uint8_t* seed);
    void keep_clear(std::int32_t first);
    void show_some();
    void flood_from(std::int32_t position);
    std::int8_t* shows() { return shows_.data() + Grid::slack; }
    const std::int8_t* shows() const { return shows_.data() + Grid::slack; }

    Rules rules_;
    std::int64_t cells_ = 0;  // without holes
    const std::uint8_t* started_ = nullptr;
    Buffer<std::int8_t> shows_;   // by position: what a cell shows when it is opened
    Buffer<std::uint8_t> mine_;   // by plain index
    Buffer<std::uint8_t> clear_;  // by plain index: 1 for a cell that must not have a mine
    Buffer<std::uint64_t> numbers_, candidates_;
    Buffer<std::int32_t> order_;
};

}  // namespace mines
