#include "searching/draws.hpp"

#include <algorithm>
#include <cassert>

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
    return shares_.weigh(left_, sea_count_) ? Status::fits : Status::contradiction;
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
        for (const std::int32_t at : frontier.positions_of(frontier.boxes[i]))
            known_[grid.plain(at)] = beside_clues;
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
    shares_.clear();
    traces_.need(frontier.region_count);
    taken_.need(frontier.box_count);
    for (std::int32_t i = 0; i < frontier.region_count; ++i) {
        if (frontier.regions[i].cells > bits_in_double) return Status::too_wide;
        traces_[i] = Trace{};
        elimination_.plan(frontier, frontier.regions[i], traces_[i]);
        const Status status = elimination_.forward(traces_[i], {}, limits, patience);
        if (status != Status::fits) return status;
        if (traces_[i].part_count > 0) return Status::too_wide;
    }
    for (std::int32_t i = 0; i < frontier.region_count; ++i) {
        const double* const ways = elimination_.narrow(traces_[i]);
        const Polynomial& polynomial = traces_[i].polynomial;
        const double largest = *std::max_element(ways, ways + polynomial.length);
        double* const shares = shares_.add(polynomial.low, polynomial.length);
        for (std::int32_t k = 0; k < polynomial.length; ++k) shares[k] = ways[k] / largest;
    }
    return Status::fits;
}

// Chooses random cells for the mines of each box of the region, and sets the flags of these cells.
// taken_ has the number of mines of each box.
void Draws::place(const Region& region, Stream& random, std::uint8_t* flags) {
    const Frontier& frontier = work_.frontier();
    for (const std::int32_t number : frontier.boxes_in(region)) {
        const Box& box = frontier.boxes[number];
        int mines = taken_[number];
        for (int j = 0; j < box.size && mines > 0; ++j) {
            if (random.below(static_cast<std::size_t>(box.size - j)) >= mines) continue;
            flags[work_.grid.plain(frontier.positions_of(box)[j])] = 1;
            --mines;
        }
    }
}

void Draws::draw(Stream& random, std::uint8_t* flags) {
    const Frontier& frontier = work_.frontier();
    std::copy(known_.data(), known_.data() + work_.grid.cells(), flags);
    std::int64_t left = left_;
    for (std::int32_t i = 0; i < frontier.region_count; ++i) {
        const std::int32_t mines = shares_.draw(i, left, random);
        elimination_.draw(traces_[i], mines, random, taken_.data());
        place(frontier.regions[i], random, flags);
        left -= mines;
    }
    draw_sea(sea_.data(), sea_count_, left, random, flags);
}

}  // namespace mines
