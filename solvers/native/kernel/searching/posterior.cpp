#include "searching/posterior.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "counting/numbers.hpp"
#include "resources/bits.hpp"

namespace mines {

namespace {

constexpr std::int64_t most_ways = 20'000;  // layouts of one region
constexpr std::int64_t list_steps = 400'000;

}  // namespace

bool Posterior::read(const Grid& board, std::int64_t mines) {
    begin(board);
    left_ = mines;
    for (std::int32_t r = 0; r < board.rows; ++r)
        for (std::int32_t c = 0; c < board.cols; ++c) {
            const std::int32_t at = board.position(r, c);
            const std::int8_t code = board.code()[at];
            const bool mine = known_mine(code);
            left_ -= mine;
            known_[r * board.cols + c] = mine ? 1 : 0;
            if (code != hidden || joined_.has(at)) continue;
            if (!gather(board, at)) return false;
        }
    return left_ >= 0 && weigh(left_);
}

void Posterior::begin(const Grid& board) {
    rows_ = board.rows;
    cols_ = board.cols;
    joined_.begin(board);
    known_.need(static_cast<std::size_t>(board.size));
    sea_.need(static_cast<std::size_t>(board.size));
    sea_count_ = part_count_ = 0;
    way_count_ = 0;
}

// Adds the region of a hidden cell, or adds the cell to the sea.
bool Posterior::gather(const Grid& board, std::int32_t start) {
    const std::int32_t clues = joined_.clue_count, first = joined_.cell_count;
    joined_.add(board, start, false);
    if (joined_.clue_count > clues) return list_part(board);
    joined_.cell_count = first;
    sea_[sea_count_++] = board.plain(start);
    return true;
}

// Lists the layouts of the region gathered last.
bool Posterior::list_part(const Grid& board) {
    std::int32_t first = 0;
    if (part_count_ > 0) first = parts_[part_count_ - 1].first_cell + parts_[part_count_ - 1].cells;
    const std::int32_t count = joined_.cell_count - first;
    if (count > Fitting::max_cells) return false;
    if (!fitting_.list(board, joined_.cells.data() + first, count, -1, most_ways, list_steps))
        return false;
    parts_.need(static_cast<std::size_t>(part_count_) + 1);
    Part& part = parts_[part_count_++];
    part.first_cell = first;
    part.cells = count;
    part.first_way = way_count_;
    place_ways(part);
    for (std::int32_t i = first; i < first + count; ++i)
        joined_.cells[i] = board.plain(joined_.cells[i]);
    return true;
}

// Stores the listed layouts, sorted by their number of mines.
void Posterior::place_ways(Part& part) {
    std::fill(part.begin, part.begin + Fitting::max_cells + 2, 0);
    for (std::int64_t i = 0; i < fitting_.size(); ++i) ++part.begin[count_bits(fitting_[i]) + 1];
    for (int k = 0; k <= Fitting::max_cells; ++k) part.begin[k + 1] += part.begin[k];
    std::int32_t next[Fitting::max_cells + 1];
    std::copy(part.begin, part.begin + Fitting::max_cells + 1, next);
    ways_.need(static_cast<std::size_t>(way_count_ + fitting_.size()));
    for (std::int64_t i = 0; i < fitting_.size(); ++i)
        ways_[way_count_ + next[count_bits(fitting_[i])]++] = fitting_[i];
    way_count_ += fitting_.size();
}

// Computes the weights. False: nothing fits, or the weights leave the range of a double.
bool Posterior::weigh(std::int64_t mines) {
    most_ = mines;
    weights_.need(static_cast<std::size_t>(part_count_ + 1) * static_cast<std::size_t>(most_ + 1));
    double* const sea = weights_from(part_count_);
    double largest = -1;
    for (std::int64_t m = 0; m <= most_; ++m) {
        sea[m] = m > sea_count_ ? -1 : log_choose(sea_count_, static_cast<double>(m));
        largest = std::max(largest, sea[m]);
    }
    for (std::int64_t m = 0; m <= most_; ++m) sea[m] = sea[m] < 0 ? 0 : std::exp(sea[m] - largest);
    for (std::int32_t i = part_count_ - 1; i >= 0; --i) {
        const double* const after = weights_from(i + 1);
        double* const here = weights_from(i);
        const std::int32_t* const begin = parts_[i].begin;
        for (std::int64_t m = 0; m <= most_; ++m) {
            here[m] = 0;
            for (std::int64_t k = 0; k <= std::min<std::int64_t>(m, parts_[i].cells); ++k)
                here[m] += (begin[k + 1] - begin[k]) * after[m - k];
        }
    }
    return weights_from(0)[most_] > 0;
}

void Posterior::draw(Stream& random, std::uint8_t* flags) {
    std::copy(known_.data(), known_.data() + static_cast<std::ptrdiff_t>(rows_) * cols_, flags);
    std::int64_t left = left_;
    for (std::int32_t i = 0; i < part_count_; ++i) {
        const Part& part = parts_[i];
        const double* const after = weights_from(i + 1);
        double at = random.unit() * weights_from(i)[left];
        int mines = -1;
        for (int k = 0; k <= std::min<std::int64_t>(left, part.cells); ++k) {
            const double weight = (part.begin[k + 1] - part.begin[k]) * after[left - k];
            if (weight <= 0) continue;
            mines = k;
            if ((at -= weight) < 0) break;
        }
        assert(mines >= 0);  // weigh() found a way for the whole board
        const std::int32_t begin = part.begin[mines];
        const std::int32_t chosen =
            begin + random.below(static_cast<std::size_t>(part.begin[mines + 1] - begin));
        for (std::uint64_t way = ways_[part.first_way + chosen]; way != 0; way &= way - 1)
            flags[joined_.cells[part.first_cell + __builtin_ctzll(way)]] = 1;
        left -= mines;
    }
    draw_sea(random, left, flags);
}

void Posterior::draw_sea(Stream& random, std::int64_t mines, std::uint8_t* flags) {
    assert(mines >= 0 && mines <= sea_count_);
    for (std::int64_t i = 0; i < mines; ++i) {
        std::swap(sea_[i], sea_[i + random.below(static_cast<std::size_t>(sea_count_ - i))]);
        flags[sea_[i]] = 1;
    }
}

}  // namespace mines
