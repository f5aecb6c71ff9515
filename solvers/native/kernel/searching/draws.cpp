#include "searching/draws.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "counting/numbers.hpp"

namespace mines {

Status Draws::read(const Grid& board, std::int64_t mines, std::uint64_t max_states,
                   Patience& patience) {
    work_.grid.copy(board);
    Question question;
    question.max_states = max_states;
    const Status prepared = work_.prepare(question, patience);
    if (prepared != Status::fits) return prepared;
    left_ = mines - work_.frontier().known_mines;
    if (left_ < 0) return Status::contradiction;
    sort_cells();
    const Status counted = count_regions(max_states, patience);
    if (counted != Status::fits) return counted;
    return weigh() ? Status::fits : Status::contradiction;
}

// Finds the known mines and the sea.
void Draws::sort_cells() {
    const Grid& grid = work_.grid;
    const Frontier& frontier = work_.frontier();
    const std::size_t cells = static_cast<std::size_t>(grid.cells());
    std::fill_n(known_.need(cells), cells, std::uint8_t{0});
    sea_.need(cells);
    sea_count_ = 0;
    constexpr std::uint8_t beside_clues = 2;
    for (std::int32_t i = 0; i < frontier.box_count; ++i)
        for (int j = 0; j < frontier.boxes[i].size; ++j)
            known_[grid.plain(frontier.boxes[i].cells[j])] = beside_clues;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(cells); ++i) {
        const std::int8_t code = grid.code()[grid.position(i)];
        const bool beside = known_[i] == beside_clues;
        known_[i] = !beside && (known_mine(code) || code == proved_mine) ? 1 : 0;
        if (code == hidden && !beside) sea_[sea_count_++] = i;
    }
    assert(sea_count_ == frontier.sea);
}

Status Draws::count_regions(std::uint64_t max_states, Patience& patience) {
    const Frontier& frontier = work_.frontier();
    const Limits limits{max_states, default_bytes};
    elimination_.reset();
    traces_.need(static_cast<std::size_t>(frontier.region_count));
    scale_.need(static_cast<std::size_t>(frontier.region_count));
    taken_.need(static_cast<std::size_t>(frontier.box_count));
    for (std::int32_t i = 0; i < frontier.region_count; ++i) {
        if (frontier.regions[i].cells > bits_in_double) return Status::too_wide;
        traces_[i] = Trace{};
        elimination_.plan(frontier, frontier.regions[i], traces_[i]);
        const Status status = elimination_.forward(traces_[i], nullptr, limits, patience);
        if (status != Status::fits) return status;
        if (traces_[i].part_count > 0) return Status::too_wide;
    }
    for (std::int32_t i = 0; i < frontier.region_count; ++i) {
        const double* const ways = elimination_.narrow(traces_[i]);
        scale_[i] = *std::max_element(ways, ways + traces_[i].polynomial.length);
    }
    return Status::fits;
}

// Computes the weights. False: nothing fits, or the weights leave the range of a double.
bool Draws::weigh() {
    const std::int32_t count = work_.frontier().region_count;
    weights_.need(static_cast<std::size_t>(count + 1) * static_cast<std::size_t>(left_ + 1));
    double* const sea = weights_from(count);
    double largest = -1;
    for (std::int64_t m = 0; m <= left_; ++m) {
        sea[m] = m > sea_count_ ? -1 : log_choose(sea_count_, static_cast<double>(m));
        largest = std::max(largest, sea[m]);
    }
    for (std::int64_t m = 0; m <= left_; ++m) sea[m] = sea[m] < 0 ? 0 : std::exp(sea[m] - largest);
    for (std::int32_t i = count - 1; i >= 0; --i) {
        const double* const after = weights_from(i + 1);
        const double* const ways = elimination_.narrow(traces_[i]);
        const Polynomial& polynomial = traces_[i].polynomial;
        double* const here = weights_from(i);
        for (std::int64_t m = 0; m <= left_; ++m) {
            here[m] = 0;
            for (std::int32_t k = 0; k < polynomial.length && polynomial.low + k <= m; ++k)
                here[m] += ways[k] / scale_[i] * after[m - polynomial.low - k];
        }
    }
    return weights_from(0)[left_] > 0;
}

// Draws the number of mines of a region if `left` mines are in it and everything after it.
std::int32_t Draws::draw_number(std::int32_t region, std::int64_t left, Stream& random) {
    const Polynomial& polynomial = traces_[region].polynomial;
    const double* const ways = elimination_.narrow(traces_[region]);
    const double* const after = weights_from(region + 1);
    double at = random.unit() * weights_from(region)[left];
    std::int32_t mines = -1;
    for (std::int32_t k = 0; k < polynomial.length && polynomial.low + k <= left; ++k) {
        const double weight = ways[k] / scale_[region] * after[left - polynomial.low - k];
        if (weight <= 0) continue;
        mines = polynomial.low + k;
        if ((at -= weight) < 0) break;
    }
    assert(mines >= 0);  // weigh() found a way for the whole board
    return mines;
}

// Places the mines that each box has taken on cells of the box.
void Draws::place(const Region& region, Stream& random, std::uint8_t* flags) {
    const Frontier& frontier = work_.frontier();
    for (const std::int32_t number : frontier.boxes_in(region)) {
        const Box& box = frontier.boxes[number];
        int mines = taken_[number];
        for (int j = 0; j < box.size && mines > 0; ++j) {
            if (random.below(static_cast<std::size_t>(box.size - j)) >= mines) continue;
            flags[work_.grid.plain(box.cells[j])] = 1;
            --mines;
        }
    }
}

void Draws::draw(Stream& random, std::uint8_t* flags) {
    const Frontier& frontier = work_.frontier();
    std::copy(known_.data(), known_.data() + work_.grid.cells(), flags);
    std::int64_t left = left_;
    for (std::int32_t i = 0; i < frontier.region_count; ++i) {
        const std::int32_t mines = draw_number(i, left, random);
        elimination_.draw(traces_[i], mines, random, taken_.data());
        place(frontier.regions[i], random, flags);
        left -= mines;
    }
    assert(left >= 0 && left <= sea_count_);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(left); ++i) {
        std::swap(sea_[i], sea_[i + random.below(static_cast<std::size_t>(sea_count_ - i))]);
        flags[sea_[i]] = 1;
    }
}

}  // namespace mines
