// Lets the n-th allocation of an analysis fail, for every n, and analyses again: the second answer
// must be that of a new workspace. Prints how many failures were tried.
//
//   c++ -std=c++17 -O1 -I KERNEL allocations.cpp KERNEL/{analysis,...}/*.cpp -Wl,--wrap=realloc
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"

namespace {
long countdown = -1;  // allocations until one fails; negative: none does
long failed = 0;

bool fails() {
    if (countdown < 0) return false;
    if (countdown-- > 0) return false;
    ++failed;
    return true;
}
}  // namespace

extern "C" void* __real_realloc(void* old, std::size_t bytes);
extern "C" void* __wrap_realloc(void* old, std::size_t bytes) {
    return fails() ? nullptr : __real_realloc(old, bytes);
}
void* operator new(std::size_t bytes) {
    void* made = fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
    if (made == nullptr) throw std::bad_alloc();
    return made;
}
void operator delete(void* old) noexcept {
    std::free(old);
}
void operator delete(void* old, std::size_t) noexcept {
    std::free(old);
}

namespace mines {
namespace {

struct Position {
    int rows, cols;
    Model model;
    std::int64_t mines;  // -1: no total
    std::vector<std::int8_t> codes;
};

struct Found {
    Status status;
    double log_count;
    std::vector<double> probabilities;

    bool operator==(const Found& other) const {
        return status == other.status &&
               (status != Status::fits ||
                (log_count == other.log_count &&
                 std::memcmp(probabilities.data(), other.probabilities.data(),
                             probabilities.size() * sizeof(double)) == 0));
    }
};

Found analyse(Workspace& work, Memory* memory, const Position& position) {
    work.grid.shape(position.rows, position.cols);
    for (int r = 0; r < position.rows; ++r)
        std::memcpy(work.grid.row(r), position.codes.data() + r * position.cols,
                    static_cast<std::size_t>(position.cols));
    Question question;
    question.prior.total = position.mines >= 0;
    question.prior.mines = position.mines;
    question.model = position.model;
    question.max_states = 100000;
    question.memory = memory;
    Found found;
    found.probabilities.assign(static_cast<std::size_t>(position.rows * position.cols), 0.0);
    Patience patience;
    const Answer answer = work.analyse(question, found.probabilities.data(), patience);
    found.status = answer.status;
    found.log_count = answer.status == Status::fits ? answer.log_count() : 0;
    return found;
}

// Fails at the n-th allocation of an analysis, on a workspace that has seen `before`.
bool survives(const Position& before, const Position& position, const Found& expected, long n) {
    Workspace work;
    Memory memory(1 << 20);
    analyse(work, &memory, before);
    const long tried = failed;
    bool right = true;
    try {
        countdown = n;
        right = analyse(work, &memory, position) == expected;
    } catch (const std::bad_alloc&) {
    }
    countdown = -1;
    right &= analyse(work, &memory, position) == expected;
    Workspace fresh;
    right &= analyse(work, &memory, before) == analyse(fresh, nullptr, before);
    if (!right) std::printf("wrong after failure %ld\n", n);
    return right && failed > tried;  // false, too, when there was no n-th allocation
}

std::vector<Position> read(std::FILE* file) {
    std::vector<Position> positions;
    int rows, cols, model;
    long mines;
    while (std::fscanf(file, "%d %d %d %ld", &rows, &cols, &model, &mines) == 4) {
        Position position{rows, cols, static_cast<Model>(model), mines, {}};
        for (int i = 0, code; i < rows * cols && std::fscanf(file, "%d", &code) == 1; ++i)
            position.codes.push_back(static_cast<std::int8_t>(code));
        positions.push_back(position);
    }
    return positions;
}

}  // namespace

int run() {
    const std::vector<Position> positions = read(stdin);
    bool right = true;
    for (const Position& before : positions)
        for (const Position& position : positions) {
            Workspace fresh;
            const Found expected = analyse(fresh, nullptr, position);
            const long start = failed;
            long n = 0;
            while (survives(before, position, expected, n)) ++n;
            right &=
                failed - start == n;  // it ended because nothing failed, not because of a fault
        }
    std::printf("%ld failures\n", failed);
    return right && failed > 0 ? 0 : 1;
}

}  // namespace mines

int main() {
    return mines::run();
}
