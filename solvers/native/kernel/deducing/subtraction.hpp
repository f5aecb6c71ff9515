// Set subtraction to a fixpoint, as solvers/subtraction.py does it without a limit to its depth:
// when the cells of one sentence lie inside those of another, what the other has besides is a
// sentence too.
//
// Clues are exact, so a sentence is a set of cells and the number of mines among them. Whatever is
// derived is part of what some clue sees, and fits into three rows and three columns: a sentence is
// known by the first row and the first column that it touches and nine bits.
#pragma once

#include <cstdint>
#include <vector>

#include "deducing/knowledge.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Subtraction {
  public:
    // Adds to `known` whatever follows from the clues that it shows.
    void deduce(Knowledge& known);

  private:
    struct Sentence {
        std::int32_t corner;  // position of its first row and first column
        std::uint16_t cells;  // three bits a row
        std::int8_t mines;
        bool alive;
        std::int32_t next;  // with the same corner, or -1
    };

    void begin(const Knowledge& known);
    void tell(Knowledge& known, std::int32_t corner, std::uint64_t cells, int mines);
    void work(Knowledge& known);
    void learn(Knowledge& known, const Sentence& sentence, bool mine);
    void shrink(Knowledge& known, std::int32_t position, bool mine);
    void subtract(Knowledge& known, std::int32_t index);
    void adopt(Knowledge& known, std::size_t from);

    Buffer<std::int32_t> first_;  // sentence by corner, or -1
    std::vector<Sentence> sentences_;
    std::vector<std::int32_t> queue_;
};

}  // namespace mines
