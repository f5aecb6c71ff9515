// The Python side of exact counts.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/analysis.hpp"
#include "counting/order.hpp"
#include "exact/region_count.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/checks.hpp"
#include "python/long_work.hpp"

namespace nb = nanobind;

namespace mines {

namespace {

nb::object whole_number(const std::uint64_t* words, std::size_t count) {
    while (count > 1 && words[count - 1] == 0) --count;
    if (count == 1) return made<nb::object>(PyLong_FromUnsignedLongLong(words[0]));
#if PY_VERSION_HEX >= 0x030D0000
    return made<nb::object>(
        PyLong_FromUnsignedNativeBytes(words, count * 8, Py_ASNATIVEBYTES_LITTLE_ENDIAN));
#else
    return made<nb::object>(
        _PyLong_FromByteArray(reinterpret_cast<const unsigned char*>(words), count * 8, 1, 0));
#endif
}

// Turns the coefficients of a tally into Python integers.
class WholeNumbers {
  public:
    explicit WholeNumbers(const RegionTally& tally)
        : tally_(tally), joiner_(tally.primes), words_(joiner_.words()) {}

    // Row 0 has the number of solutions with m mines, for every m. Row 1 + b has the mines of box
    // b, summed over these solutions, for every m.
    Numbers row(std::int32_t index) {
        return tuple_of<Numbers>(tally_.length, [&](Py_ssize_t m) {
            const std::size_t at = static_cast<std::size_t>(index) * tally_.length + m;
            joiner_.join(tally_.residues.data() + at, tally_.row(), words_.data());
            return whole_number(words_.data(), words_.size());
        });
    }
    NumberRows boxes() {
        return tuple_of<NumberRows>(
            tally_.boxes, [&](Py_ssize_t box) { return row(static_cast<std::int32_t>(1 + box)); });
    }

  private:
    const RegionTally& tally_;
    Joiner joiner_;
    std::vector<std::uint64_t> words_;
};

void check(const Hypergraph& region) {
    require(!region.low.empty() && !region.sizes.empty(), "a region needs boxes and constraints");
    require(region.high.size() == region.low.size() && region.first.size() == region.low.size() + 1,
            "low, high and first need one entry per constraint");
    check_lists(region, ExactCount::largest_box, region.first_weight, region.weights.size());
}

// Checks that the constraints are connected, that their bounds are within the number of cells, and
// that every number of mines up to the upper bound has a weight. Call index() first.
void check_constraints(const Hypergraph& region) {
    std::vector<std::uint8_t> seen(region.low.size(), 0);
    require(region.reached_from(0, seen).size() == seen.size(),
            "the constraints of a region must be connected");
    for (std::int32_t c = 0; c < region.constraint_count(); ++c) {
        require(region.low[c] >= 0 && region.low[c] <= region.high[c] &&
                    region.high[c] <= region.cells_of(c),
                "bounds must lie between 0 and the number of cells");
        require(!region.weighted(c) ||
                    region.first_weight[c + 1] - region.first_weight[c] > region.high[c],
                "a constraint needs a weight for every number of mines");
    }
}

// Runs `count` and returns its status. Releases the GIL if `count` takes long. Throws the Python
// exception when a signal stops it.
template <class Count>
Status patiently(double seconds, Count count) {
    try {
        Patience patience;
        LongWork long_work(patience, seconds);
        return count(patience);
    } catch (const OutOfTime&) {
        return Status::out_of_time;
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
}

// The status, the number of states, and the fields `low`, `ways`, `mines` and `witnesses` of a
// RegionCount (csp_mines/backend.py).
using RegionCounts =
    std::tuple<Status, std::uint64_t, std::int32_t, Numbers, NumberRows, NumberRows>;

template <class Object>
Object empty_tuple() {
    return made<Object>(PyTuple_New(0));
}

RegionCounts count_region(std::vector<std::int32_t> sizes, std::vector<std::int32_t> first,
                          std::vector<std::int32_t> members, std::vector<std::int32_t> low,
                          std::vector<std::int32_t> high, std::vector<std::int32_t> first_weight,
                          std::vector<std::uint64_t> weights, std::uint64_t max_states,
                          double seconds, std::uint64_t max_bytes) {
    Hypergraph region;
    region.sizes = std::move(sizes);
    region.first = std::move(first);
    region.members = std::move(members);
    region.low = std::move(low);
    region.high = std::move(high);
    region.first_weight = std::move(first_weight);
    region.weights = std::move(weights);
    check(region);
    region.index();
    check_constraints(region);
    ExactCount counting;
    RegionTally tally;
    const Status status = patiently(seconds, [&](Patience& patience) {
        const std::vector<std::int32_t> order = elimination_order(region, patience);
        return counting.count(region, order.data(), true, Limits{max_states, max_bytes}, patience,
                              tally);
    });
    if (status != Status::fits)
        return {status,
                counting.states(),
                0,
                empty_tuple<Numbers>(),
                empty_tuple<NumberRows>(),
                empty_tuple<NumberRows>()};
    WholeNumbers numbers(tally);
    const nb::tuple witnesses = nb::make_tuple(nb::tuple(nb::cast(tally.witnesses[0])),
                                               nb::tuple(nb::cast(tally.witnesses[1])));
    return {status,         counting.states(), tally.low,
            numbers.row(0), numbers.boxes(),   nb::borrow<NumberRows>(witnesses)};
}

// The cells of every box of a region; empty if the caller does not ask for boxes.
using Boxes = std::vector<std::vector<std::int32_t>>;
// The fields `low`, `ways` and `mines` of the RegionCount of a region, and the cells of every box.
using CountedRegion = std::tuple<std::int32_t, Numbers, NumberRows, Boxes>;
// For a region of one clue: the number of cells, the number of mines, and the cells of its box.
using SingleClue = std::tuple<int, int, Boxes>;

// The exact counts of a board's regions.
class BoardCount {
  public:
    BoardCount(Workspace& work, bool boxes) : work_(work), boxes_(boxes) {}

    Status count(const Limits& limits, Patience& patience) {
        Question question;
        const Status status = work_.prepare(question, patience);
        if (status != Status::fits) return status;
        const Frontier& frontier = work_.frontier();
        std::vector<std::int32_t> number(static_cast<std::size_t>(frontier.box_count)), order;
        for (std::int32_t i = 0; i < frontier.region_count; ++i) {
            const Region& region = frontier.regions[i];
            tallies_.emplace_back();
            if (work_.trivial(region)) continue;
            while (order.size() < static_cast<std::size_t>(region.box_count))
                order.push_back(static_cast<std::int32_t>(order.size()));
            const Hypergraph part = part_of(frontier, frontier.constraints_in(region),
                                            frontier.boxes_in(region), number.data());
            const Status counted =
                counting_.count(part, order.data(), boxes_, limits, patience, tallies_.back());
            states_ = std::max<std::uint64_t>(states_, counting_.states());
            if (counted != Status::fits) return counted;
        }
        return Status::fits;
    }
    std::uint64_t states() const { return states_; }
    std::pair<std::vector<CountedRegion>, std::vector<SingleClue>> regions() const {
        std::vector<CountedRegion> counted;
        std::vector<SingleClue> single;
        const Frontier& frontier = work_.frontier();
        for (std::int32_t i = 0; i < frontier.region_count; ++i) {
            const Region& region = frontier.regions[i];
            if (work_.trivial(region)) {
                const Constraint& c = work_.only_constraint(region);
                single.emplace_back(c.cells, c.low, boxes_of(region));
                continue;
            }
            const RegionTally& tally = tallies_[i];
            WholeNumbers numbers(tally);
            counted.emplace_back(tally.low, numbers.row(0), numbers.boxes(), boxes_of(region));
        }
        return {std::move(counted), std::move(single)};
    }

  private:
    Boxes boxes_of(const Region& region) const {
        Boxes boxes;
        if (!boxes_) return boxes;
        for (const std::int32_t number : work_.frontier().boxes_in(region)) {
            const Box& box = work_.frontier().boxes[number];
            std::vector<std::int32_t>& cells = boxes.emplace_back();
            for (const std::int32_t at : work_.frontier().positions_of(box))
                cells.push_back(work_.grid.plain(at));
        }
        return boxes;
    }

    Workspace& work_;
    const bool boxes_;
    ExactCount counting_;
    std::vector<RegionTally> tallies_;
    std::uint64_t states_ = 0;
};

// What count_board returns, as its docstring below lists it.
using BoardCounts =
    std::tuple<Status, std::uint64_t, std::int64_t, std::int64_t, std::optional<Codes>,
               std::vector<CountedRegion>, std::vector<SingleClue>>;

BoardCounts count_board(nb::handle board, bool boxes, std::uint64_t max_states, double seconds,
                        std::uint64_t max_bytes, const HeldTable* table) {
    Lease<Workspace> lease;
    Workspace& work = *lease;
    if (!read_board(board.ptr(), work.grid, table_of(table))) throw nb::python_error();
    BoardCount counts(work, boxes);
    const Status status = patiently(seconds, [&](Patience& patience) {
        return counts.count(Limits{max_states, max_bytes}, patience);
    });
    if (status != Status::fits) return {status, counts.states(), 0, 0, std::nullopt, {}, {}};
    const Frontier& frontier = work.frontier();
    std::optional<Codes> codes;
    if (boxes) codes = made<Codes>(new_codes(work.grid, true));
    auto [regions, single] = counts.regions();
    return {status, counts.states(),    frontier.sea,     frontier.known_mines,
            codes,  std::move(regions), std::move(single)};
}

}  // namespace

void bind_counting(Scope& kernel) {
    nb::enum_<Code>(kernel, "Code", nb::is_arithmetic(),
                    "Codes of cells that the kernel proved safe or mines.")
        .value("PROVED_MINE", proved_mine)
        .value("PROVED_SAFE", proved_safe);
    kernel.def_static(
        "count_region", &count_region, nb::arg("sizes"), nb::arg("first"), nb::arg("members"),
        nb::arg("low"), nb::arg("high"), nb::arg("first_weight"), nb::arg("weights"),
        nb::arg("max_states"), nb::arg("seconds"), nb::arg("max_bytes") = default_bytes,
        "Count any region. Its boxes have these `sizes`. Constraint c is about the boxes\n"
        "`members[first[c]:first[c + 1]]`; its weights, if it has any, are\n"
        "`weights[first_weight[c]:first_weight[c + 1]]`. Return the status, the number of states,\n"
        "and the fields `low`, `ways`, `mines` and `witnesses` of a RegionCount. If the status is\n"
        "not FITS, only the number of states means anything.");
    kernel.def_static(
        "count_board", &count_board, nb::arg("board").none(), nb::arg("boxes"),
        nb::arg("max_states"), nb::arg("seconds"), nb::arg("max_bytes") = default_bytes,
        nb::arg("table").none() = nb::none(),
        "Apply single clues and pairs of clues to a board with exact clues, then count its\n"
        "regions. Return the status, the number of states, the number of cells in the sea, the\n"
        "number of known mines, the codes of the board (`Code` for proved cells), a list of\n"
        "regions, and a list of regions of one clue and one box. For each region: its fewest\n"
        "mines, its solutions by number of mines, the mines of its boxes, and the cells of its\n"
        "boxes. For each region of one clue: its number of cells, its number of mines, and the\n"
        "cells of its box. Without `boxes`, only solutions are counted, and the codes are None.");
}

}  // namespace mines
