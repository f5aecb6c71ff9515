#include "deducing/subtraction.hpp"

#include <algorithm>
#include <cassert>

#include "resources/bits.hpp"

namespace mines {

namespace {

// A frame is a set of cells in eight rows and eight columns, one bit per cell. `subtract` puts the
// corner of a sentence at row 2, column 2 of a frame. Then every sentence that shares a cell with
// that sentence fits into the frame, too.
constexpr int frame_side = 8, frame_corner = 2 * frame_side + 2;

std::uint64_t spread(std::uint16_t cells) {
    return (cells & 7u) | static_cast<std::uint64_t>(cells & 56u) << 5 |
           static_cast<std::uint64_t>(cells & 448u) << 10;
}

std::uint16_t gather(std::uint64_t cells) {
    return static_cast<std::uint16_t>((cells & 7) | (cells >> 5 & 56) | (cells >> 10 & 448));
}

}  // namespace

// Adds the sentence that `mines` of the `cells` are mines. `cells` is a frame whose first bit is
// the cell at `corner`.
void Subtraction::tell(Knowledge& known, std::int32_t corner, std::uint64_t cells, int mines) {
    if (cells == 0) return;
    const int skipped_rows = __builtin_ctzll(cells) / frame_side;
    cells >>= skipped_rows * frame_side;
    std::uint64_t columns = cells | cells >> 8 | cells >> 16;
    const int skipped_cols = __builtin_ctzll(columns & 255);
    cells >>= skipped_cols;
    corner += skipped_rows * known.stride + skipped_cols;
    const std::uint16_t packed = gather(cells);
    assert(spread(packed) == cells);  // the cells fit into three rows and three columns
    for (std::int32_t i = first_[corner]; i >= 0; i = sentences_[i].next) {
        const Sentence& other = sentences_[i];
        if (other.alive && other.cells == packed) return;
    }
    const std::int32_t index = static_cast<std::int32_t>(sentences_.size());
    sentences_.push_back(
        Sentence{corner, packed, static_cast<std::int8_t>(mines), true, first_[corner]});
    first_[corner] = index;
    queue_.push_back(index);
}

// Removes a cell from every sentence, because it is known now.
void Subtraction::shrink(Knowledge& known, std::int32_t position, bool mine) {
    for (int row = 0; row <= 2; ++row) {
        for (int col = 0; col <= 2; ++col) {
            const std::int32_t corner = position - row * known.stride - col;
            if (corner < 0) continue;
            const std::uint16_t bit = static_cast<std::uint16_t>(1u << (row * 3 + col));
            for (std::int32_t i = first_[corner]; i >= 0;) {
                Sentence& sentence = sentences_[i];
                const std::int32_t next = sentence.next;
                if (sentence.alive && (sentence.cells & bit) != 0) {
                    sentence.alive = false;
                    const std::uint16_t rest = static_cast<std::uint16_t>(sentence.cells & ~bit);
                    tell(known, corner, spread(rest), sentence.mines - mine);
                }
                i = next;
            }
        }
    }
}

void Subtraction::learn(Knowledge& known, const Sentence& sentence, bool mine) {
    const std::size_t from = known.changes().size();
    for (int bit = 0; bit < 9; ++bit) {
        if ((sentence.cells >> bit & 1) == 0) continue;
        known.prove(sentence.corner + (bit / 3) * known.stride + bit % 3, mine);
    }
    known.singles();
    for (std::size_t i = from; i < known.changes().size(); ++i) {
        const std::int32_t position = known.changes()[i].position;
        shrink(known, position, known.state(position) == Knowledge::mine);
    }
}

void Subtraction::subtract(Knowledge& known, std::int32_t index) {
    const Sentence sentence = sentences_[index];
    const std::uint64_t cells = spread(sentence.cells) << frame_corner;
    const std::int32_t frame = sentence.corner - 2 * known.stride - 2;
    for (int row = -2; row <= 2; ++row) {
        for (int col = -2; col <= 2; ++col) {
            const std::int32_t corner = sentence.corner + row * known.stride + col;
            if (corner < 0 || corner >= known.size) continue;
            for (std::int32_t i = first_[corner]; i >= 0;) {
                const Sentence other = sentences_[i];
                i = other.next;
                if (!other.alive) continue;
                const std::uint64_t others = spread(other.cells)
                                             << (frame_corner + row * frame_side + col);
                if (others == cells) continue;
                if ((others & ~cells) == 0)
                    tell(known, frame, cells & ~others, sentence.mines - other.mines);
                else if ((cells & ~others) == 0)
                    tell(known, frame, others & ~cells, other.mines - sentence.mines);
            }
        }
    }
}

void Subtraction::work(Knowledge& known) {
    while (!queue_.empty()) {
        const std::int32_t index = queue_.back();
        queue_.pop_back();
        const Sentence sentence = sentences_[index];
        if (!sentence.alive) continue;
        if (sentence.mines == 0 || sentence.mines == count_bits(sentence.cells))
            learn(known, sentence, sentence.mines != 0);
        else
            subtract(known, index);
    }
}

void Subtraction::deduce(Knowledge& known) {
    known.singles();
    if (known.table == nullptr)
        deduce_on_squares(known);
    else
        by_table_.deduce(known);
}

void Subtraction::deduce_on_squares(Knowledge& known) {
    std::fill_n(first_.need(known.size), known.size, -1);
    sentences_.clear();
    queue_.clear();
    for (const std::int32_t position : known.active()) {
        std::uint64_t cells = 0;
        for (int bit = 0; bit < 9; ++bit) {
            const std::int32_t cell = position + (bit / 3 - 1) * known.stride + bit % 3 - 1;
            if (bit != 4 && known.state(cell) == Knowledge::unknown)
                cells |= std::uint64_t{1} << (bit / 3 * frame_side + bit % 3);
        }
        tell(known, position - known.stride - 1, cells, known.mines_left(position));
    }
    work(known);
}

}  // namespace mines
