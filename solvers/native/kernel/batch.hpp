// Many boards at once, on several threads. Needs no GIL.
#pragma once

#include <cstdint>
#include <functional>

#include "analysis.hpp"

namespace mines {

// Calls work(workspace, i) for i in 0..count-1 from `threads` threads (at least one), each with a
// workspace of its own. `work` must not throw and must not touch Python.
void in_parallel(std::int64_t count, int threads,
                 const std::function<void(Workspace&, std::int64_t)>& work);

}  // namespace mines
