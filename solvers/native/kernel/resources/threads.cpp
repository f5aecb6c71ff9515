#include "resources/threads.hpp"

#include <chrono>
#include <exception>
#include <utility>

namespace mines {

namespace {

constexpr std::chrono::milliseconds between_questions{50};

}  // namespace

Threads::Threads(std::int64_t threads, std::function<void()> work) : work_(std::move(work)) {
    threads_.reserve(threads > 0 ? static_cast<std::size_t>(threads) : 0);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::int64_t i = 0; i < threads; ++i) {
        try {
            threads_.emplace_back([this] {
                work_();
                done();
            });
            ++working_;  // before the thread can say that it is done: that needs the lock
        } catch (const std::exception&) {
            break;
        }
    }
}

Threads::~Threads() {
    for (std::thread& thread : threads_) thread.join();
}

void Threads::done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --working_;
    finished_.notify_all();
}

bool Threads::wait(const std::function<bool()>& asked_to_stop, std::atomic<bool>& stop) {
    bool asked = false;
    std::unique_lock<std::mutex> lock(mutex_);
    while (!finished_.wait_for(lock, between_questions, [&] { return working_ == 0; })) {
        lock.unlock();
        if (!asked && asked_to_stop()) asked = true, stop = true;
        lock.lock();
    }
    return asked;
}

}  // namespace mines
