#include "resources/threads.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mines {

namespace {

constexpr std::chrono::milliseconds between_questions{50};

// Starts `wanted` threads that call `run`, or as many as the system allows.
std::vector<std::thread> begin(std::int64_t wanted, const std::function<void()>& run) {
    std::vector<std::thread> threads;
    threads.reserve(wanted > 0 ? static_cast<std::size_t>(wanted) : 0);
    try {
        while (static_cast<std::int64_t>(threads.size()) < wanted) threads.emplace_back(run);
    } catch (const std::exception&) {
        // No more threads can be started. Those that run do all of the work.
    }
    return threads;
}

}  // namespace

void on_threads(
    std::int64_t threads, const std::function<bool()>& asked_to_stop,
    const std::function<void(std::atomic<std::uint64_t>& next, std::atomic<bool>& stop)>& work) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::condition_variable finished;
    std::size_t done = 0;
    std::exception_ptr failure;
    const auto run = [&] {
        std::exception_ptr thrown;
        try {
            work(next, stop);
        } catch (...) {
            thrown = std::current_exception();
            stop = true;
        }
        const std::lock_guard<std::mutex> lock(mutex);
        if (thrown) failure = thrown;
        ++done;
        finished.notify_all();
    };
    std::vector<std::thread> others = begin(threads, run);
    if (others.empty()) run();
    {
        std::unique_lock<std::mutex> lock(mutex);
        while (!finished.wait_for(lock, between_questions, [&] { return done >= others.size(); })) {
            lock.unlock();
            if (!stop && asked_to_stop()) stop = true;
            lock.lock();
        }
    }
    for (std::thread& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace mines
