#include "searching/search.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

#include "randomness/splitmix.hpp"
#include "resources/bits.hpp"

namespace mines {

namespace {

constexpr std::uint64_t least_table = 1 << 10, largest_table = 1 << 20;
constexpr int lane = 16;  // bytes that are handled together
typedef std::uint8_t Lane __attribute__((vector_size(lane)));

}  // namespace

// A summary of a set of layouts. For each cell, it has the weight of the layouts with a mine there,
// and the smallest and the largest entry that the rows of the layouts have there.
struct SetSearch::Summary {
    double mines[Fitting::max_cells];
    std::uint8_t low[Fitting::max_cells], high[Fitting::max_cells];

    bool divides_safely(int cell) const { return high[cell] != mine && low[cell] != high[cell]; }
    bool risky(int cell) const { return high[cell] == mine && low[cell] != mine; }
};

void SetSearch::load(const Fitting& layouts, const double* weights) {
    row_count_ = 0;
    cells_ = layouts.cells();
    width_ = (cells_ + lane - 1) / lane * lane;
    const std::size_t count = static_cast<std::size_t>(layouts.size());
    const std::size_t bytes = count * static_cast<std::size_t>(width_);
    std::memset(shows_.need(bytes), 0, bytes);
    columns_.need(count * static_cast<std::size_t>(cells_));
    weights_.need(count);
    keys_.need(count);
    rows_.need(count);
    spare_.need(count);
    total_ = 0;
    weighted_ = weights != nullptr;
    part_count_ = 0;
    for (int c = 0; c < cells_; ++c)
        part_count_ = std::max(part_count_, layouts.known(c) + count_bits(layouts.near(c)) + 2);
    for (std::size_t row = 0; row < count; ++row) {
        const std::uint64_t layout = layouts[static_cast<std::int64_t>(row)];
        std::uint8_t* shows = shows_.data() + row * static_cast<std::size_t>(width_);
        for (int c = 0; c < cells_; ++c) {
            const int number = layouts.known(c) + count_bits(layout & layouts.near(c));
            shows[c] = (layout >> c & 1) != 0 ? mine : static_cast<std::uint8_t>(number);
            columns_[static_cast<std::size_t>(c) * count + row] = shows[c];
        }
        keys_[row] = Key{splitmix(splitmix_step + 2 * row), splitmix(splitmix_step + 2 * row + 1)};
        weights_[row] = weighted_ ? weights[row] : 1.0;
        total_ += weights_[row];
    }
    row_count_ = static_cast<std::int32_t>(count);
    if (++load_ == 0) {  // after so many loads, old entries would look like new ones
        if (table_size_ > 0) std::memset(table_.data(), 0, table_.bytes());
        load_ = 1;
    }
    table_count_ = 0;
}

std::int32_t* SetSearch::all_rows() {
    std::iota(rows_.data(), rows_.data() + row_count_, 0);
    return rows_.data();
}

Found SetSearch::best(const SearchLimits& limits) {
    limits_ = limits;
    return decide(all_rows(), row_count_);
}

bool SetSearch::wins_as_much(int cell, double value) {
    std::int32_t* const rows = all_rows();
    Division division;
    divide(rows, row_count_, cell, division);
    const double won = open(rows, division, value - 0.5);
    return !out_ && won > value - 0.5;
}

Found SetSearch::best_of(const std::int32_t* rows, std::int32_t count, const SearchLimits& limits) {
    assert(count <= row_count_);
    std::copy(rows, rows + count, rows_.data());
    limits_ = limits;
    return decide(rows_.data(), count);
}

Found SetSearch::decide(std::int32_t* rows, std::int32_t count) {
    out_ = narrowed_ = false;
    Found found;
    if (count <= 1) {
        found.value = weight_of(rows, count);
        return found;
    }
    const Part part = inspect(rows, count);
    if (part.safe_cell >= 0) {
        Division division;
        divide(rows, count, found.cell = part.safe_cell, division);
        found.value = open(rows, division, -1);
    } else {
        found.value = search(rows, count, 0, 0, &found.cell);
        found.risky = found.cell >= 0;
    }
    found.exact = !narrowed_ && !out_;
    found.finished = !out_;
    return found;
}

void SetSearch::spend(std::int64_t work) {
    assert(limits_.patience != nullptr);
    limits_.work -= work;
    if (limits_.work < 0) out_ = true;
    limits_.patience->spend(static_cast<std::uint64_t>(work));
}

double SetSearch::weight_of(const std::int32_t* rows, std::int32_t count) const {
    if (!weighted_) return count;
    double sum = 0;
    for (std::int32_t i = 0; i < count; ++i) sum += weights_[rows[i]];
    return sum;
}

void SetSearch::summarise(const std::int32_t* rows, std::int32_t count, Summary& summary) {
    spend(static_cast<std::int64_t>(count) * (width_ / lane) + 4);
    for (int first = 0; first < width_; first += lane) {
        const std::uint8_t* const shows = shows_.data() + first;
        Lane low = {}, high = {};
        low = ~low;
        double* const mines = summary.mines + first;
        std::fill(mines, mines + lane, 0.0);
        for (std::int32_t begin = 0; begin < count; begin += 255) {
            const std::int32_t end = std::min(count, begin + 255);
            Lane tally = {};
            for (std::int32_t i = begin; i < end; ++i) {
                Lane row;
                std::memcpy(&row, shows + static_cast<std::ptrdiff_t>(rows[i]) * width_, lane);
                low = row < low ? row : low;
                high = row > high ? row : high;
                tally -= reinterpret_cast<Lane>(row == mine);  // a true comparison is -1
            }
            for (int c = 0; c < lane; ++c) mines[c] += tally[c];
        }
        std::memcpy(summary.low + first, &low, lane);
        std::memcpy(summary.high + first, &high, lane);
    }
    if (weighted_) weigh(rows, count, summary);
}

// Computes Summary::mines for layouts of different weights.
void SetSearch::weigh(const std::int32_t* rows, std::int32_t count, Summary& summary) const {
    std::fill(summary.mines, summary.mines + width_, 0.0);
    for (std::int32_t i = 0; i < count; ++i) {
        const std::uint8_t* shows = shows_.data() + static_cast<std::ptrdiff_t>(rows[i]) * width_;
        const double weight = weights_[rows[i]];
        for (int c = 0; c < cells_; ++c) summary.mines[c] += shows[c] == mine ? weight : 0.0;
    }
}

// Returns an upper bound on the weight that can be won. If some cell divides the set without a
// risk, the bound is the weight of all layouts. If not, the bound leaves out the layouts that are
// lost by opening the safest cell.
SetSearch::Part SetSearch::inspect(const std::int32_t* rows, std::int32_t count) {
    Part part{weight_of(rows, count), -1};
    if (count <= 1) return part;
    if (count == 2) return inspect_pair(rows);
    Summary summary;
    summarise(rows, count, summary);
    double least = part.bound;
    for (int c = 0; c < cells_; ++c) {
        if (summary.divides_safely(c)) {
            part.safe_cell = c;
            return part;
        }
        if (summary.risky(c)) least = std::min(least, summary.mines[c]);
    }
    part.bound -= least;
    return part;
}

// Returns the exact value of a set of two layouts. If some cell is safe in both and shows different
// numbers, optimal play wins both. If not, optimal play opens a cell that is a mine in one of them,
// and wins the other: the heavier layout if some cell is a mine only in the lighter one, else the
// lighter layout.
SetSearch::Part SetSearch::inspect_pair(const std::int32_t* rows) const {
    const std::uint8_t* const a = shows_.data() + static_cast<std::ptrdiff_t>(rows[0]) * width_;
    const std::uint8_t* const b = shows_.data() + static_cast<std::ptrdiff_t>(rows[1]) * width_;
    Part part{0, -1};
    for (int c = 0; c < cells_; ++c) {
        if (a[c] == b[c]) continue;
        if (a[c] != mine && b[c] != mine) return Part{weights_[rows[0]] + weights_[rows[1]], c};
        part.bound = std::max(part.bound, weights_[rows[b[c] == mine ? 0 : 1]]);
    }
    return part;
}

// Sorts the layouts by the number that they show at a cell; those with a mine there come last.
// starts[i] is where part i begins. Returns the number of parts without a mine.
int SetSearch::partition(std::int32_t* rows, std::int32_t count, int cell, std::int32_t* starts) {
    std::int32_t sizes[most_parts];
    std::fill(sizes, sizes + part_count_, 0);
    const std::uint8_t* column = columns_.data() + static_cast<std::ptrdiff_t>(cell) * row_count_;
    const auto number = [&](std::int32_t row) {
        const std::uint8_t shown = column[row];
        return shown == mine ? part_count_ - 1 : static_cast<int>(shown);
    };
    for (std::int32_t i = 0; i < count; ++i) ++sizes[number(rows[i])];
    std::int32_t at[most_parts], begin = 0;
    int parts = 0;
    for (int n = 0; n < part_count_; ++n) {
        at[n] = begin;
        if (n < part_count_ - 1 && sizes[n] > 0) starts[parts++] = begin;
        begin += sizes[n];
    }
    starts[parts] = at[part_count_ - 1];
    std::copy(rows, rows + count, spare_.data());
    for (std::int32_t i = 0; i < count; ++i) rows[at[number(spare_[i])]++] = spare_[i];
    return parts;
}

// Lists every cell with a mine in some layouts but not in all, with the weight of the layouts in
// which the cell is safe.
int SetSearch::list_options(const std::int32_t* rows, std::int32_t count, Option* options) {
    Summary summary;
    summarise(rows, count, summary);
    const double weight = weight_of(rows, count);
    int listed = 0;
    for (int c = 0; c < cells_; ++c) {
        if (!summary.risky(c)) continue;
        options[listed++] = Option{weight - summary.mines[c], c, false};
    }
    return listed;
}

// Divides the layouts by the number that they show at a cell, and inspects the parts.
void SetSearch::divide(std::int32_t* rows, std::int32_t count, int cell, Division& division) {
    division.cell = cell;
    division.count = partition(rows, count, cell, division.starts);
    division.bound = 0;
    for (int i = 0; i < division.count; ++i) {
        const std::int32_t begin = division.starts[i];
        division.parts[i] = inspect(rows + begin, division.starts[i + 1] - begin);
        division.bound += division.parts[i].bound;
    }
}

// Returns the weight that is won by opening the cell of a division. If this weight is at most
// `above`, the result need not be exact: it may be any number between the weight and `above`.
double SetSearch::open(std::int32_t* rows, const Division& division, double above) {
    double possible = division.bound;
    for (int i = 0; i < division.count; ++i) {
        if (possible <= above) return possible;
        const Part& part = division.parts[i];
        const std::int32_t begin = division.starts[i];
        const double value = value_of(rows + begin, division.starts[i + 1] - begin, part,
                                      above - (possible - part.bound));
        possible += value - part.bound;
    }
    return possible;
}

double SetSearch::value_of(std::int32_t* rows, std::int32_t count, const Part& part, double above) {
    if (count <= 2) return part.bound;
    if (out_) return weights_[rows[0]];  // out of work: guess one layout, and win its weight
    const Key key = key_of(rows, count);
    if (const Known* known = recall(key))
        if (!known->upper || known->value <= above) return known->value;
    double value;
    if (part.safe_cell >= 0) {
        Division division;
        divide(rows, count, part.safe_cell, division);
        value = open(rows, division, above);
    } else {
        value = search(rows, count, above, count <= limits_.exact_rows ? 0 : limits_.beam, nullptr);
    }
    if (!out_) remember(key, value, value <= above);
    return value;
}

// Finds the best of the cells that are not safe, and returns the weight that is won by opening this
// cell. As in open(), a weight of at most `above` need not be exact. Cells with the largest bound
// are tried first. The first bound of a cell comes from its risk alone. A sharper bound is computed
// from the parts only when the first one is the largest of all, which never happens for most cells.
// At most `followed` cells are tried; 0 means all.
double SetSearch::search(std::int32_t* rows, std::int32_t count, double above,
                         std::int32_t followed, int* best_cell) {
    Option options[Fitting::max_cells];
    const int listed = list_options(rows, count, options);
    Division division;
    division.cell = -1;
    double best = above, bound = 0;
    for (std::int32_t tried = 0; listed > 0;) {
        Option* const next = std::max_element(options, options + listed, [](auto& a, auto& b) {
            return a.bound < b.bound || (a.bound == b.bound && a.sharp < b.sharp);
        });
        if (next->bound <= best) {
            bound = std::max(bound, next->bound);
            break;
        }
        if (followed > 0 && next->sharp && tried++ >= followed) {
            narrowed_ = true;
            break;
        }
        if (division.cell != next->cell) divide(rows, count, next->cell, division);
        next->bound = division.bound;
        if (!next->sharp) {
            next->sharp = true;
            continue;
        }
        const double value = open(rows, division, best);
        division.cell = -1;  // the rows are in another order now
        next->bound = -1;
        if (value > best) {
            best = value;
            if (best_cell != nullptr) *best_cell = next->cell;
        } else {
            bound = std::max(bound, value);
        }
    }
    return best > above ? best : bound;
}

SetSearch::Key SetSearch::key_of(const std::int32_t* rows, std::int32_t count) const {
    Key key;
    for (std::int32_t i = 0; i < count; ++i) {
        key.low += keys_[rows[i]].low;
        key.high += keys_[rows[i]].high;
    }
    return key;
}

SetSearch::Known* SetSearch::recall(const Key& key) {
    if (table_size_ == 0) return nullptr;
    for (std::uint64_t i = key.low & (table_size_ - 1);; i = (i + 1) & (table_size_ - 1)) {
        Known& known = table_[i];
        if (known.load != load_) return nullptr;
        if (known.low == key.low && known.high == key.high) return &known;
    }
}

void SetSearch::remember(const Key& key, double value, bool upper) {
    if (Known* known = recall(key)) {
        known->value = value;
        known->upper = upper;
        return;
    }
    if (2 * (table_count_ + 1) > table_size_) {
        if (table_size_ >= largest_table) return;
        grow_table();
    }
    std::uint64_t i = key.low & (table_size_ - 1);
    while (table_[i].load == load_) i = (i + 1) & (table_size_ - 1);
    table_[i] = Known{key.low, key.high, value, load_, upper};
    ++table_count_;
}

// Doubles the table, and keeps only the entries since the last load().
void SetSearch::grow_table() {
    const std::uint64_t before = table_size_, size = before == 0 ? least_table : 2 * before;
    Buffer<Known> old;
    if (before > 0) {
        old.need(before);
        std::copy(table_.data(), table_.data() + before, old.data());
    }
    table_.need(size);
    std::memset(table_.data(), 0, table_.bytes());
    table_size_ = size;
    table_count_ = 0;
    for (std::uint64_t i = 0; i < before; ++i) {
        const Known& known = old[i];
        if (known.load == load_) remember(Key{known.low, known.high}, known.value, known.upper);
    }
}

}  // namespace mines
