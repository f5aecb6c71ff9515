// Adds whole games to the Python module.
#pragma once

#include <nanobind/nanobind.h>

#include "playing/advice.hpp"

namespace mines {

void bind_games(nanobind::module_& m);

// Status, cell (none: nothing to open), risk, chance (none: unknown), whether that is exact,
// reason, layouts.
nanobind::object shown(const Advice& advice, const Grid& board);

}  // namespace mines
