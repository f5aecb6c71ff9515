#include "board/grid.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace mines {

NeighbourTable::NeighbourTable(std::int32_t row_total, std::int32_t col_total, int largest_clue,
                               const std::vector<std::int32_t>& starts,
                               const std::vector<std::int32_t>& cells)
    : row_count(row_total), col_count(col_total), most(largest_clue) {
    const std::int64_t count = static_cast<std::int64_t>(row_total) * col_total;
    if (row_total < 1 || col_total < 1 || count > max_cells ||
        static_cast<std::int64_t>(starts.size()) != count + 1 || starts[0] != 0 ||
        starts[static_cast<std::size_t>(count)] != static_cast<std::int64_t>(cells.size()))
        throw std::invalid_argument("a table needs the neighbours of every cell");
    Shape shape;
    shape.set_size(row_total, col_total);
    rows.assign(static_cast<std::size_t>(shape.size) * most_neighbours, 0);
    degree.assign(static_cast<std::size_t>(shape.size), 0);
    for (std::int32_t i = 0; i < count; ++i) {
        const std::int32_t first = starts[static_cast<std::size_t>(i)];
        const std::int32_t end = starts[static_cast<std::size_t>(i) + 1];
        if (end < first || end - first > most_neighbours || most > most_neighbours)
            throw std::invalid_argument("a cell of a table may have at most 8 neighbours");
        const std::size_t at = static_cast<std::size_t>(shape.position(i));
        degree[at] = static_cast<std::uint8_t>(end - first);
        for (std::int32_t j = first; j < end; ++j) {
            const std::int32_t other = cells[static_cast<std::size_t>(j)];
            const bool rising = j == first || other > cells[static_cast<std::size_t>(j) - 1];
            if (other < 0 || other >= count || other == i || !rising)
                throw std::invalid_argument("neighbours must be other cells, in ascending order");
            rows[at * most_neighbours + static_cast<std::size_t>(j - first)] =
                shape.position(other);
        }
    }
}

int Shape::degree(std::int32_t position) const {
    if (table != nullptr) return table->degree[static_cast<std::size_t>(position)];
    const std::int32_t row = row_of(position);
    return neighbours(row, position - (row + 1) * stride - 1, rows, cols);
}

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
void Grid::shape(std::int32_t row_count, std::int32_t col_count,
                 const std::shared_ptr<const NeighbourTable>& neighbours) {
    const bool same = rows == row_count && cols == col_count && storage.data() != nullptr;
    if (!same) {  // otherwise the border is clear already, because it is never written
        const std::size_t room =
            static_cast<std::size_t>((row_count + 2) * (col_count + 2)) + 2 * slack;
        std::memset(storage.need(room), blank, room);
        set_size(row_count, col_count);
    }
    if (table.get() != neighbours.get()) table = neighbours;
}

void Grid::copy(const Grid& other) {
    shape(other.rows, other.cols, other.table);
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
