// Keeps the thoughts of a player. A thought is the player's decision on one board: the cells that
// it proved or, if it proved none, its guess.
//
// The playouts of one position reach the same boards again and again, and on the same board the
// player always decides the same. So every thought is kept under a key of its board. Playouts of
// different cells on the same layout often reach the same board, and from there they have the same
// result. So a thought also keeps the result on the current layout.
#pragma once

#include <cstdint>

#include "board/grid.hpp"
#include "playing/player.hpp"
#include "resources/buffer.hpp"

namespace mines {

struct Thought {
    std::uint64_t key = 0;
    std::int32_t first = 0;  // where its proved cells begin: see Thoughts::cells
    std::int32_t safe_count = 0, mine_count = 0;  // its safe cells come before its mines
    Choice choice;                                // the guess, if nothing was proved
    std::uint32_t layout = 0;                     // the layout of `result`; 0: no result
    double result = 0;
};

class Thoughts {
  public:
    // Forgets all thoughts.
    void clear();
    // Call this before the playouts on the next layout.
    void next_layout() { ++layout_; }
    // Call this before each playout.
    void next_playout() { path_count_ = 0; }

    static std::uint64_t key_of(const Grid& board);
    // Returns the index of the thought about a board, or -1 if there is none. Records that the
    // playout passes through this thought.
    std::int32_t find(std::uint64_t key);
    // Keeps a thought about a board for which find() has none, if there is room, and records that
    // the playout passes through it.
    void keep(const Thought& thought, const std::int32_t* safe, const std::int32_t* mines);
    const Thought& operator[](std::int32_t i) const { return thoughts_[i]; }
    const std::int32_t* cells(const Thought& thought) const {
        return cells_.data() + thought.first;
    }
    // Whether a playout on the current layout has passed through this thought and ended.
    bool ended(const Thought& thought) const { return thought.layout == layout_; }
    // Ends a playout, and gives its result to all thoughts that it passed through.
    void end(double result);

  private:
    static constexpr std::uint32_t table_size = 1 << 15;
    static constexpr std::int32_t most_thoughts = table_size / 2, most_cells = 1 << 20;

    std::uint32_t slot_of(std::uint64_t key) const;

    Buffer<std::int32_t> table_;  // a hash table: index of a thought, or -1
    Buffer<Thought> thoughts_;
    Buffer<std::int32_t> cells_, path_;
    std::int32_t count_ = 0, cell_count_ = 0, path_count_ = 0;
    std::uint32_t layout_ = 0;
};

}  // namespace mines
