// Work that several threads share, while the thread that began it listens for a request to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace mines {

// Runs `work(next, stop)` on so many threads and waits for all of them. Each call takes its tasks
// from the counter `next` and ends early when `stop` is set. The calling thread asks several times
// a second whether to stop, and sets `stop` when the answer is yes; it works itself only where the
// system gives no thread at all. An exception of `work` sets `stop`, too, and is thrown again here.
void on_threads(
    std::int64_t threads, const std::function<bool()>& asked_to_stop,
    const std::function<void(std::atomic<std::uint64_t>& next, std::atomic<bool>& stop)>& work);

}  // namespace mines
