#include "searching/shares.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "counting/numbers.hpp"

namespace mines {

double* Shares::add(std::int32_t low, std::int32_t length) {
    regions_.need(static_cast<std::size_t>(count_) + 1);
    regions_[count_++] = {low, length, ways_count_};
    ways_.need(ways_count_ + length);
    double* const room = ways_.data() + ways_count_;
    ways_count_ += length;
    return room;
}

bool Shares::weigh(std::int64_t mines, std::int32_t sea) {
    mines_ = mines;
    weights_.need(static_cast<std::size_t>(count_ + 1) * static_cast<std::size_t>(mines + 1));
    double* const last = from(count_);
    double largest = -1;
    for (std::int64_t m = 0; m <= mines; ++m) {
        last[m] = m > sea ? -1 : log_choose(sea, static_cast<double>(m));
        largest = std::max(largest, last[m]);
    }
    for (std::int64_t m = 0; m <= mines; ++m)
        last[m] = last[m] < 0 ? 0 : std::exp(last[m] - largest);
    for (std::int32_t i = count_ - 1; i >= 0; --i) {
        const Ways& region = regions_[i];
        const double* const ways = ways_.data() + region.first;
        const double* const after = from(i + 1);
        double* const here = from(i);
        for (std::int64_t m = 0; m <= mines; ++m) {
            here[m] = 0;
            for (std::int32_t k = 0; k < region.length && region.low + k <= m; ++k)
                here[m] += ways[k] * after[m - region.low - k];
        }
    }
    return from(0)[mines] > 0;
}

std::int32_t Shares::draw(std::int32_t region, std::int64_t left, Stream& random) const {
    const Ways& drawn = regions_[region];
    const double* const ways = ways_.data() + drawn.first;
    const double* const after = from(region + 1);
    double at = random.unit() * from(region)[left];
    std::int32_t mines = -1;
    for (std::int32_t k = 0; k < drawn.length && drawn.low + k <= left; ++k) {
        const double weight = ways[k] * after[left - drawn.low - k];
        if (weight <= 0) continue;
        mines = drawn.low + k;
        if ((at -= weight) < 0) break;
    }
    assert(mines >= 0);  // weigh() returned true, so a number of mines fits
    return mines;
}

void draw_sea(std::int32_t* cells, std::int32_t count, std::int64_t mines, Stream& random,
              std::uint8_t* flags) {
    assert(mines >= 0 && mines <= count);
    for (std::int64_t i = 0; i < mines; ++i) {
        std::swap(cells[i], cells[i + random.below(static_cast<std::size_t>(count - i))]);
        flags[cells[i]] = 1;
    }
}

}  // namespace mines
