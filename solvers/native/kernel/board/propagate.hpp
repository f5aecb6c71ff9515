// Propagation: what single clues and pairs of clues prove before anything is counted.
//
// Propagation counts the hidden cells and the known mines around every clue. In the grid, it gives
// proved cells the codes proved_mine and proved_safe. It is sound under every clue model. It
// reports only some contradictions; counting finds the others.
#pragma once

#include <cstdint>

#include "board/grid.hpp"
#include "board/model.hpp"
#include "board/passes.hpp"
#include "board/single_clue.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Propagation {
  public:
    std::int64_t hidden_cells = 0;  // still not proved
    std::int64_t known_mines = 0;   // marked, opened and proved

    // The number of hidden cells and the number of known mines around a clue.
    Around around(std::int32_t clue) const { return around_.at(clue); }
    // By position: 1 for a clue that has hidden cells around it, else 0.
    std::uint8_t* active() { return active_.data() + Grid::slack; }
    // An array of the same size, for intermediate results.
    std::uint8_t* line() { return line_.data() + Grid::slack; }

    // Counts the hidden cells and known mines around every cell, and applies each clue alone until
    // nothing changes. False: no layout fits.
    bool single(Grid& grid, Model model);

    // Compares exact clues in pairs, and applies single clues again, until nothing changes. For a
    // pair A, B it compares the cells that touch only A with those that touch only B. `clues` has
    // the positions of all clues that still have hidden neighbours. True: a cell was proved.
    bool pairs(Grid& grid, const std::int32_t* clues, std::int32_t count);

    // Finds the active clues. False: some clue cannot be true.
    bool survey(const Grid& grid, Model model);

  private:
    void recount(const Grid& grid);
    void drain(Grid& grid, Model model);
    void prove(Grid& grid, Model model, std::int32_t position, bool mine);
    Proof proof_of(const Grid& grid, Model model, std::int32_t position);
    void consider(const Grid& grid, Model model, std::int32_t position);
    // A clue, and the hidden cells around it that are not around the other clue of a pair.
    struct Alone {
        std::int32_t clue;
        const std::int32_t* cells;
        int size;
    };
    bool pair(Grid& grid, std::int32_t a, std::int32_t b, int rows, int cols);
    bool pair_of_table(Grid& grid, std::int32_t a, std::int32_t b);
    int heavier(const Grid& grid, std::int32_t a, std::int32_t b, int only_a, int only_b) const;
    bool compare(Grid& grid, const Alone& a, const Alone& b);

    std::uint8_t* kind() { return kind_.data() + Grid::slack; }
    std::uint8_t* trigger() { return trigger_.data() + Grid::slack; }

    Surroundings around_;
    Buffer<std::uint8_t> active_, line_, kind_, trigger_;
    Buffer<std::int32_t> queue_;
    std::int32_t queued_ = 0;
};

}  // namespace mines
