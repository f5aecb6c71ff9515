// Region memory: what was counted for one position of a game, kept for the next.
//
// A region is known by its description: bounds of its constraints and, for each box, its size and
// constraints, numbered in the order in which the frontier lists them. Equal descriptions have
// equal traces, wherever on the board they lie, so a region that comes back is not counted again;
// only the backward pass, which depends on all the rest of the board, is done anew. Exact clues
// only.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>

#include "board/frontier.hpp"
#include "counting/elimination.hpp"

namespace mines {

class Memory {
  public:
    struct Entry {
        Elimination elimination;
        Trace trace;
        double cost = 0;
        bool counted = false;  // the trace is complete
        std::uint64_t last_used = 0;
    };

    explicit Memory(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    // The entry of a region, new and not counted when the region was never met.
    Entry& find(const Frontier& frontier, const Region& region);

    // An analysis that uses a memory. Without effect, its `memory` null, when there is none or it
    // is in use, by another thread or by an analysis that this one interrupts. What was not used
    // lately is forgotten at the end when there is too much; everything, when the analysis did not
    // come to its end, since an entry may then be half made.
    struct Visit {
        explicit Visit(Memory* wanted)
            : memory(wanted != nullptr && wanted->enter() ? wanted : nullptr),
              exceptions_(std::uncaught_exceptions()) {}
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;
        ~Visit() {
            if (memory != nullptr) memory->leave(std::uncaught_exceptions() > exceptions_);
        }
        Memory* const memory;

      private:
        const int exceptions_;
    };

    // May be asked while another thread's analysis is under way.
    std::size_t size() const { return size_.load(); }
    std::size_t bytes() const { return bytes_.load(); }
    std::uint64_t hits() const { return hits_.load(); }
    std::uint64_t misses() const { return misses_.load(); }

  private:
    bool enter();
    void leave(bool failed);
    std::size_t forget();
    void describe(const Frontier& frontier, const Region& region);

    std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;
    std::string description_;
    Buffer<std::int32_t> number_;  // per constraint, its place in the region
    std::size_t max_bytes_;
    std::uint64_t now_ = 0;
    std::atomic<std::size_t> size_{0}, bytes_{0};
    std::atomic<std::uint64_t> hits_{0}, misses_{0};
    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace mines
