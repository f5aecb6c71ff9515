#include "batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace mines {

namespace {

constexpr std::chrono::milliseconds between_questions{50};

// What the threads share: the next item, whether to stop, how many are at work.
struct Shift {
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::condition_variable finished;
    int working = 0;

    void begin() {
        const std::lock_guard<std::mutex> lock(mutex);
        ++working;
    }
    void end() {
        const std::lock_guard<std::mutex> lock(mutex);
        --working;
        finished.notify_all();
    }
};

bool stopped(void* flag) {
    return static_cast<std::atomic<bool>*>(flag)->load();
}

}  // namespace

void in_parallel(std::int64_t count, int threads,
                 const std::function<void(Workspace&, std::int64_t, Patience&)>& work,
                 const std::function<bool()>& asked_to_stop) {
    Shift shift;
    const auto run = [&](Patience patience) {
        try {
            const auto workspace = std::make_unique<Workspace>();
            while (!shift.stop.load()) {
                const std::int64_t i = shift.next++;
                if (i >= count) break;
                work(*workspace, i, patience);
            }
        } catch (const std::bad_alloc&) {
            // No memory for a workspace: the others do the work, or the caller board by board.
        }
    };
    Patience theirs;
    theirs.asked_to_stop = stopped;
    theirs.context = &shift.stop;
    std::vector<std::thread> others;
    const std::int64_t wanted = std::min<std::int64_t>(threads, count);
    for (std::int64_t i = 0; wanted > 1 && i < wanted; ++i) {
        shift.begin();
        try {
            others.emplace_back([&] {
                run(theirs);
                shift.end();
            });
        } catch (const std::exception&) {
            shift.end();
            break;  // fewer threads, the same result
        }
    }
    if (others.empty()) {
        Patience own;
        own.asked_to_stop = [](void* asked) {
            return (*static_cast<const std::function<bool()>*>(asked))();
        };
        own.context = const_cast<std::function<bool()>*>(&asked_to_stop);
        run(own);
    }
    std::unique_lock<std::mutex> lock(shift.mutex);
    while (!shift.finished.wait_for(lock, between_questions, [&] { return shift.working == 0; })) {
        lock.unlock();
        if (asked_to_stop()) shift.stop = true;
        lock.lock();
    }
    lock.unlock();
    for (std::thread& thread : others) thread.join();
}

}  // namespace mines
