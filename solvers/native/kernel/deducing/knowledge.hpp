// What is known of each cell during a game, and the two weakest engines: single clues and pairs of
// clues.
//
// Arrays have a border, as in board/grid.hpp. Every cell has two counts: of the unknown cells and
// of the known mines around it. An engine examines a clue again only when these counts changed.
// Changes are recorded in order, so that the deductions of an engine can be undone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "board/grid.hpp"
#include "board/single_clue.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Knowledge : public Shape {
  public:
    enum State : std::uint8_t {
        unknown,  // hidden and not proved
        mine,     // hidden and proved (or marked) a mine
        safe,     // hidden and proved safe
        open,     // shows a clue
        outside,  // shows no clue: the border, holes, and safe cells without a clue
    };
    struct Change {
        std::int32_t position;
        State before;
    };

    // Shapes the board and hides every cell. If `neighbours` is null, the grid is square. `holes`
    // are the plain indices of places that are not cells.
    void begin(std::int32_t row_count, std::int32_t col_count,
               const std::shared_ptr<const NeighbourTable>& neighbours = nullptr,
               const std::vector<std::int32_t>& holes = {});

    State state(std::int32_t position) const { return states_[position]; }
    int clue(std::int32_t position) const { return clues_[position]; }
    // How many mines around a clue are not known yet.
    int mines_left(std::int32_t position) const { return clues_[position] - mines_[position]; }

    // Records that the cell shows `clue` from now on.
    void show(std::int32_t position, int clue);
    // Records that the cell is a mine, or safe, or shows no clue.
    void learn(std::int32_t position, State state);
    // Records that the cell is a mine or safe, unless that is known.
    void prove(std::int32_t position, bool is_mine) {
        if (states_[position] == unknown) learn(position, is_mine ? mine : safe);
    }
    // The unknown cells around a cell, in ascending order.
    std::vector<std::int32_t> unknown_around(std::int32_t position) const;

    // Applies each clue alone until nothing changes.
    void singles();
    // Compares pairs of clues and applies single clues until nothing changes. In a pair, the
    // unknown cells of one clue must be among those of the other clue. With `wide`, it is enough
    // that the two clues share an unknown cell. The graded engine `pair` does not use `wide`.
    void pairs(bool wide);

    // The changes since begin(), in order, except those by show().
    std::vector<Change>& changes() { return changes_; }
    // Undoes all changes except the first `kept`. Allowed only if no cell was shown after these.
    void take_back(std::size_t kept);

    std::int32_t safe_cells() const { return safe_cells_; }
    // The positions that show a clue with unknown cells around it, in reading order.
    const std::vector<std::int32_t>& active();

  private:
    static constexpr std::int32_t margin = 2;  // empty rows and columns of bits outside the border

    void shape(std::int32_t row_count, std::int32_t col_count,
               const std::shared_ptr<const NeighbourTable>& neighbours,
               const std::vector<std::int32_t>& holes);
    void set(std::int32_t position, State state);
    Proof proof_of(std::int32_t position) const {
        return single_clue(mines_left(position), unknown_[position]);
    }
    void consider(std::int32_t position);
    void touch(std::int32_t position);
    void settle(std::int32_t position);
    std::uint64_t window(std::int32_t position) const;
    void flip_bit(std::int32_t position);
    bool pair_with(std::int32_t position, std::uint64_t cells, bool wide);
    bool pair_by_table(std::int32_t position, bool wide);
    bool pair_by_table(std::int32_t position, std::int32_t other, bool wide);
    void learn_window(std::int32_t position, std::uint64_t cells, State state);

    Buffer<State> states_;
    Buffer<std::int8_t> clues_, unknown_, mines_;
    Buffer<std::uint8_t> touched_;  // whether a clue waits for pairs() to examine it
    Buffer<std::uint64_t> bits_;    // the unknown cells, one bit each
    Buffer<State> fresh_states_;    // the states of a new board of this size
    Buffer<std::int8_t> fresh_unknown_;
    Buffer<std::uint64_t> fresh_bits_;
    Buffer<std::int32_t> bit_of_;  // per position, the index of its bit
    std::int32_t words_ = 0;       // per row of bits
    std::vector<std::int32_t> holes_;
    // For pair_by_table(): the unknown cells around the clue `position`, and the unknown cells that
    // touch the clue `other` but not the clue `position`.
    std::vector<std::int32_t> own_cells_, only_theirs_;
    std::vector<std::int32_t> queue_;  // clues that prove all their unknown cells
    std::vector<std::int32_t> waiting_;
    std::vector<std::int32_t> active_;
    std::vector<Change> changes_;
    std::int32_t safe_cells_ = 0;
};

}  // namespace mines
