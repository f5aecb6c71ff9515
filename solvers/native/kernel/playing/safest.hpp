// The safest cell, and the tie rule: which of several equally safe cells is opened. Analyses, moves
// and whole games use this rule, as csp_mines.analysis.move does.
#pragma once

#include <cstdint>

#include "analysis/analysis.hpp"
#include "board/grid.hpp"

namespace mines {

struct Safest {
    std::int32_t row = -1, col = -1;
    double risk = 2;
    std::int32_t count = 0;  // of equally safe cells; 0: no cell was eligible
};

// Finds the cells of lowest risk among those for which eligible(row)(column) holds. Risks that
// differ by less than `alike` are equal; a cell without a risk (nan) does not count. Of the cells
// with the lowest risk, chooses the one with the fewest neighbours; on a tie, the first.
template <class Eligible>
Safest safest_of(const double* risks, const Shape& board, double alike, Eligible eligible) {
    const std::int32_t rows = board.rows, cols = board.cols;
    const bool square = board.table == nullptr;
    Safest best;
    for (std::int32_t r = 0; r < rows; ++r) {
        const auto here = eligible(r);
        const double* row = risks + static_cast<std::int64_t>(r) * cols;
        for (std::int32_t c = 0; c < cols; ++c)
            if (row[c] < best.risk && here(c)) best.risk = row[c];
    }
    const double most = best.risk + alike;
    int fewest = most_neighbours + 1;
    for (std::int32_t r = 0; r < rows; ++r) {
        const auto here = eligible(r);
        const double* row = risks + static_cast<std::int64_t>(r) * cols;
        std::int32_t count = 0;
        for (std::int32_t c = 0; c < cols; ++c) count += (row[c] <= most) & here(c);
        best.count += count;
        if (count == 0) continue;
        // On the square grid, the first cell of a row has the fewest neighbours of that row.
        if (square && neighbours(r, 0, rows, cols) >= fewest) continue;
        for (std::int32_t c = 0; c < cols; ++c) {
            const int around =
                square ? neighbours(r, c, rows, cols) : board.degree(board.position(r, c));
            if (around < fewest && row[c] <= most && here(c))
                fewest = around, best.row = r, best.col = c;
        }
    }
    return best;
}

struct SafestMove {
    Safest cell;
    bool proved = false;
};

// The cell to open: a cell that is proved safe if there is any, else a cell with the lowest risk.
// `board` has the codes that Workspace::analyse() wrote. `sea` is the verdict of the sea cells.
SafestMove safest_move(const Grid& board, Verdict sea, const double* risks, double alike);

}  // namespace mines
