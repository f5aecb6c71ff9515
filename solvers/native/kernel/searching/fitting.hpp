// Lists layouts: all ways to place mines on a few unknown cells so that the clues around are true.
//
// The cells are numbered 0..count-1, and a layout is a set of cells, the bits of one word. Cells
// that share a clue, directly or through other cells, form a group. The ways to place mines on each
// group are listed once. Then every layout joins one way of each group. So dead ends in one group
// are not repeated for every way of another group.
#pragma once

#include <cstdint>

#include "board/grid.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Fitting {
  public:
    static constexpr int max_cells = 64;

    // Lists the layouts of the unknown cells at the positions `cells` with `mines` mines (negative:
    // any number). If a clue is beside one of these cells, `cells` must contain all unknown cells
    // around the clue. False: there are more than `limit` layouts, or listing them takes more than
    // `steps` steps.
    bool list(const Grid& board, const std::int32_t* cells, int count, std::int64_t mines,
              std::int64_t limit, std::int64_t steps);

    std::int64_t size() const { return size_; }
    // The number of steps that the last listing took.
    std::int64_t steps() const { return allowed_ - steps_; }
    std::uint64_t operator[](std::int64_t i) const { return layouts_[i]; }
    int cells() const { return count_; }
    std::int32_t position(int cell) const { return cells_[cell]; }
    // near() is the set of listed cells around a cell, known() the number of known mines there.
    std::uint64_t near(int cell) const { return near_[cell]; }
    int known(int cell) const { return known_[cell]; }

  private:
    __extension__ using Numbers = unsigned __int128;  // a set of numbers from 0 to 64, as bits
    struct Clue {
        std::uint64_t cells;
        int mines;
    };
    struct Group {
        std::uint64_t cells;
        std::int64_t first, end;  // its ways to place mines: indices into ways_
        Numbers sizes;            // the numbers of mines that the group can have
    };

    void survey(const Grid& board);
    std::uint64_t bit_of(std::int32_t cell) const;
    void add_clue(const Grid& board, std::int32_t clue);
    bool list_groups();
    bool list_group(Group& group, std::uint64_t chosen, std::uint64_t left);
    bool join(int group, std::uint64_t chosen, std::int64_t mines);
    bool fill_free(std::uint64_t chosen, std::uint64_t left, std::int64_t mines);
    bool add(std::uint64_t layout);

    int count_ = 0, clue_count_ = 0, group_count_ = 0;
    std::int32_t cells_[max_cells];
    std::uint64_t near_[max_cells];
    int known_[max_cells];
    std::uint64_t clued_[max_cells];  // per cell, all cells that share a clue with it
    Buffer<Clue> clues_;
    Buffer<std::int32_t> clue_positions_;
    Group groups_[max_cells];
    std::uint64_t free_ = 0;  // cells without a clue
    // Per group: how many mines this group, the later groups and the free cells can have together.
    Numbers reach_[max_cells + 1];
    std::int64_t limit_ = 0, steps_ = 0, allowed_ = 0, size_ = 0, way_count_ = 0, mines_ = -1;
    Buffer<std::uint64_t> ways_, layouts_;
};

}  // namespace mines
