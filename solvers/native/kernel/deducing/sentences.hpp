// Subtraction on a grid with a NeighbourTable. Here a sentence lists its cells. subtraction.hpp
// says what a sentence is.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "deducing/knowledge.hpp"

namespace mines {

class Sentences {
  public:
    // Adds to `known` the cells that subtraction proves. The caller must have applied single
    // clues to `known`.
    void deduce(Knowledge& known);

  private:
    using Cells = std::vector<std::int32_t>;  // ascending
    struct Sentence {
        Cells cells;
        int mines;
        bool alive;  // true until one of its cells is known
    };

    void tell(Cells cells, int mines);
    void work(Knowledge& known);
    void learn(Knowledge& known, const Cells& cells, bool mine);
    void shrink(std::int32_t position, bool mine);
    void subtract(std::size_t index);

    std::vector<Sentence> sentences_;
    std::map<Cells, std::size_t> alive_;  // the index of the sentence about these cells, if alive
    // Per position: the indices of the sentences about this cell, alive or not.
    std::vector<std::vector<std::size_t>> with_cell_;
    std::vector<std::size_t> queue_, near_;
};

}  // namespace mines
