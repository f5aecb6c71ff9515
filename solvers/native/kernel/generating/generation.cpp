#include "generating/generation.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>

#include "resources/threads.hpp"

namespace mines {

bool on_threads(std::uint64_t count, int threads, const std::function<bool()>& asked_to_stop,
                const std::function<void(std::uint64_t, const std::atomic<bool>&)>& work) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex lock;
    std::exception_ptr failure;
    const auto run = [&] {
        try {
            for (std::uint64_t i = next++; i < count && !stop; i = next++) work(i, stop);
        } catch (...) {
            const std::lock_guard<std::mutex> held(lock);
            failure = std::current_exception();
            stop = true;
        }
    };
    const std::uint64_t most = static_cast<std::uint64_t>(std::max(threads, 1));
    bool asked = false;
    {
        Threads others(static_cast<std::int64_t>(std::min(count, most)), run);
        if (others.empty()) run();
        asked = others.wait(asked_to_stop, stop);
    }
    if (failure) std::rethrow_exception(failure);
    return !asked;
}

namespace {

constexpr std::uint64_t batch = 64;  // draws that a thread takes at a time

// One thread's tools.
struct Bench {
    explicit Bench(const Wish& wish) : layouts(wish.start) { game.max_states = wish.max_states; }
    Layouts layouts;
    NoGuess game;
};

void try_draw(const Wish& wish, Bench& bench, std::uint64_t number, Tried& tried) {
    Draws random(wish.key, number);
    const std::uint8_t* mines = bench.layouts.draw(random);
    if (bench.layouts.hopeless(wish.hardest < total)) return;
    const Outcome quick = bench.game.quick(wish.start, mines, wish.hardest);
    tried.too_wide += quick.too_wide;
    if (!quick.won) return;
    const Outcome graded = bench.game.graded(wish.start, mines, wish.hardest);
    tried.too_wide += graded.too_wide;
    if (!wish.grants(graded)) return;
    const std::size_t cells =
        static_cast<std::size_t>(wish.start.rows) * static_cast<std::size_t>(wish.start.cols);
    tried.made.push_back(Made{number, graded, std::vector<std::uint8_t>(mines, mines + cells)});
}

}  // namespace

Tried uniform(const Wish& wish, std::uint64_t begin, std::uint64_t end, int threads,
              const std::function<bool()>& asked_to_stop) {
    const std::uint64_t batches = (end - begin + batch - 1) / batch;
    std::vector<Tried> parts(static_cast<std::size_t>(batches));
    std::mutex lock;
    std::vector<std::unique_ptr<Bench>> benches;
    on_threads(batches, threads, asked_to_stop,
               [&](std::uint64_t i, const std::atomic<bool>& stop) {
                   std::unique_ptr<Bench> bench;
                   {
                       const std::lock_guard<std::mutex> held(lock);
                       if (!benches.empty()) {
                           bench = std::move(benches.back());
                           benches.pop_back();
                       }
                   }
                   if (!bench) bench = std::make_unique<Bench>(wish);
                   const std::uint64_t last = std::min(end, begin + (i + 1) * batch);
                   for (std::uint64_t n = begin + i * batch; n < last && !stop; ++n)
                       try_draw(wish, *bench, n, parts[static_cast<std::size_t>(i)]);
                   const std::lock_guard<std::mutex> held(lock);
                   benches.push_back(std::move(bench));
               });
    Tried all;
    for (Tried& part : parts) {
        std::move(part.made.begin(), part.made.end(), std::back_inserter(all.made));
        all.too_wide += part.too_wide;
    }
    return all;
}

}  // namespace mines
