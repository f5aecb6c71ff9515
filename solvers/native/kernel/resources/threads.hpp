// Threads that do one thing together, while the thread that began them listens.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mines {

class Threads {
  public:
    // Runs `work`, which must not throw, on so many threads; on fewer, or none, where the system
    // gives no more: what they share of the work is the same.
    Threads(std::int64_t threads, std::function<void()> work);
    ~Threads();

    bool empty() const { return threads_.empty(); }

    // Waits until all are done. Asks several times a second whether to stop; when the answer is
    // yes, sets `stop`, once, and goes on waiting. Whether that was so.
    bool wait(const std::function<bool()>& asked_to_stop, std::atomic<bool>& stop);

  private:
    void done();

    const std::function<void()> work_;
    std::mutex mutex_;
    std::condition_variable finished_;
    int working_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace mines
