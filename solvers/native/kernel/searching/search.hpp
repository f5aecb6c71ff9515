// Searches a set of layouts for the cell with the best win chance under optimal play.
//
// The player knows which layouts are still possible. Each layout is stored as a row: for every
// unknown cell, the number that the cell would show, or `mine`. The parameter `rows` of a function
// lists the rows of a set of layouts by number. Opening a cell keeps only the layouts with the
// shown number there. Layouts with a mine there are lost. If a cell is safe in all layouts of a
// set, but does not show the same number in all, opening it divides the set without a risk. Without
// such a cell, the player must risk some cell. A set of one layout is won. The value of a set is
// the weight of the layouts that optimal play wins. The value depends on the set alone, so it is
// kept in a table.
#pragma once

#include <cstdint>

#include "resources/buffer.hpp"
#include "resources/patience.hpp"
#include "searching/fitting.hpp"

namespace mines {

struct SearchLimits {
    // In each set of layouts, at most this many cells are tried: those with the largest bounds. If
    // 0, all cells are tried. In the set where the search starts, all cells are always tried.
    std::int32_t beam = 0;
    std::int32_t exact_rows = 16;  // in sets of at most this many layouts, all cells are tried
    std::int64_t work = 0;         // in steps; a step looks at 16 cells of one layout
    Patience* patience = nullptr;  // never null in a search
};

struct Found {
    int cell = -1;         // the best cell; -1: there is no choice
    double value = 0;      // some strategy wins layouts that weigh this much together
    bool exact = true;     // true: no strategy wins more
    bool risky = false;    // whether the cell is a mine in some layout of the set
    bool finished = true;  // false: the allowed work was not enough
};

class SetSearch {
  public:
    // Loads the listed layouts. Without `weights`, every layout weighs 1.
    void load(const Fitting& layouts, const double* weights);
    // Finds the best cell to open if all loaded layouts are possible.
    Found best(const SearchLimits& limits);
    // Whether opening `cell` wins as much as the best cell, where `value` is the value that best()
    // found. All layouts must weigh 1. False also if too little work is left to find out.
    bool wins_as_much(int cell, double value);
    // Finds the best cell to open if only the layouts in `rows` are possible.
    Found best_of(const std::int32_t* rows, std::int32_t count, const SearchLimits& limits);
    double total() const { return total_; }
    // How much of its allowed work the last search left over; negative if the work was not enough.
    std::int64_t work_left() const { return limits_.work; }

  private:
    static constexpr std::uint8_t mine = 255;
    struct Summary;
    static constexpr int most_parts = most_neighbours + 2;  // one for each number, one for a mine
    // Facts about a set of layouts, found before the set is searched.
    struct Part {
        double bound;   // no strategy wins more; exact if the set has at most two layouts
        int safe_cell;  // a cell that is safe in all layouts and divides the set, or -1
    };
    // A set of layouts, divided into parts by what one cell shows. The list of the set is sorted by
    // parts; the last part has the layouts with a mine at the cell.
    struct Division {
        int cell, count;                  // `count` parts have no mine at the cell
        std::int32_t starts[most_parts];  // where each part starts in the list
        Part parts[most_parts];
        double bound;
    };
    struct Option {
        double bound;  // no strategy that opens the cell wins more
        int cell;
        bool sharp;  // the bound comes from the parts, not from the risk alone
    };
    struct Known {
        std::uint64_t low, high;  // the key of the set
        double value;
        std::uint32_t load;  // number of the load(); entries of earlier loads are void
        bool upper;          // the value is only an upper bound
    };
    // Each layout has a random key. The key of a set is the sum of the keys of its layouts: the sum
    // of all `low`, and the sum of all `high`.
    struct Key {
        std::uint64_t low = 0, high = 0;
    };

    std::int32_t* all_rows();
    Found decide(std::int32_t* rows, std::int32_t count);
    double value_of(std::int32_t* rows, std::int32_t count, const Part& part, double above);
    double search(std::int32_t* rows, std::int32_t count, double above, std::int32_t followed,
                  int* best_cell);
    double open(std::int32_t* rows, const Division& division, double above);
    Part inspect_pair(const std::int32_t* rows) const;
    void summarise(const std::int32_t* rows, std::int32_t count, Summary& summary);
    void weigh(const std::int32_t* rows, std::int32_t count, Summary& summary) const;
    Part inspect(const std::int32_t* rows, std::int32_t count);
    void divide(std::int32_t* rows, std::int32_t count, int cell, Division& division);
    int list_options(const std::int32_t* rows, std::int32_t count, Option* options);
    int partition(std::int32_t* rows, std::int32_t count, int cell, std::int32_t* starts);
    double weight_of(const std::int32_t* rows, std::int32_t count) const;
    Key key_of(const std::int32_t* rows, std::int32_t count) const;
    Known* recall(const Key& key);
    void remember(const Key& key, double value, bool upper);
    void grow_table();
    void spend(std::int64_t work);

    SearchLimits limits_;
    std::int32_t row_count_ = 0, cells_ = 0, width_ = 0;
    int part_count_ = 0;  // parts of a division: one for each possible number, one for a mine
    bool weighted_ = false, out_ = false, narrowed_ = false;
    double total_ = 0;
    Buffer<std::uint8_t> shows_;    // row after row: row_count_ x width_
    Buffer<std::uint8_t> columns_;  // the same, cell after cell: cells_ x row_count_
    Buffer<double> weights_;        // per layout
    Buffer<Key> keys_;              // per layout
    Buffer<std::int32_t> rows_, spare_;
    Buffer<Known> table_;
    std::uint64_t table_size_ = 0, table_count_ = 0;
    std::uint32_t load_ = 0;
};

}  // namespace mines
