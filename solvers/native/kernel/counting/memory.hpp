// Region memory: keeps the counted regions of one position of a game for the next position.
//
// A region is found by its description: the bounds of its constraints and, for each box, its size
// and its constraints. Constraints and boxes are numbered in the order in which the frontier lists
// them. Regions with equal descriptions have equal traces, wherever they lie on the board. So a
// region that comes back is not counted again. Only the backward pass is repeated, because it
// depends on the rest of the board. The memory works for exact clues only.
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

    // The entry of a region. A region that is not known gets a new entry with an empty trace.
    Entry& find(const Frontier& frontier, const Region& region);

    // One analysis that wants to use a region memory. `memory` is null if `wanted` is null or is
    // already in use: by another thread, or by an analysis that was interrupted for this one. If
    // the entries take more than `max_bytes` at the end, the least recently used entries are
    // dropped. If the analysis failed, all entries are dropped, because one may be incomplete.
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

    // These counters may be read while another thread uses the memory.
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
