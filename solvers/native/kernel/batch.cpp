#include "batch.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace mines {

void in_parallel(std::int64_t count, int threads,
                 const std::function<void(Workspace&, std::int64_t)>& work) {
    std::atomic<std::int64_t> next{0};
    const auto run = [&] {
        const auto workspace = std::make_unique<Workspace>();
        for (std::int64_t i = next++; i < count; i = next++) work(*workspace, i);
    };
    const std::int64_t wanted = std::max<std::int64_t>(1, std::min<std::int64_t>(threads, count));
    std::vector<std::thread> others;
    for (std::int64_t i = 1; i < wanted; ++i) {
        try {
            others.emplace_back(run);
        } catch (const std::exception&) {
            break;  // fewer threads, the same result
        }
    }
    run();
    for (std::thread& thread : others) thread.join();
}

}  // namespace mines
