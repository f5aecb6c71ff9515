// Row reduction without the total, exactly as csp_mines/rows.py does it. Clues are equations over
// boxes. They are reduced in whole numbers. Then a row may prove its boxes safe or full of mines.
//
// The reduced rows depend on the order of rows and columns. So C++ and Python use the same order:
// boxes by their first cell, and equations by their first box. The pivot row is the last
// of the shortest rows, and its first box is the pivot column.
#pragma once

#include <cstdint>
#include <vector>

#include "deducing/knowledge.hpp"
#include "resources/buffer.hpp"

namespace mines {

class Gauss {
  public:
    // Adds its deductions to `known`. Throws std::overflow_error if a coefficient grows beyond
    // 2^40.
    void deduce(Knowledge& known);

  private:
    struct Term {
        std::int32_t box;
        std::int64_t factor;
    };
    struct Row {
        std::vector<Term> terms;  // by box
        std::int64_t right = 0;

        std::size_t length() const { return terms.size() + (right != 0); }
        bool empty() const { return terms.empty() && right == 0; }
    };
    struct Equation {
        std::vector<std::int32_t> cells, boxes;
        int mines;
    };

    void equations(Knowledge& known);
    void boxes();
    void regions();
    void reduce(std::vector<Row>& rows);
    void eliminate(Row& row, const Row& pivot, std::int32_t column);
    void read(const Row& row);
    bool apply(Knowledge& known);
    std::int32_t root(std::int32_t equation);

    std::vector<Equation> equations_;
    std::vector<std::vector<std::int32_t>> box_cells_, box_equations_;
    std::vector<std::int32_t> parent_;                  // per equation: parent in a union-find tree
    std::vector<std::vector<std::int32_t>> regions_;    // per region: its equations, by first box
    std::vector<std::pair<std::int32_t, bool>> fixed_;  // boxes, and whether they are full of mines
};

}  // namespace mines
