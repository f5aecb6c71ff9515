#include "playing/safest.hpp"

namespace mines {

SafestMove safest_move(const Grid& board, Verdict sea, const double* risks, double alike) {
    const bool proved = board.has(proved_safe) || (sea == Verdict::safe && board.has(hidden));
    const bool sea_too = proved ? sea == Verdict::safe : sea != Verdict::mine;
    const std::int8_t wanted = proved ? proved_safe : frontier_open;
    const auto eligible = [&](std::int32_t r) {
        const std::int8_t* row = board.row(r);
        return [=](std::int32_t c) { return (row[c] == wanted) | ((row[c] == hidden) & sea_too); };
    };
    // All proved cells are equally safe, even if rounding makes their risks differ.
    return {safest_of(risks, board, proved ? 1.0 : alike, eligible), proved};
}

}  // namespace mines
