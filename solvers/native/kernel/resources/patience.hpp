// Long work: how it hears that it should stop. Everything that loops for long tells its Patience
// how much it did; now and then that asks whether to go on, and throws when not. What throws may
// throw anywhere memory may run out, too, so whatever is safe for the one is safe for the other.
#pragma once

#include <chrono>
#include <cstdint>

namespace mines {

struct Interrupted {};  // the caller asked to stop
struct OutOfTime {};    // the time allowed is over

class Patience {
  public:
    using Clock = std::chrono::steady_clock;

    // Called before the first question, so that others may run meanwhile. May be null.
    void (*before_long_work)(void*) = nullptr;
    // True means stop. May be null.
    bool (*asked_to_stop)(void*) = nullptr;
    void* context = nullptr;
    Clock::time_point deadline = Clock::time_point::max();

    // `work` counts steps of about a nanosecond.
    void spend(std::uint64_t work) {
        spent_ += work;
        if (spent_ >= work_between_questions) ask();
    }

    // What follows takes long: no need to wait for the first question.
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
