#include "playing/safest.hpp"

#include <cstring>

namespace mines {

bool Analysed::any_safe() const {
    if (rows == 0) return false;
    const std::size_t bytes =
        static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols + 2) - 2;
    const auto has = [&](std::int8_t code) {
        return std::memchr(codes, static_cast<unsigned char>(code), bytes) != nullptr;
    };
    return has(proved_safe) || (sea == Verdict::safe && has(hidden));
}

SafestMove safest_move(const Analysed& board, const double* risks, double alike) {
    const bool proved = board.any_safe();
    const bool sea_too = proved ? board.sea == Verdict::safe : board.sea != Verdict::mine;
    const std::int8_t wanted = proved ? proved_safe : frontier_open;
    const auto eligible = [&](std::int32_t r) {
        const std::int8_t* row = board.row(r);
        return [=](std::int32_t c) { return (row[c] == wanted) | ((row[c] == hidden) & sea_too); };
    };
    // All proved cells are alike, whatever rounding made of their risks.
    return {safest_of(risks, board.rows, board.cols, proved ? 1.0 : alike, eligible), proved};
}

}  // namespace mines
