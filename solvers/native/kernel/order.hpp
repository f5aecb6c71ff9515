// The elimination order of a region's boxes.
//
// Greedy runs from several starts under several rules; the run with the smallest cost wins, where
// the cost is the sum over the steps of the product of the ranges that the open constraints'
// residuals can still take (an upper bound on the states). A region whose first run is cheap gets
// no second one; search goes on while it costs little compared with the sweep it may shorten.
#pragma once

#include <cstdint>

#include "buffer.hpp"
#include "frontier.hpp"

namespace mines {

class Order {
  public:
    // Reorders the region's part of `frontier.region_boxes`; gives the cost. Without `thorough` a
    // single run decides.
    double choose(Frontier& frontier, const Region& region, bool thorough);

  private:
    enum class Rule { nearly_closed, few_opened, small_product };
    static constexpr int rule_count = 3;

    double run(std::int32_t start, Rule rule, double give_up);
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
};

}  // namespace mines
