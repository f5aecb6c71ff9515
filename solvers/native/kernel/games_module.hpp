// Adds whole games to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace mines {

void bind_games(nanobind::module_& m);

}  // namespace mines
