#include "searching/posterior.hpp"

#include <algorithm>

#include "resources/bits.hpp"

namespace mines {

namespace {

constexpr std::int64_t most_ways = 20'000;  // layouts of one region
constexpr std::int64_t posterior_list_steps = 400'000;

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
    return left_ >= 0 && shares_.weigh(left_, sea_count_);
}

void Posterior::begin(const Grid& board) {
    rows_ = board.rows;
    cols_ = board.cols;
    joined_.begin(board);
    known_.need(board.size);
    sea_.need(board.size);
    sea_count_ = part_count_ = 0;
    way_count_ = 0;
    shares_.clear();
}

// Adds the region of a hidden cell. A cell in no region is added to the sea. False: the
// layouts of the region cannot be listed.
bool Posterior::gather(const Grid& board, std::int32_t start) {
    const std::int32_t clues = joined_.clue_count, first = joined_.cell_count;
    joined_.add(board, start, false);
    if (joined_.clue_count > clues) return list_part(board);
    joined_.cell_count = first;
    sea_[sea_count_++] = board.plain(start);
    return true;
}

// Lists the layouts of the region that was gathered last. False: this region has too many cells or
// layouts.
bool Posterior::list_part(const Grid& board) {
    std::int32_t first = 0;
    if (part_count_ > 0) first = parts_[part_count_ - 1].first_cell + parts_[part_count_ - 1].cells;
    const std::int32_t count = joined_.cell_count - first;
    if (count > Fitting::max_cells) return false;
    if (!fitting_.list(board, joined_.cells.data() + first, count, -1, most_ways,
                       posterior_list_steps))
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
    ways_.need(way_count_ + fitting_.size());
    for (std::int64_t i = 0; i < fitting_.size(); ++i)
        ways_[way_count_ + next[count_bits(fitting_[i])]++] = fitting_[i];
    way_count_ += fitting_.size();
    double* const shares = shares_.add(0, part.cells + 1);
    for (std::int32_t k = 0; k <= part.cells; ++k) shares[k] = part.begin[k + 1] - part.begin[k];
}

void Posterior::draw(Stream& random, std::uint8_t* flags) {
    std::copy(known_.data(), known_.data() + static_cast<std::ptrdiff_t>(rows_) * cols_, flags);
    std::int64_t left = left_;
    for (std::int32_t i = 0; i < part_count_; ++i) {
        const Part& part = parts_[i];
        const std::int32_t mines = shares_.draw(i, left, random);
        const std::int32_t begin = part.begin[mines];
        const std::int32_t chosen =
            begin + random.below(static_cast<std::size_t>(part.begin[mines + 1] - begin));
        for (std::uint64_t way = ways_[part.first_way + chosen]; way != 0; way &= way - 1)
            flags[joined_.cells[part.first_cell + __builtin_ctzll(way)]] = 1;
        left -= mines;
    }
    draw_sea(sea_.data(), sea_count_, left, random, flags);
}

}  // namespace mines
