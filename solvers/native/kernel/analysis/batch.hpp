// Many boards at once, on several threads. Needs no GIL.
#pragma once

#include <cstdint>
#include <functional>

#include "analysis/analysis.hpp"

namespace mines {

// Calls work(workspace, i, patience) for i in 0..count-1 from `threads` threads (at least one),
// each with a workspace of its own. The calling thread works, too, unless there are others; it asks
// `asked_to_stop` several times a second, and when that says yes everybody stops soon. `work` must
// not throw anything but what a Patience throws, and must not touch Python.
void in_parallel(std::int64_t count, int threads,
                 const std::function<void(Workspace&, std::int64_t, Patience&)>& work,
                 const std::function<bool()>& asked_to_stop);

}  // namespace mines
