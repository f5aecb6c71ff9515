#include "analysis/batch.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "resources/threads.hpp"

namespace mines {

namespace {

bool stopped(void* flag) {
    return static_cast<std::atomic<bool>*>(flag)->load();
}

bool asked(void* question) {
    return (*static_cast<const std::function<bool()>*>(question))();
}

}  // namespace

void in_parallel(std::int64_t count, int threads,
                 const std::function<void(Workspace&, std::int64_t, Patience&)>& work,
                 const std::function<bool()>& asked_to_stop) {
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stop{false};
    const auto run = [&](Patience patience) {
        try {
            const auto workspace = std::make_unique<Workspace>();
            for (std::int64_t i = next++; i < count && !stop.load(); i = next++)
                work(*workspace, i, patience);
        } catch (const std::bad_alloc&) {
            // No memory for a workspace: the others do the work, or the caller board by board.
        }
    };
    Patience theirs, own;
    theirs.asked_to_stop = stopped;
    theirs.context = &stop;
    own.asked_to_stop = asked;
    own.context = const_cast<std::function<bool()>*>(&asked_to_stop);
    const std::int64_t wanted = std::min<std::int64_t>(threads, count);
    Threads others(wanted > 1 ? wanted : 0, [&] { run(theirs); });
    if (others.empty()) run(own);
    others.wait(asked_to_stop, stop);
}

}  // namespace mines
