#include "board/grid.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace mines {

NeighbourTable::NeighbourTable(std::int32_t row_total, std::int32_t col_total, int largest_clue,
                               const std::int32_t* first, std::size_t first_count,
                               const std::int32_t* near, std::size_t near_count)
    : row_count(row_total), col_count(col_total), most(largest_clue) {
    const std::int64_t count = static_cast<std::int64_t>(row_total) * col_total;
    if (row_total < 1 || col_total < 1 || count > max_cells ||
        static_cast<std::int64_t>(first_count) != count + 1 || first[0] != 0 ||
        first[count] != static_cast<std::int64_t>(near_count))
        throw std::invalid_argument("a table needs the neighbours of every cell");
    if (most < 0 || most > most_neighbours)
        throw std::invalid_argument("the largest clue must be 0 to 99");
    Shape shape;
    shape.set(row_total, col_total);
    starts.assign(static_cast<std::size_t>(shape.size) + 1, 0);
    cells.reserve(near_count);
    std::int32_t next = 0;  // the first position without an entry in `starts`
    for (std::int32_t i = 0; i < count; ++i) {
        if (first[i + 1] < first[i] || first[i + 1] - first[i] > most)
            throw std::invalid_argument("a cell has more neighbours than the largest clue");
        const std::int32_t end = shape.position(i);
        while (next <= end) starts[next++] = static_cast<std::int32_t>(cells.size());
        for (std::int32_t j = first[i]; j < first[i + 1]; ++j) {
            const bool rising = j == first[i] || near[j] > near[j - 1];
            if (near[j] < 0 || near[j] >= count || near[j] == i || !rising)
                throw std::invalid_argument("neighbours must be other cells, in ascending order");
            cells.push_back(shape.position(near[j]));
        }
    }
    while (next <= shape.size) starts[next++] = static_cast<std::int32_t>(cells.size());
}

int Shape::degree(std::int32_t position) const {
    if (table != nullptr) return table->degree(position);
    const std::int32_t row = row_of(position);
    return neighbours(row, position - (row + 1) * stride - 1, rows, cols);
}

void Shape::set(std::int32_t row_count, std::int32_t col_count,
                const std::shared_ptr<const NeighbourTable>& neighbours) {
    table = neighbours;
    rows = row_count;
    cols = col_count;
    stride = cols + 2;
    size = (rows + 2) * stride;
    reciprocal = ~std::uint64_t{0} / static_cast<std::uint64_t>(stride) + 1;
    const std::int32_t offsets[square_neighbours] = {-stride - 1, -stride, -stride + 1, -1, 1,
                                                     stride - 1,  stride,  stride + 1};
    std::memcpy(around, offsets, sizeof around);
}

// Memory is allocated before the sizes change, so that the grid stays unchanged if the allocation
// fails.
void Grid::shape(std::int32_t row_count, std::int32_t col_count,
                 const std::shared_ptr<const NeighbourTable>& neighbours) {
    const bool same = rows == row_count && cols == col_count && storage.data() != nullptr;
    if (same && table == neighbours) return;  // the border is clear, because it is never written
    const std::size_t room =
        static_cast<std::size_t>((row_count + 2) * (col_count + 2)) + 2 * slack;
    std::memset(storage.need(room), blank, room);
    set(row_count, col_count, neighbours);
}

void Grid::copy(const Grid& other) {
    shape(other.rows, other.cols, other.table);
    std::memcpy(code(), other.code(), size);
}

bool Grid::has(Code wanted) const {
    return std::memchr(code(), static_cast<unsigned char>(wanted),
                       static_cast<std::size_t>(size)) != nullptr;
}

std::vector<std::int32_t> Grid::all(Code wanted) const {
    std::vector<std::int32_t> positions;
    each(wanted, [&](std::int32_t at) { positions.push_back(at); });
    return positions;
}

std::int64_t Grid::known_mines() const {
    return std::count_if(code(), code() + size, known_mine);
}

}  // namespace mines
