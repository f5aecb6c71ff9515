// Adds whole games to the Python module.
#pragma once

#include <nanobind/nanobind.h>

#include "advice.hpp"

namespace mines {

void bind_games(nanobind::module_& m);

// Status, plain cell (-1: nothing to open), risk, chance, whether that is exact, reason, layouts.
nanobind::object shown(const Advice& advice);

}  // namespace mines
