#include "analysis/batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "resources/threads.hpp"

namespace mines {

namespace {

// The answers to neighbouring boards lie side by side in memory, so a thread takes a slice of
// several boards at a time. Slices are small enough for every thread to get some.
constexpr std::int64_t longest_slice = 32;
constexpr std::int64_t slices_per_thread = 8;
constexpr std::uint64_t board_work = 1000;  // added for each board to the work of its analysis

BoardStatus status_of(Status status) {
    switch (status) {
        case Status::contradiction: return BoardStatus::contradiction;
        case Status::out_of_time: return BoardStatus::out_of_time;
        case Status::fault: return BoardStatus::fault;
        default: return BoardStatus::too_wide;
    }
}

struct Seen {
    std::uint8_t certain = 0, open = 0;  // 1 if some cell is certain; 1 if one is undecided
};

// Writes which cells of a row are safe and which are mines. The arrays do not overlap, so the loop
// can be vectorised.
Seen write_row(const std::int8_t* __restrict code, std::int32_t cols, Verdict sea,
               bool* __restrict safe, bool* __restrict mines) {
    const std::int8_t sea_safe = sea == Verdict::safe ? hidden : proved_safe;
    const std::int8_t sea_mined = sea == Verdict::mine ? hidden : proved_mine;
    Seen seen;
    for (std::int32_t c = 0; c < cols; ++c) {
        const std::uint8_t is_safe = (code[c] == proved_safe) | (code[c] == sea_safe);
        const std::uint8_t is_mine = (code[c] == proved_mine) | (code[c] == sea_mined);
        safe[c] = is_safe;
        mines[c] = is_mine;
        seen.certain |= is_safe | is_mine;
        seen.open |= (code[c] == hidden) | (code[c] == frontier_open);
    }
    return seen;
}

// Writes which cells of a board are safe and which are mines, and returns the status of the board.
BoardStatus write_certain(Grid& grid, Verdict sea, bool* safe, bool* mines) {
    Seen all;
    for (std::int32_t r = 0; r < grid.rows; ++r, safe += grid.cols, mines += grid.cols) {
        const Seen seen = write_row(grid.row(r), grid.cols, sea, safe, mines);
        all.certain |= seen.certain;
        all.open |= seen.open;
    }
    return all.certain ? BoardStatus::progress
           : all.open  ? BoardStatus::guess
                       : BoardStatus::solved;
}

class Batch {
  public:
    Batch(const Boards& boards, const Answers& answers, const Choose& choose, double seconds)
        : boards_(boards), answers_(answers), choose_(choose), seconds_(seconds) {}

    void analyse(Workspace& work, std::int64_t i, Question question, Patience& patience) {
        patience.spend(board_work);
        patience.deadline = Patience::deadline_after(seconds_);
        question.prior = {boards_.totals[i] >= 0, boards_.totals[i], question.prior.odds};
        try {
            read(work.grid, i);
            const Answer answer = work.analyse(question, risks(i), patience);
            if (answer.status == Status::fits) return write(work, i, answer);
            clear(i, status_of(answer.status));
        } catch (const std::bad_alloc&) {
            clear(i, BoardStatus::too_wide);
        }
    }

    void clear(std::int64_t i, BoardStatus status) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const std::size_t cells = static_cast<std::size_t>(boards_.cells());
        std::fill_n(risks(i), cells, nan);
        std::memset(answers_.safe + i * boards_.cells(), 0, cells);
        std::memset(answers_.mines + i * boards_.cells(), 0, cells);
        std::fill_n(answers_.moves + 2 * i, 2, -1);
        answers_.statuses[i] = status;
        answers_.log_counts[i] = answers_.errors[i] = nan;
        answers_.states[i] = -1;
    }

  private:
    double* risks(std::int64_t i) const { return answers_.probabilities + i * boards_.cells(); }
    void read(Grid& grid, std::int64_t i) const {
        grid.shape(boards_.rows, boards_.cols, boards_.table);
        const std::int8_t* codes = boards_.codes + i * boards_.cells();
        for (std::int32_t r = 0; r < boards_.rows; ++r, codes += boards_.cols)
            std::memcpy(grid.row(r), codes, boards_.cols);
    }
    void write(Workspace& work, std::int64_t i, const Answer& answer) {
        answers_.statuses[i] =
            write_certain(work.grid, answer.sea_verdict, answers_.safe + i * boards_.cells(),
                          answers_.mines + i * boards_.cells());
        answers_.log_counts[i] = answer.log_count();
        answers_.errors[i] = answer.error;
        answers_.states[i] = static_cast<std::int64_t>(answer.states);
        choose_(work, answer, risks(i), answers_.moves + 2 * i);
    }

    const Boards& boards_;
    const Answers& answers_;
    const Choose& choose_;
    const double seconds_;
};

}  // namespace

void in_parallel(std::int64_t count, int threads,
                 const std::function<void(Workspace&, std::int64_t, Patience&)>& work,
                 const std::function<bool()>& asked_to_stop) {
    on_threads(std::min<std::int64_t>(threads, count), asked_to_stop,
               [&](std::atomic<std::uint64_t>& next, std::atomic<bool>& stop) {
                   Patience patience;
                   patience.asked_to_stop = [](void* flag) {
                       return static_cast<std::atomic<bool>*>(flag)->load();
                   };
                   patience.context = &stop;
                   try {
                       const auto workspace = std::make_unique<Workspace>();
                       for (auto i = static_cast<std::int64_t>(next++); i < count && !stop;
                            i = static_cast<std::int64_t>(next++))
                           work(*workspace, i, patience);
                   } catch (const std::bad_alloc&) {
                       // There is no memory for a workspace, so other threads or the caller do the
                       // work.
                   } catch (const Interrupted&) {
                       stop = true;
                   }
               });
}

void analyse_boards(const Boards& boards, const Question& question, double seconds, int threads,
                    const Answers& answers, const Choose& choose,
                    const std::function<bool()>& asked_to_stop) {
    Batch batch(boards, answers, choose, seconds);
    std::fill_n(answers.statuses, boards.count, BoardStatus::too_wide);  // until they are analysed
    const std::int64_t sharing =
        std::max<std::int64_t>(1, std::min<std::int64_t>(threads, boards.count));
    Question shared = question;
    shared.max_states = std::max<std::uint64_t>(1, question.max_states / sharing);
    shared.max_bytes = std::max<std::uint64_t>(1, question.max_bytes / sharing);
    const std::int64_t slice =
        std::clamp<std::int64_t>(boards.count / (sharing * slices_per_thread), 1, longest_slice);
    bool stop = false;
    const auto heard = [&] { return stop = stop || asked_to_stop(); };
    in_parallel((boards.count + slice - 1) / slice, static_cast<int>(sharing),
                [&](Workspace& work, std::int64_t i, Patience& patience) {
                    const std::int64_t end = std::min(boards.count, (i + 1) * slice);
                    for (std::int64_t j = i * slice; j < end; ++j)
                        batch.analyse(work, j, shared, patience);
                },
                heard);
    if (sharing == 1 || stop) return;
    std::vector<std::int64_t> again;
    for (std::int64_t i = 0; i < boards.count; ++i)
        if (answers.statuses[i] == BoardStatus::too_wide) again.push_back(i);
    in_parallel(
        static_cast<std::int64_t>(again.size()), 1,
        [&](Workspace& work, std::int64_t i, Patience& patience) {
            batch.analyse(work, again[i], question, patience);
        },
        heard);
}

}  // namespace mines
