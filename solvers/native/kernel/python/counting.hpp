// Adds exact counting to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace mines {

void bind_counting(nanobind::module_& m);

}  // namespace mines
