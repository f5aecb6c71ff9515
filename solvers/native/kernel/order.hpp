// The elimination order of a region's boxes.
//
// Greedy runs from several starts under several rules; the run with the smallest cost wins, where
// the cost is the sum over the steps of the product of the ranges that the open constraints'
// residuals can still take (an upper bound on the states). A region whose first run is cheap gets
// no second one; search goes on while it costs little compared with the sweep it may shorten, and
// never longer than a budget for all regions of a board together: an order that costs more than
// anybody can count is not worth looking at, however much better it is than the next.
#pragma once

#include <cstdint>

#include "buffer.hpp"
#include "frontier.hpp"
#include "patience.hpp"

namespace mines {

class Order {
  public:
    // A new board: the budget is whole again.
    void begin_board() { spent_ = 0; }
    // Reorders the region's part of `frontier.region_boxes`; gives the cost. Without `thorough` a
    // single run decides. Gives `hopeless` and no order when even the first run passes it.
    double choose(Frontier& frontier, const Region& region, bool thorough, Patience& patience);

    // No region whose bound on the states is beyond this one can be counted.
    static constexpr double hopeless = 1e30;

  private:
    enum class Rule { nearly_closed, few_opened, small_product };
    static constexpr int rule_count = 3;

    void run(std::int32_t start, Rule rule, double give_up, double most_work);
    void begin();
    void emit(std::int32_t box);
    void finish_constraint(std::int32_t constraint);
    void touch(std::int32_t constraint, int cells);
    double range(std::int32_t constraint) const;
    std::int32_t next_constraint(Rule rule) const;
    int opens(std::int32_t constraint) const;
    std::int32_t next_box() const;
    double product_after(const Box& box) const;
    void search(std::int32_t cheap_start);
    double work_allowed() const;

    Frontier* frontier_ = nullptr;
    const Region* region_ = nullptr;
    Buffer<std::int8_t> done_;      // per constraint: cells eliminated so far
    Buffer<std::int8_t> left_;      // per constraint: boxes to come
    Buffer<std::uint8_t> emitted_;  // per box
    Buffer<std::int32_t> open_;     // constraints with cells before and after
    Buffer<std::int32_t> order_, best_;
    std::int32_t open_count_ = 0;
    std::int32_t count_ = 0;
    double product_ = 1, cost_ = 0, best_cost_ = 0;
    mutable double work_ = 0;  // constraints looked at, over all runs
    double spent_ = 0;         // the same for the regions before, in searching
    Patience* patience_ = nullptr;
};

}  // namespace mines
