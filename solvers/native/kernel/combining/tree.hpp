// Combines regions and sea under a known total by multiplying distributions. No number is negative,
// so nothing cancels. This is slower than contour.hpp, so it is used only if contour.hpp is not
// precise enough.
//
// The tilted leaves and the sea are multiplied in pairs up to the root. From the root down, each
// node gets a weight for each of its numbers of mines: the probability that the leaves and the sea
// outside the node have the rest of the wanted mines.
// The tails of a distribution are cut off where they are too light to matter. Everything cut off
// must together be far less likely than the wanted number. If it is not, the product is made again
// with smaller cuts, then with numbers of type Wide, and at last without cuts.
#pragma once

#include <cstdint>
#include <vector>

#include "combining/tilt.hpp"
#include "resources/patience.hpp"

namespace mines {

// The results. The density is the probability of the wanted number of mines. `log_density` is
// ln(density) + Tilt::log_scale(). This sum is the natural logarithm of the number of layouts.
struct Branches {
    double log_density = 0;
    double sea_probability = 0;
    double error = 0;
    std::vector<std::vector<Wide>> weights;  // per leaf and coefficient, divided by the density
};

Branches multiply_out(const Tilt& tilt, std::int32_t leaves, Patience& patience);

}  // namespace mines
