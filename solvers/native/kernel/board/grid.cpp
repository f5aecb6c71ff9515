#include "board/grid.hpp"

#include <algorithm>
#include <cstring>

namespace mines {

void Shape::set_size(std::int32_t row_count, std::int32_t col_count) {
    rows = row_count;
    cols = col_count;
    stride = cols + 2;
    size = (rows + 2) * stride;
    reciprocal = ~std::uint64_t{0} / static_cast<std::uint64_t>(stride) + 1;
    const std::int32_t offsets[8] = {-stride - 1, -stride,    -stride + 1, -1,
                                     1,           stride - 1, stride,      stride + 1};
    std::memcpy(around, offsets, sizeof around);
}

// Memory is allocated before the sizes change, so that the grid stays unchanged if there is not
// enough.
void Grid::shape(std::int32_t row_count, std::int32_t col_count) {
    const bool same = rows == row_count && cols == col_count && storage.data() != nullptr;
    if (same) return;  // the border is clear already, because it is never written
    const std::size_t room =
        static_cast<std::size_t>((row_count + 2) * (col_count + 2)) + 2 * slack;
    std::memset(storage.need(room), blank, room);
    set_size(row_count, col_count);
}

void Grid::copy(const Grid& other) {
    shape(other.rows, other.cols);
    std::memcpy(code(), other.code(), static_cast<std::size_t>(size));
}

bool Grid::has(Code wanted) const {
    return std::memchr(code(), static_cast<unsigned char>(wanted),
                       static_cast<std::size_t>(size)) != nullptr;
}

std::int64_t Grid::known_mines() const {
    return std::count_if(code(), code() + size, known_mine);
}

}  // namespace mines
