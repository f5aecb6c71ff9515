#include "playing/thoughts.hpp"

#include <algorithm>
#include <cstring>

namespace mines {

void Thoughts::clear() {
    std::fill(table_.need(table_size), table_.need(table_size) + table_size, -1);
    count_ = cell_count_ = path_count_ = 0;
    layout_ = 0;
}

// Returns a hash of the board. Reads eight cells at a time. The last word may have fewer cells; its
// other bytes are 0. This confuses no two boards, because all boards here have the same size.
std::uint64_t Thoughts::key_of(const Grid& board) {
    std::uint64_t key = 0x9e3779b97f4a7c15u;
    for (std::int32_t i = 0; i < board.size; i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, board.code() + i, std::min<std::int32_t>(8, board.size - i));
        key = (key ^ word) * 0xff51afd7ed558ccdu;
        key ^= key >> 32;
    }
    return key;
}

std::uint32_t Thoughts::slot_of(std::uint64_t key) const {
    std::uint32_t slot = static_cast<std::uint32_t>(key) & (table_size - 1);
    while (table_[slot] >= 0 && thoughts_[table_[slot]].key != key)
        slot = (slot + 1) & (table_size - 1);
    return slot;
}

std::int32_t Thoughts::find(std::uint64_t key) {
    const std::int32_t found = table_[slot_of(key)];
    if (found >= 0) {
        path_.need(static_cast<std::size_t>(path_count_) + 1);
        path_[path_count_++] = found;
    }
    return found;
}

void Thoughts::keep(const Thought& thought, const std::int32_t* safe, const std::int32_t* mines) {
    const std::int32_t cells = thought.safe_count + thought.mine_count;
    if (count_ >= most_thoughts || cell_count_ + cells > most_cells) return;
    cells_.need(cell_count_ + cells);
    std::copy(safe, safe + thought.safe_count, cells_.data() + cell_count_);
    std::copy(mines, mines + thought.mine_count, cells_.data() + cell_count_ + thought.safe_count);
    thoughts_.need(static_cast<std::size_t>(count_) + 1);
    thoughts_[count_] = thought;
    thoughts_[count_].first = cell_count_;
    cell_count_ += cells;
    table_[slot_of(thought.key)] = count_++;
    find(thought.key);
}

void Thoughts::end(double result) {
    for (std::int32_t i = 0; i < path_count_; ++i) {
        thoughts_[path_[i]].layout = layout_;
        thoughts_[path_[i]].result = result;
    }
}

}  // namespace mines
