#include "resources/threads.hpp"

#include <chrono>
#include <exception>
#include <future>
#include <vector>

namespace mines {

namespace {

constexpr std::chrono::milliseconds between_questions{50};

// Starts `run` on `wanted` threads, or on as many as the system allows.
std::vector<std::future<void>> begin(std::int64_t wanted, const std::function<void()>& run) {
    std::vector<std::future<void>> threads;
    threads.reserve(wanted > 0 ? static_cast<std::size_t>(wanted) : 0);
    try {
        while (static_cast<std::int64_t>(threads.size()) < wanted)
            threads.push_back(std::async(std::launch::async, run));
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
    const auto run = [&] {
        try {
            work(next, stop);
        } catch (...) {
            stop = true;
            throw;
        }
    };
    std::vector<std::future<void>> others = begin(threads, run);
    if (others.empty()) run();
    for (const std::future<void>& other : others)
        while (other.wait_for(between_questions) != std::future_status::ready)
            if (!stop && asked_to_stop()) stop = true;
    for (std::future<void>& other : others) other.get();
}

}  // namespace mines
