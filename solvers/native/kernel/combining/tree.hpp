// Regions and sea under a known total, by multiplying distributions: sums and products of numbers
// that are never negative, so nothing cancels, whatever the gaps. Slower than the contour, and
// there for what that cannot be trusted with.
//
// The tilted leaves and the sea are multiplied in pairs up to the root; from the root down, each
// node is told what all the rest contributes to the wanted number for every number of its own.
// Tails too light to matter are cut off: what was cut is added up, and has to be far less than the
// probability of the wanted number, else the product is made again with less cut off, and in the
// end with nothing, in numbers of any size.
#pragma once

#include <cstdint>
#include <vector>

#include "combining/tilt.hpp"
#include "resources/patience.hpp"

namespace mines {

// What the tree gives: probabilities as the contour does.
struct Branches {
    double log_density = 0;
    double sea_probability = 0;
    double error = 0;
    std::vector<std::vector<Wide>> weights;  // per leaf, over the density
};

Branches multiply_out(const Tilt& tilt, std::int32_t leaves, Patience& patience);

}  // namespace mines
