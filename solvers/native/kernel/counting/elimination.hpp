// Counting a region: the elimination of its boxes, one after the other.
//
// A state says, for every open constraint, how many mines the constraint may still take (its
// residual). A residual has four bits, or eight if some constraint takes more than 15 mines; the
// residuals are packed into as many words as the elimination order needs. The value of a state is a
// polynomial: coefficient m is the (weighted) number of ways to reach the state with m mines. The
// support of a state is the range of m for which coefficients are stored. `forward` computes the
// region's polynomial and a trace of states and transitions. `backward` walks the trace with a
// weight for every number of mines of the whole region, and computes the share of each box: the
// probability of a mine at its cells, and their verdict. Two sums decide the verdict: the weight of
// the layouts with a mine in the box, and the weight of those with a safe cell in it. Such a sum is
// zero exactly if there is no such layout, provided that each weight is zero or too large to
// underflow (see combining/combine.hpp). So the verdicts are exact.
//
// States and transitions of all layers are kept for the backward pass: about 32 bytes per state. If
// the coefficients count mines, they take most of the memory. If they would take too much, the
// trace is kept in parts: only the layers at which parts begin keep their coefficients, and
// `backward` computes the others again, part by part.
#pragma once

#include <cstdint>
#include <type_traits>

#include "board/frontier.hpp"
#include "counting/keys.hpp"
#include "counting/numbers.hpp"
#include "counting/slots.hpp"
#include "randomness/splitmix.hpp"
#include "resources/buffer.hpp"
#include "resources/patience.hpp"

namespace mines {

enum class Status : std::uint8_t { fits, contradiction, too_wide, out_of_time, fault, interrupted };

struct Limits {
    std::uint64_t states = 0;  // of one region, all kept for the backward pass
    std::uint64_t bytes = 0;   // of everything that is kept
};

inline constexpr std::uint64_t default_bytes = std::uint64_t{2} << 30;

struct Polynomial {
    std::int64_t at = 0;   // index of its first coefficient
    std::int32_t low = 0;  // mines of the first coefficient
    std::int32_t length = 0;
};

// The effect of a step on one of the constraints of its box.
struct Link {
    std::int32_t closes;  // the constraint, if this box is its last and low < high; else -1
    std::uint16_t slot;
    // The largest residual after this box with which the constraint can still be met: the number of
    // the constraint's cells in later boxes, plus high - low. So `limit` may be nearly twice the
    // number of all its cells.
    std::int16_t limit;
    std::int8_t opens;  // the constraint's first residual if this box is its first; else -1
    std::int8_t high;   // most mines the constraint takes
};

struct Step {
    std::int32_t box;
    std::uint8_t size, constraint_count;
    bool closes_range;          // the box is the last of some constraint with low < high
    bool counted;               // whether the coefficients count the mines of the box
    std::int64_t first_link;    // one link for each constraint
    std::uint32_t first_state;  // of the layer before this box
    // Binary logarithms of upper bounds on the number of states: `bound` for the layer after this
    // box, `peak` for the largest layer from there on. If the coefficients count all mines, no
    // bound is needed, and both are 0.
    float bound, peak;
};

// Which mines the coefficients of a trace count.
enum class Counting : std::uint8_t {
    all,
    outside_exact,  // those outside some disjoint exact constraints (exact_cover.hpp)
    none,           // none; every mine weighs `odds` instead
};

struct Trace {
    std::int32_t first_step = 0, step_count = 0;
    std::uint32_t end_state = 0;  // the one state after the last box
    std::int64_t first_key = 0;
    std::int32_t words = 1;
    std::int32_t residual_bits = 4;
    bool wide = false;  // coefficients are Wide
    Counting counting = Counting::all;
    double odds = 1;               // with Counting::none
    std::int32_t known_mines = 0;  // mines that no coefficient counts
    // The parts of the trace, if it is kept in parts (see the top of this file).
    std::int32_t first_part = 0, part_count = 0;
    // Upper bounds on the number of roundings in any coefficient, and in any share.
    double forward_depth = 0, backward_depth = 0;
    Polynomial polynomial;
};

enum class Verdict : std::uint8_t { open, safe, mine };

// The verdict of cells from two facts: whether some layout has a mine there, and whether some
// layout has a safe cell there.
constexpr Verdict verdict_from(bool some_mine, bool some_safe) {
    return !some_mine ? Verdict::safe : !some_safe ? Verdict::mine : Verdict::open;
}

struct Share {
    double probability;
    Verdict verdict;
};

// Weights for the coefficients of a region's polynomial: for each number of mines in the region,
// the weight of the rest of the board. The pointer that has the type of the coefficients is set;
// the other is null.
struct TotalWeights {
    const double* narrow;
    const Wide* wide;

    template <class V>
    const V* of() const {
        if constexpr (std::is_same_v<V, Wide>)
            return wide;
        else
            return narrow;
    }
};

class Elimination {
  public:
    // Drops all traces.
    void reset();
    // Plans the steps of a region whose boxes are in elimination order. The trace says which mines
    // are counted.
    void plan(const Frontier& frontier, const Region& region, Trace& trace);
    // Counts the region of a planned trace. If `weights` is empty, layouts have no likelihoods.
    Status forward(Trace& trace, const Likelihoods& weights, const Limits& limits,
                   Patience& patience);
    // Writes to shares[box], for every box of the trace, the risk of its cells and their verdict.
    void backward(Trace& trace, const Likelihoods& weights, const TotalWeights& totals,
                  Share* shares, Patience& patience);
    // Draws one of the layouts that have `mines` mines in the region, all equally likely, and
    // writes the mines of every box to taken[box]. The trace must have narrow coefficients that
    // count all mines, and must not be kept in parts. Some layout must have `mines` mines.
    void draw(const Trace& trace, std::int32_t mines, Stream& random, std::uint8_t* taken) const;

    std::uint64_t states() const { return used_.states; }
    // How many states the region had when forward() gave it up as too wide. 0: it was given up
    // before any state was made, because its open constraints do not fit into a key.
    std::uint64_t widest() const { return widest_; }
    const double* narrow(const Trace& trace) const {
        return narrow_.all.data() + trace.polynomial.at;
    }
    const Wide* wide(const Trace& trace) const { return wide_.all.data() + trace.polynomial.at; }
    // Renumbers the boxes of a trace: box b becomes number[b].
    void relabel(const Trace& trace, const std::int32_t* number);
    void trim(std::size_t bytes);
    // Frees the keys of the states and the table of keys. Call this only if forward() got no
    // likelihoods: with likelihoods, backward() needs the keys.
    void drop_forward_scratch();
    std::size_t bytes() const;

  private:
    struct State {
        std::int64_t at;   // index of its first coefficient
        std::int32_t low;  // mines of the first coefficient
        // Number of coefficients. Until place() is called: one more than the most mines that a
        // coefficient counts.
        std::int32_t length;
        std::uint32_t first;        // its first transition
        std::uint8_t least, count;  // mines of the box in its transitions: least, least + 1, ...
    };
    // The coefficients of some consecutive layers; `base` is the index of the first coefficient.
    template <class V>
    struct Layers {
        V* data;
        std::int64_t base;
        V* of(const State& state) const { return data + (state.at - base); }
    };
    // How many entries of each list are in use. Of the coefficients: of all layers, and of those
    // that are kept because parts begin there.
    struct Used {
        struct Coefficients {
            std::int64_t all = 0, kept = 0;
        };
        std::int32_t steps = 0, parts = 0;
        std::uint32_t states = 0, targets = 0;
        std::int64_t keys = 0, links = 0;
        Coefficients narrow, wide;

        template <class V>
        Coefficients& values() {
            return std::is_same_v<V, Wide> ? wide : narrow;
        }
    };
    struct Part {
        std::int32_t step;  // its first step
        std::int64_t at;    // index of its first layer's coefficients among those kept
    };
    // Counters of a trace while its states are made.
    struct Growth {
        std::uint32_t first_state, first_key_state;  // first_key_state: the first with a kept key
        std::int64_t coefficients = 0, widest_layer = 0;
        std::int64_t part_begin = 0, longest_part = 0, kept = 0;
        std::int64_t held(bool in_parts) const;
    };
    struct Ways;
    template <class V>
    struct Pull;  // layers that one step of the backward pass reads and writes
    // The coefficients of all traces whose coefficients have this type.
    template <class V>
    struct Values {
        Buffer<V> all, kept, part, adjoint[2];

        std::size_t bytes() const {
            return all.bytes() + kept.bytes() + part.bytes() + adjoint[0].bytes() +
                   adjoint[1].bytes();
        }
        void trim(std::size_t limit) {
            for (Buffer<V>* buffer : {&all, &kept, &part, &adjoint[0], &adjoint[1]})
                buffer->trim(limit);
        }
    };
    template <class V>
    Values<V>& values() {
        if constexpr (std::is_same_v<V, Wide>)
            return wide_;
        else
            return narrow_;
    }
    Link link(const Constraint& constraint, std::int32_t id, int size);
    const Link* links_of(const Step& step) const { return links_.data() + step.first_link; }
    void bound_states(const Frontier& frontier, Step* first, Step* last);
    std::uint32_t layer_end(const Trace& trace, std::int32_t step) const;
    template <class V, int N, bool Weighted>
    Status build(Trace& trace, const Limits& limits, Patience& patience);
    template <class V, int N, bool Weighted>
    Status forward_as(Trace& trace, const Likelihoods& weights, const Limits& limits,
                      Patience& patience);
    template <class V, int N, bool Weighted>
    void forward_whole(const Trace& trace, const Likelihoods& weights, Patience& patience);
    template <class V, int N, bool Weighted>
    void forward_in_parts(Trace& trace, const Likelihoods& weights, std::int64_t first_coefficient,
                          Patience& patience);
    template <class V, int N, bool Weighted>
    void backward_as(Trace& trace, const Likelihoods& weights, const V* weight, Share* shares,
                     Patience& patience);
    template <class V, int N, bool Weighted>
    Layers<V> recompute(const Trace& trace, std::int32_t part, const Likelihoods& weights,
                        Patience& patience);
    template <class V, int N, bool Weighted>
    double backward_steps(const Trace& trace, std::int32_t first, std::int32_t last,
                          const Layers<V>& layers, const Likelihoods& weights, int& next,
                          Share* shares, Patience& patience);
    template <class V, bool Weighted, class Unpacked>
    void pull(const Pull<V>& pulled, const Step& plan, const Unpacked& step, const Ways& ways,
              const std::uint64_t* key, const Likelihoods& weights, std::uint32_t s, V& mines,
              V& safe) const;
    template <int N>
    bool expand(const Step& step, const Trace& trace, const Growth& growth, std::uint32_t begin,
                std::uint32_t end, const Limits& limits, Patience& patience);
    void begin_part(std::int32_t step, std::int64_t layer, Growth& growth);
    void reach(const State& from, int counted, std::uint32_t target, bool fresh);
    void place(std::uint32_t layer, std::int64_t first_coefficient, Growth& growth);
    template <class V, int N, bool Weighted>
    void flow(const Trace& trace, std::int32_t step, const Likelihoods& weights,
              const Layers<V>& before, const Layers<V>& after, Patience& patience);
    template <int N>
    const std::uint64_t* key_of(const Trace& trace, std::uint32_t state) const;
    std::uint64_t bytes_used() const;
    bool too_wide(const Limits& limits, std::uint32_t first_state, std::uint64_t more_bytes);

    Buffer<Step> steps_;
    Buffer<Link> links_;
    Buffer<State> states_;
    Buffer<std::uint64_t> keys_;
    Buffer<std::uint32_t> targets_;
    KeyTable table_;
    Buffer<Part> parts_;
    Values<double> narrow_;
    Values<Wide> wide_;
    Slots slots_;
    Buffer<std::uint16_t> slot_of_;
    Buffer<std::int8_t> cells_left_;
    Buffer<std::uint8_t> counted_;  // per box
    Buffer<float> range_;  // per constraint: logarithm of how many values its residual can have
    Used used_;
    std::uint32_t widest_layer_ = 0;  // states of the widest layer since reset()
    std::uint64_t widest_ = 0;
};

}  // namespace mines
