// The elimination order of a region's boxes.
//
// A greedy run makes an order: it begins at one constraint and follows one rule. The first order is
// taken if its cost is small. Otherwise further runs, from other constraints and with other rules,
// search for an order with a smaller cost. The search goes on while it takes little time compared
// with the elimination that it may shorten, within a budget for all regions of a board together. If
// the best order still has a large cost, moving a few of its boxes at a time improves it.
//
// The cost of an order is the sum, over all its steps, of an upper bound on the states. The bound
// is the product, over all open constraints, of how many values their residuals can have. If clues
// determine most boxes, the cost far exceeds the number of states. So the cost serves to compare
// orders and to tell cheap regions from expensive ones, but it never rules out a region.
#pragma once

#include <cstdint>
#include <vector>

#include "board/frontier.hpp"
#include "counting/hypergraph.hpp"
#include "randomness/splitmix.hpp"
#include "resources/buffer.hpp"
#include "resources/patience.hpp"
#include "resources/stretch.hpp"

namespace mines {

// `Graph` is a Frontier or a Hypergraph.
template <class Graph>
class Order {
  public:
    // Begins with a new board and its full budget.
    void begin_board() { spent_ = 0; }
    // Writes an order of the `box_count` boxes of a region to `boxes`, and returns its cost.
    // `constraints` lists the constraints of the region by their distance from one of them, so that
    // the last one is at an edge of the region. Without `thorough`, the order of the first run is
    // taken, whatever its cost. The indices of constraints and boxes are below `constraint_bound`
    // and `box_bound`.
    double choose(const Graph& graph, Stretch constraints, std::int32_t* boxes,
                  std::int32_t box_count, std::int32_t constraint_bound, std::int32_t box_bound,
                  bool thorough, Patience& patience);

  private:
    enum class Rule { nearly_closed, few_opened, small_product };
    static constexpr int rule_count = 3;

    void run(std::int32_t start, Rule rule, double give_up, double most_work);
    void begin();
    void emit(std::int32_t box);
    void finish_constraint(std::int32_t constraint);
    void touch(std::int32_t constraint, int cells);
    double range(std::int32_t constraint, std::int32_t done) const;
    std::int32_t next_constraint(Rule rule) const;
    int opens(std::int32_t constraint) const;
    std::int32_t next_box() const;
    double product_after(std::int32_t box) const;
    void search(std::int32_t cheap_start);
    void improve();
    bool move_boxes();
    double cost_of(const std::int32_t* order, double give_up);
    double work_allowed() const;
    bool is_order(const std::int32_t* boxes) const;

    const Graph* graph_ = nullptr;
    Stretch constraints_{nullptr, nullptr};
    Buffer<std::int32_t> done_;     // per constraint: cells eliminated so far
    Buffer<std::int32_t> left_;     // per constraint: boxes not eliminated yet
    Buffer<std::uint8_t> emitted_;  // per box
    Buffer<std::int32_t> open_;     // constraints with some boxes eliminated and some not
    Buffer<std::int32_t> order_, best_, changed_;
    Stream random_{1};
    std::int32_t open_count_ = 0;
    std::int32_t count_ = 0, box_count_ = 0;
    double product_ = 1, cost_ = 0, best_cost_ = 0;
    mutable double work_ = 0;  // constraints examined after the first run
    double spent_ = 0;         // the same, for earlier regions of the board
    Patience* patience_ = nullptr;
};

// Returns an elimination order with few states, for the boxes of a connected region.
std::vector<std::int32_t> elimination_order(const Hypergraph& region, Patience& patience);

}  // namespace mines
