// Stops long work on request. Every long loop tells its Patience how much work it did. From time to
// time the Patience asks whether to stop, and throws if so. It throws only in functions that may
// throw std::bad_alloc anyway. So code that survives a failed allocation survives a stop, too.
#pragma once

#include <chrono>
#include <cstdint>

namespace mines {

struct Interrupted {};  // the caller asked to stop
struct OutOfTime {};    // the time allowed is over

class Patience {
  public:
    using Clock = std::chrono::steady_clock;

    // Called once, before asked_to_stop is ever called, to let other threads run. May be null.
    void (*before_long_work)(void*) = nullptr;
    // Called from time to time; returns true to stop the work. May be null.
    bool (*asked_to_stop)(void*) = nullptr;
    void* context = nullptr;
    Clock::time_point deadline = Clock::time_point::max();

    // The moment `seconds` from now. A time of more than a few decades means no deadline.
    static Clock::time_point deadline_after(double seconds) {
        if (!(seconds < 1e9)) return Clock::time_point::max();
        const std::chrono::duration<double> span(seconds);
        return Clock::now() + std::chrono::duration_cast<Clock::duration>(span);
    }

    // Reports `work` steps of about a nanosecond. Throws if the work must stop.
    void spend(std::uint64_t work) {
        spent_ += work;
        if (spent_ >= work_between_questions) ask();
    }

    // Announces that the work will be long: calls before_long_work, unless it was called before.
    void announce() {
        if (announced_ || before_long_work == nullptr) return;
        announced_ = true;
        before_long_work(context);
    }

  private:
    static constexpr std::uint64_t work_between_questions = 16'000'000;

    void ask() {
        spent_ = 0;
        announce();
        if (asked_to_stop != nullptr && asked_to_stop(context)) throw Interrupted{};
        if (deadline != Clock::time_point::max() && Clock::now() > deadline) throw OutOfTime{};
    }

    std::uint64_t spent_ = 0;
    bool announced_ = false;
};

}  // namespace mines
