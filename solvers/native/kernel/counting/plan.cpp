#include "counting/plan.hpp"

namespace mines {

// If the residual is r and `left` cells of the constraint are to come, the residual ends within
// r - left .. r. The constraint is met if its residual ends within 0 .. high - low. So the
// constraint can be met if these ranges overlap. It is met whatever follows if the first range lies
// within the second.
Touch Plan::touch(const Hypergraph& region, std::int32_t constraint, std::int32_t box) {
    const std::int32_t low = region.low_of(constraint), high = region.high_of(constraint);
    const bool opens = cells_left_[constraint] == region.cells_of(constraint);
    if (opens) slot_of_[constraint] = slots_.take();
    const std::int32_t left = cells_left_[constraint] -= region.box_size(box);
    const std::int32_t per_word = 64 / width_;
    Touch touch{};
    touch.word = slot_of_[constraint] / per_word;
    touch.shift = slot_of_[constraint] % per_word * width_;
    touch.opens = opens ? high : -1;
    touch.limit = left + high - low;
    const bool plain = !region.weighted(constraint) && low < high;
    touch.met_from = plain ? left : 1;
    touch.met_to = plain ? high - low : 0;
    touch.constraint = constraint;
    touch.high = high;
    touch.closes = left == 0;
    touch.weighs = touch.closes && region.weighted(constraint);
    return touch;
}

void Plan::make(const Hypergraph& region, const std::int32_t* order) {
    const std::int32_t constraints = region.constraint_count();
    std::int32_t most = 1;
    slots_.begin(constraints);
    slot_of_.need(constraints), cells_left_.need(constraints);
    for (std::int32_t c = 0; c < constraints; ++c) {
        cells_left_[c] = region.cells_of(c);
        most = std::max(most, region.high_of(c));
    }
    for (width_ = 1; most >> width_ != 0;) ++width_;
    mask_ = (std::uint64_t{1} << width_) - 1;
    touch_count_ = 0;
    step_count_ = region.box_count();
    steps_.need(step_count_);
    for (std::int32_t i = 0; i < step_count_; ++i) {
        const Stretch inside = region.constraints_of(order[i]);
        PlanStep& step = steps_[i];
        step = PlanStep{order[i], region.box_size(order[i]), touch_count_, inside.size(), false};
        touches_.need(touch_count_ + inside.size());
        for (const std::int32_t c : inside) {
            const Touch made = touches_[touch_count_++] = touch(region, c, order[i]);
            step.weighs |= made.weighs;
        }
        for (const std::int32_t c : inside)
            if (cells_left_[c] == 0) slots_.give_back(slot_of_[c]);
    }
    const std::int32_t per_word = 64 / width_;
    words_ = std::max(1, (slots_.count() + per_word - 1) / per_word);
}

}  // namespace mines
