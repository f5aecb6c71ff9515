// Subtraction until nothing changes, as solvers/subtraction.py does it with unlimited depth. If the
// cells of one sentence lie among those of another, the other cells form a sentence, too.
//
// Clues are exact, so a sentence is a set of cells and the number of mines among them. Every
// derived sentence is about some of the cells around one clue. So it fits into three rows and three
// columns: its corner and nine bits describe it.
#pragma once

#include <cstdint>
#include <vector>

#include "deducing/knowledge.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Subtraction {
  public:
    // Adds its deductions to `known`.
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
