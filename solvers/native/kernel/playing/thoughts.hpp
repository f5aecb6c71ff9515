// What was thought of positions that come up again and again while one position is played out.
//
// Playouts of one position meet the same boards over and over: the player that plays them does the
// same where it sees the same. So every thought is kept under a key of the board: the cells that it
// proved, or the guess. And playouts of different cells on the same layout often come to the same
// board, from where they end alike: the result of the layout at hand is kept with the thought, too.
#pragma once

#include <cstdint>

#include "board/grid.hpp"
#include "playing/player.hpp"
#include "resources/buffer.hpp"

namespace mines {

struct Thought {
    std::uint64_t key = 0;
    std::int32_t first = 0;                       // where its cells begin: see Thoughts::cells
    std::int32_t safe_count = 0, mine_count = 0;  // proved; the safe cells lie first
    Choice choice;                                // of the guess, where nothing was proved
    std::uint32_t layout = 0;                     // of which `result` is; 0: of none
    double result = 0;
};

class Thoughts {
  public:
    // Forgets everything.
    void clear();
    // From now on another layout is played.
    void next_layout() { ++layout_; }
    // Where to begin with a playout.
    void next_playout() { path_count_ = 0; }

    static std::uint64_t key_of(const Grid& board);
    // What was thought of a board, or -1. The playout goes through it.
    std::int32_t find(std::uint64_t key);
    // Keeps a thought of a board that find() does not know, if there is room. The playout goes
    // through it.
    void keep(const Thought& thought, const std::int32_t* safe, const std::int32_t* mines);
    const Thought& operator[](std::int32_t i) const { return thoughts_[i]; }
    const std::int32_t* cells(const Thought& thought) const {
        return cells_.data() + thought.first;
    }
    // Whether the layout at hand was played on from this thought.
    bool ended(const Thought& thought) const { return thought.layout == layout_; }
    // The end of a playout: all thoughts that it went through lead to this result.
    void end(double result);

  private:
    static constexpr std::uint32_t table_size = 1 << 15;
    static constexpr std::int32_t most_thoughts = table_size / 2, most_cells = 1 << 20;

    std::uint32_t slot_of(std::uint64_t key) const;

    Buffer<std::int32_t> table_;  // index of a thought, or -1
    Buffer<Thought> thoughts_;
    Buffer<std::int32_t> cells_, path_;
    std::int32_t count_ = 0, cell_count_ = 0, path_count_ = 0;
    std::uint32_t layout_ = 0;
};

}  // namespace mines
