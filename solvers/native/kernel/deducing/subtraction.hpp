// Subtraction until nothing changes, as solvers/subtraction.py does it with unlimited depth. If all
// cells of one sentence belong to a larger sentence, subtraction derives a sentence about the other
// cells of the larger sentence.
//
// Clues are exact, so a sentence is a set of cells and the number of mines among them. Every
// derived sentence is about some of the cells around one clue. So on the square grid the cells of a
// sentence fit into three rows and three columns. Nine bits and the position of the upper left
// corner describe them. On a grid with a NeighbourTable, a sentence lists its cells instead
// (sentences.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "deducing/knowledge.hpp"
#include "deducing/sentences.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Subtraction {
  public:
    // Adds its deductions to `known`.
    void deduce(Knowledge& known);

  private:
    struct Sentence {
        std::int32_t corner;  // the position in the first row and the first column of its cells
        std::uint16_t cells;  // three bits per row
        std::int8_t mines;
        bool alive;         // true until one of its cells is known
        std::int32_t next;  // the next sentence with this corner, or -1
    };

    void deduce_on_squares(Knowledge& known);
    void tell(Knowledge& known, std::int32_t corner, std::uint64_t cells, int mines);
    void work(Knowledge& known);
    void learn(Knowledge& known, const Sentence& sentence, bool mine);
    void shrink(Knowledge& known, std::int32_t position, bool mine);
    void subtract(Knowledge& known, std::int32_t index);

    Buffer<std::int32_t> first_;  // per position: the first sentence with this corner, or -1
    std::vector<Sentence> sentences_;
    std::vector<std::int32_t> queue_;
    Sentences by_table_;
};

}  // namespace mines
