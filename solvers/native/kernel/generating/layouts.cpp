#include "generating/layouts.hpp"

#include <algorithm>
#include <cstdlib>

namespace mines {

namespace {

constexpr int side = 4;                         // rows and columns outside the board on each side
constexpr std::int32_t widest = 64 - 2 * side;  // columns that fit into a Line

}  // namespace

Layouts::Layouts(const Beginning& start) : start_(start) {
    may_be_mine_.assign(start.cells(), 1);
    const auto clear = [&](std::int32_t cell) { may_be_mine_[cell] = 0; };
    Shape shape;
    shape.set(start.rows, start.cols, start.table);
    const std::int32_t first = shape.position(start.row, start.col);
    clear(shape.plain(first));
    if (start.zero)
        for (const std::int32_t next : shape.beside(first))
            if (shape.on_board(next)) clear(shape.plain(next));
    for (const std::int32_t hole : start.holes) clear(hole);
    for (std::size_t cell = 0; cell < start.cells(); ++cell)
        if (may_be_mine_[cell] != 0) room_.push_back(static_cast<std::int32_t>(cell));
    order_ = room_;
    mines_.assign(start.cells(), 0);
    if (start.cols <= widest && start.table == nullptr && start.holes.empty())
        lines_.assign(start.rows + 2 * side, 0);
}

const std::uint8_t* Layouts::draw(Stream& random) {
    std::copy(room_.begin(), room_.end(), order_.begin());
    std::fill(mines_.begin(), mines_.end(), std::uint8_t{0});
    for (std::size_t i = 0; i < static_cast<std::size_t>(start_.mines); ++i) {
        std::swap(order_[i], order_[i + random.below(order_.size() - i)]);
        mines_[order_[i]] = 1;
    }
    return mines_.data();
}

void Layouts::set_lines() {
    const Line board = ((Line{1} << start_.cols) - 1) << side;
    std::fill(lines_.begin(), lines_.end(), ~Line{0});
    const std::uint8_t* cell = mines_.data();
    for (std::int32_t r = 0; r < start_.rows; ++r) {
        Line line = ~board;
        for (std::int32_t c = 0; c < start_.cols; ++c)
            line |= static_cast<Line>(*cell++) << (c + side);
        lines_[r + side] = line;
    }
}

// Returns the Line of a row, shifted: bit i of the result is bit i + `columns` of the Line.
Layouts::Line Layouts::shifted(std::int32_t row, int columns) const {
    const Line line = lines_[row + side];
    return columns >= 0 ? line >> columns : line << -columns;
}

// Whether there are a mine and a safe cell, `down` rows and `right` columns apart, that touch the
// same safe cells. Neither may be the first cell of the game (bit `first_cell`), which stays safe.
bool Layouts::swappable(int down, int right, Line first_cell) const {
    const Line board = ((Line{1} << start_.cols) - 1) << side;
    for (std::int32_t r = 0; r + down < start_.rows; ++r) {
        Line found = (shifted(r, 0) ^ shifted(r + down, right)) & board;
        found &= right >= 0 ? board >> right : board << -right;
        if (r == start_.row) found &= ~first_cell;
        if (r + down == start_.row)
            found &= ~(right >= 0 ? first_cell >> right : first_cell << -right);
        for (int dr = -1; dr <= down + 1 && found != 0; ++dr) {
            for (int dc = std::min(0, right) - 1; dc <= std::max(0, right) + 1; ++dc) {
                if ((dr == 0 && dc == 0) || (dr == down && dc == right)) continue;
                const bool near = std::abs(dr) <= 1 && std::abs(dc) <= 1;
                const bool near_other = std::abs(dr - down) <= 1 && std::abs(dc - right) <= 1;
                if (near != near_other) found &= shifted(r + dr, dc);
            }
        }
        if (found != 0) return true;
    }
    return false;
}

bool Layouts::walled_in() const {
    for (std::int32_t r = 0; r < start_.rows; ++r) {
        Line found = ~shifted(r, 0);
        if (r == start_.row) found &= ~(Line{1} << (start_.col + side));
        for (int dr = -1; dr <= 1; ++dr)
            for (int dc = -1; dc <= 1; ++dc)
                if (dr != 0 || dc != 0) found &= shifted(r + dr, dc);
        if (found != 0) return true;
    }
    return false;
}

bool Layouts::hopeless(bool total_unknown) {
    if (lines_.empty()) return false;
    set_lines();
    const Line first_cell = Line{1} << (start_.col + side);
    for (int down = 0; down <= 2; ++down)
        for (int right = down == 0 ? 1 : -2; right <= 2; ++right)
            if (swappable(down, right, first_cell)) return true;
    return total_unknown && walled_in();
}

}  // namespace mines
