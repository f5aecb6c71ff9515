#include "deducing/gauss.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

namespace mines {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 40;  // sums of such numbers fit into 64 bits

// Returns a * scale_a - b * scale_b. Throws if the result exceeds `largest`. The arguments never
// exceed `largest`.
std::int64_t scaled_difference(std::int64_t a, std::int64_t scale_a, std::int64_t b,
                               std::int64_t scale_b) {
    const __int128 exact = static_cast<__int128>(a) * scale_a - static_cast<__int128>(b) * scale_b;
    if (exact > largest || exact < -largest)
        throw std::overflow_error("row reduction: a coefficient is too large");
    return static_cast<std::int64_t>(exact);
}

}  // namespace

// Makes an equation for each different set of unknown cells around a clue, in reading order.
void Gauss::equations(Knowledge& known) {
    equations_.clear();
    std::set<std::vector<std::int32_t>> seen;
    for (const std::int32_t position : known.active()) {
        std::vector<std::int32_t> cells = known.unknown_around(position);
        if (seen.insert(cells).second)
            equations_.push_back(Equation{std::move(cells), {}, known.mines_left(position)});
    }
}

// Makes boxes of the cells that occur in the same equations, ordered by their first cell.
void Gauss::boxes() {
    std::vector<std::pair<std::int32_t, std::int32_t>> uses;  // cell, equation
    for (std::size_t e = 0; e < equations_.size(); ++e)
        for (const std::int32_t cell : equations_[e].cells)
            uses.emplace_back(cell, static_cast<std::int32_t>(e));
    std::sort(uses.begin(), uses.end());
    std::map<std::vector<std::int32_t>, std::int32_t> numbers;
    box_cells_.clear();
    box_equations_.clear();
    std::vector<std::int32_t> signature;
    for (std::size_t i = 0; i < uses.size();) {
        const std::int32_t cell = uses[i].first;
        signature.clear();
        for (; i < uses.size() && uses[i].first == cell; ++i) signature.push_back(uses[i].second);
        const auto found = numbers.emplace(signature, static_cast<std::int32_t>(box_cells_.size()));
        if (found.second) {
            box_cells_.emplace_back();
            box_equations_.push_back(signature);
            for (const std::int32_t e : signature)
                equations_[e].boxes.push_back(found.first->second);
        }
        box_cells_[found.first->second].push_back(cell);
    }
}

std::int32_t Gauss::root(std::int32_t equation) {
    std::int32_t* parent = parent_.data();
    while (parent[equation] != equation) equation = parent[equation] = parent[parent[equation]];
    return equation;
}

// Makes regions of equations that are connected by boxes. Regions are ordered by their first box,
// and so are the equations of a region.
void Gauss::regions() {
    parent_.resize(equations_.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const auto& signature : box_equations_)
        for (const std::int32_t e : signature) parent_[root(e)] = root(signature[0]);
    regions_.clear();
    std::vector<std::int32_t> region_of(equations_.size(), -1);
    std::vector<bool> listed(equations_.size(), false);
    for (const auto& signature : box_equations_) {
        const std::size_t at = static_cast<std::size_t>(root(signature[0]));
        if (region_of[at] < 0) {
            region_of[at] = static_cast<std::int32_t>(regions_.size());
            regions_.emplace_back();
        }
        for (const std::int32_t e : signature) {
            if (listed[e]) continue;
            listed[e] = true;
            regions_[region_of[at]].push_back(e);
        }
    }
}

// Removes `column` from `row`, then divides the row by the common divisor of its numbers.
void Gauss::eliminate(Row& row, const Row& pivot, std::int32_t column) {
    const auto by_box = [](const Term& term, std::int32_t box) { return term.box < box; };
    const auto at = std::lower_bound(row.terms.begin(), row.terms.end(), column, by_box);
    if (at == row.terms.end() || at->box != column) return;
    const std::int64_t factor = at->factor, lead = pivot.terms.front().factor;
    Row result;
    result.right = scaled_difference(row.right, lead, pivot.right, factor);
    std::int64_t shared = result.right;
    auto a = row.terms.begin();
    auto b = pivot.terms.begin();
    while (a != row.terms.end() || b != pivot.terms.end()) {
        const bool take_a = b == pivot.terms.end() || (a != row.terms.end() && a->box <= b->box);
        const bool take_b = a == row.terms.end() || (b != pivot.terms.end() && b->box <= a->box);
        const std::int32_t box = take_a ? a->box : b->box;
        const std::int64_t value =
            scaled_difference(take_a ? a->factor : 0, lead, take_b ? b->factor : 0, factor);
        if (value != 0) result.terms.push_back(Term{box, value});
        shared = std::gcd(shared, value);
        if (take_a) ++a;
        if (take_b) ++b;
    }
    if (shared > 1) {
        result.right /= shared;
        for (Term& term : result.terms) term.factor /= shared;
    }
    row = std::move(result);
}

// Brings the rows to reduced row-echelon form, then collects the boxes that the rows prove safe or
// full of mines.
void Gauss::reduce(std::vector<Row>& rows) {
    std::vector<Row> done;
    while (!rows.empty()) {
        std::stable_sort(rows.begin(), rows.end(),
                         [](const Row& a, const Row& b) { return a.length() > b.length(); });
        Row pivot = std::move(rows.back());
        rows.pop_back();
        if (pivot.terms.empty()) continue;  // 0 = 1 or the like: the clues contradict each other
        const std::int32_t column = pivot.terms.front().box;
        for (Row& row : done) eliminate(row, pivot, column);
        for (Row& row : rows) eliminate(row, pivot, column);
        rows.erase(std::remove_if(rows.begin(), rows.end(), [](const Row& r) { return r.empty(); }),
                   rows.end());
        done.push_back(std::move(pivot));
    }
    for (const Row& row : done) read(row);
}

void Gauss::read(const Row& row) {
    std::int64_t high = 0, low = 0;
    for (const Term& term : row.terms) {
        const std::int64_t most =
            term.factor * static_cast<std::int64_t>(box_cells_[term.box].size());
        (term.factor > 0 ? high : low) += most;
    }
    if (row.right == high)
        for (const Term& term : row.terms) fixed_.emplace_back(term.box, term.factor > 0);
    if (row.right == low)
        for (const Term& term : row.terms) fixed_.emplace_back(term.box, term.factor < 0);
}

bool Gauss::apply(Knowledge& known) {
    for (const auto& [box, mine] : fixed_)
        for (const std::int32_t cell : box_cells_[box]) known.prove(cell, mine);
    known.singles();
    return !fixed_.empty();
}

void Gauss::deduce(Knowledge& known) {
    known.singles();
    do {
        equations(known);
        boxes();
        regions();
        fixed_.clear();
        for (const auto& region : regions_) {
            std::vector<Row> rows;
            for (const std::int32_t e : region) {
                const Equation& equation = equations_[e];
                rows.emplace_back();
                for (const std::int32_t box : equation.boxes)
                    rows.back().terms.push_back(Term{box, 1});
                rows.back().right = equation.mines;
            }
            reduce(rows);
        }
    } while (apply(known));
}

}  // namespace mines
