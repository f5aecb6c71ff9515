#include "grid.hpp"

#include <cstring>

namespace mines {

void Grid::shape(std::int32_t row_count, std::int32_t col_count) {
    const bool same = rows == row_count && cols == col_count && storage.data() != nullptr;
    if (same) return;  // the border is never written
    rows = row_count;
    cols = col_count;
    stride = cols + 2;
    size = (rows + 2) * stride;
    reciprocal = ~std::uint64_t{0} / static_cast<std::uint64_t>(stride) + 1;
    const std::int32_t offsets[8] = {-stride - 1, -stride,    -stride + 1, -1,
                                     1,           stride - 1, stride,      stride + 1};
    std::memcpy(around, offsets, sizeof around);
    storage.need(static_cast<std::size_t>(size) + 2 * slack);
    std::memset(storage.data(), blank, static_cast<std::size_t>(size) + 2 * slack);
}

}  // namespace mines
