#include "generating/generation.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "resources/threads.hpp"

namespace mines {

namespace {

constexpr std::uint64_t batch = 64;  // draws that a thread takes at a time

// The objects that one thread needs to draw and play layouts.
struct Bench {
    explicit Bench(const Wish& wish) : layouts(wish.start) { game.max_states = wish.max_states; }
    Layouts layouts;
    NoGuess game;
};

void try_draw(const Wish& wish, Bench& bench, std::uint64_t number, Tried& tried) {
    Stream random(wish.key, number);
    const std::uint8_t* mines = bench.layouts.draw(random);
    if (bench.layouts.hopeless(wish.hardest < total)) return;
    const Outcome quick = bench.game.quick(wish.start, mines, wish.hardest);
    tried.too_wide += quick.too_wide;
    if (!quick.won) return;
    const Outcome graded = bench.game.graded(wish.start, mines, wish.hardest);
    tried.too_wide += graded.too_wide;
    if (!wish.grants(graded)) return;
    tried.made.push_back(
        Made{number, graded, std::vector<std::uint8_t>(mines, mines + wish.start.cells())});
}

}  // namespace

Tried uniform(const Wish& wish, std::uint64_t begin, std::uint64_t end, int threads,
              const std::function<bool()>& asked_to_stop) {
    const std::uint64_t batches = (end - begin + batch - 1) / batch;
    std::vector<Tried> parts(static_cast<std::size_t>(batches));
    on_threads(std::min<std::uint64_t>(batches, std::max(threads, 1)), asked_to_stop,
               [&](std::atomic<std::uint64_t>& next, std::atomic<bool>& stop) {
                   Bench bench(wish);
                   for (std::uint64_t i = next++; i < batches && !stop; i = next++) {
                       const std::uint64_t last = std::min(end, begin + (i + 1) * batch);
                       for (std::uint64_t n = begin + i * batch; n < last && !stop; ++n)
                           try_draw(wish, bench, n, parts[i]);
                   }
               });
    Tried all;
    for (Tried& part : parts) {
        std::move(part.made.begin(), part.made.end(), std::back_inserter(all.made));
        all.too_wide += part.too_wide;
    }
    return all;
}

}  // namespace mines
