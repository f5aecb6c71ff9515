// The board as the kernel holds it: one signed byte per cell in an array with a border of one cell.
// On the square grid the neighbours of a cell are eight fixed steps away, and no loop tests for an
// edge. On any other grid a `NeighbourTable` lists them.
//
// The code of a cell is its clue (0..99) or one of the codes below. Propagation gives a new code to
// every hidden cell that it proves safe or a mine.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "resources/buffer.hpp"

namespace mines {

enum Code : std::int8_t {
    hidden = -1,
    marked = -2,  // a mine that the player marked
    opened = -3,  // a mine that the player opened
    blank = -4,   // safe and without a clue; also the border
    proved_mine = -5,
    proved_safe = -6,
    frontier_open = -7,  // after an analysis: an undecided cell of the frontier
};

inline constexpr std::int8_t hole = -5;  // in the codes of a caller; read as `blank`

inline bool known_mine(std::int8_t code) {
    return code == marked || code == opened;
}

inline constexpr int square_neighbours = 8;
inline constexpr int most_neighbours = 99;  // on any grid; as in csp_mines.geometry

// The neighbours of every cell, for a board that is not a plain square grid. The neighbours of a
// position are cells[starts[position]..starts[position + 1]-1], as positions in ascending order. A
// position in the border has none.
struct NeighbourTable {
    std::int32_t row_count = 0, col_count = 0;
    int most = 0;  // the largest clue of the grid
    std::vector<std::int32_t> starts, cells;

    // Makes the table from lists of plain indices (see Shape). The neighbours of cell i are
    // near[first[i]..first[i + 1]-1], in ascending order. `first_count` and `near_count` are the
    // sizes of `first` and `near`. Throws std::invalid_argument if the lists break these rules, or
    // if a cell has more than `largest_clue` neighbours.
    NeighbourTable(std::int32_t row_total, std::int32_t col_total, int largest_clue,
                   const std::int32_t* first, std::size_t first_count, const std::int32_t* near,
                   std::size_t near_count);

    int degree(std::int32_t position) const { return starts[position + 1] - starts[position]; }
};

// The neighbours of a cell as positions. On the square grid there are always eight, some of them in
// the border.
struct Beside {
    struct Iterator {
        std::int32_t base;
        const std::int32_t* at;
        std::int32_t operator*() const { return base + *at; }
        Iterator& operator++() {
            ++at;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return at != other.at; }
    };
    std::int32_t base;
    const std::int32_t *first, *last;
    Iterator begin() const { return {base, first}; }
    Iterator end() const { return {base, last}; }
};

// The size of a board, and the indices of its cells. A *position* is an index into the array with
// the border. A *plain* index counts the cells row by row, without the border.
struct Shape {
    std::int32_t rows = 0;
    std::int32_t cols = 0;
    std::int32_t stride = 0;  // cols + 2
    std::int32_t size = 0;    // (rows + 2) * stride
    std::uint64_t reciprocal = 0;
    std::int32_t around[square_neighbours] = {};  // offsets of the eight neighbours, row by row
    std::shared_ptr<const NeighbourTable> table;  // null on the square grid

    void set(std::int32_t row_count, std::int32_t col_count,
             const std::shared_ptr<const NeighbourTable>& neighbours = nullptr);

    Beside beside(std::int32_t position) const {
        if (table == nullptr) return {position, around, around + square_neighbours};
        const std::int32_t* const starts = table->starts.data() + position;
        return {0, table->cells.data() + starts[0], table->cells.data() + starts[1]};
    }
    // How many cells lie around a cell.
    int degree(std::int32_t position) const;
    // The largest clue of the grid.
    int largest_clue() const { return table == nullptr ? square_neighbours : table->most; }

    std::int64_t cells() const { return static_cast<std::int64_t>(rows) * cols; }
    std::int32_t position(std::int32_t row, std::int32_t col) const {
        return (row + 1) * stride + col + 1;
    }
    std::int32_t position(std::int32_t plain) const { return position(plain / cols, plain % cols); }
    std::int32_t row_of(std::int32_t position) const {
        return static_cast<std::int32_t>((static_cast<unsigned __int128>(reciprocal) *
                                          static_cast<std::uint32_t>(position)) >>
                                         64) -
               1;
    }
    // The plain index of a position.
    std::int32_t plain(std::int32_t position) const {
        assert(on_board(position));
        return position - stride - 1 - 2 * row_of(position);
    }

    // Whether a position is a cell, not the border.
    bool on_board(std::int32_t position) const {
        const std::int32_t row = position / stride, col = position % stride;
        return row >= 1 && row <= rows && col >= 1 && col <= cols;
    }
};

struct Grid : Shape {
    Buffer<std::int8_t> storage;

    // Shapes the grid and clears the border. The caller then fills in the codes. Without a table,
    // the grid is square.
    void shape(std::int32_t row_count, std::int32_t col_count,
               const std::shared_ptr<const NeighbourTable>& neighbours = nullptr);
    // Takes the shape and the codes of another grid.
    void copy(const Grid& other);

    std::int8_t* code() { return storage.data() + slack; }
    const std::int8_t* code() const { return storage.data() + slack; }
    std::int8_t* row(std::int32_t r) { return code() + position(r, 0); }
    const std::int8_t* row(std::int32_t r) const { return code() + position(r, 0); }

    // Whether some cell has the code `wanted`, which must not be `blank`, the code of the border.
    bool has(Code wanted) const;
    // Calls visit(position) for every cell with the code `wanted` (not `blank`), row by row.
    template <class Visit>
    void each(Code wanted, Visit visit) const {
        for (std::int32_t i = stride; i < size - stride; ++i)
            if (code()[i] == wanted) visit(i);
    }
    // The positions of all cells with the code `wanted` (not `blank`), row by row.
    std::vector<std::int32_t> all(Code wanted) const;
    // How many mines the player marked or opened.
    std::int64_t known_mines() const;

    static constexpr std::size_t slack = 64;  // bytes at each end, for loops that read past it
};

// How many cells lie around a cell of a board of this size on the square grid.
constexpr int neighbours(std::int32_t row, std::int32_t col, std::int32_t rows, std::int32_t cols) {
    const int down = 1 + (row > 0) + (row + 1 < rows), right = 1 + (col > 0) + (col + 1 < cols);
    return down * right - 1;
}

// Largest number of cells that a grid can have.
inline constexpr std::int64_t max_cells = 1'000'000'000;

}  // namespace mines
