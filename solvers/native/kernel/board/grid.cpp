#include "board/grid.hpp"

#include <cstring>

namespace mines {

// The room is there before the sizes say so: when there is none, the grid stays what it was.
void Grid::shape(std::int32_t row_count, std::int32_t col_count) {
    const bool same = rows == row_count && cols == col_count && storage.data() != nullptr;
    if (same) return;  // the border is never written
    const std::int32_t wide = col_count + 2, cells = (row_count + 2) * wide;
    storage.need(static_cast<std::size_t>(cells) + 2 * slack);
    std::memset(storage.data(), blank, static_cast<std::size_t>(cells) + 2 * slack);
    rows = row_count;
    cols = col_count;
    stride = wide;
    size = cells;
    reciprocal = ~std::uint64_t{0} / static_cast<std::uint64_t>(stride) + 1;
    const std::int32_t offsets[8] = {-stride - 1, -stride,    -stride + 1, -1,
                                     1,           stride - 1, stride,      stride + 1};
    std::memcpy(around, offsets, sizeof around);
}

}  // namespace mines
