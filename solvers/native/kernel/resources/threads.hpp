// Shares work between several threads, while the calling thread listens for a request to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace mines {

// Runs `work(next, stop)` on up to `threads` threads and waits for all of them. Each call takes its
// tasks from the counter `next` and ends early if `stop` is set. Several times a second, the
// calling thread calls asked_to_stop() and sets `stop` if the answer is yes. The calling thread
// does work itself only if the system gives no thread at all. If `work` throws, `stop` is set and
// the exception is thrown again here.
void on_threads(
    std::int64_t threads, const std::function<bool()>& asked_to_stop,
    const std::function<void(std::atomic<std::uint64_t>& next, std::atomic<bool>& stop)>& work);

}  // namespace mines
