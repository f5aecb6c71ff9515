#include "playing/advice.hpp"

#include <cstring>

#include "playing/safest.hpp"

namespace mines {

namespace {

bool anything_hidden(const Grid& board) {
    return std::memchr(board.code(), static_cast<unsigned char>(hidden),
                       static_cast<std::size_t>(board.size)) != nullptr;
}

}  // namespace

void settle(Grid& board, const Answer& answer) {
    std::int8_t* const code = board.code();
    const std::int8_t sea = answer.sea_verdict == Verdict::mine ? marked : hidden;
    for (std::int32_t i = 0; i < board.size; ++i) {
        const std::int8_t was = code[i];
        const std::int8_t open = was < proved_mine ? std::int8_t{hidden} : was;
        code[i] = was == proved_mine ? std::int8_t{marked} : was == hidden ? sea : open;
    }
}

Advice choose_move(Asked& asked, const Answer& answer, const double* probabilities, Player& player,
                   Patience& patience) {
    Advice advice;
    advice.status = answer.status;
    if (answer.status != Status::fits) return advice;
    Grid& board = asked.board;
    const Analysed analysed{board.row(0), board.rows, board.cols, answer.sea_verdict};
    if (analysed.any_safe()) {
        const Safest safe = safest_move(analysed, probabilities, 0).cell;
        advice.row = safe.row, advice.col = safe.col;
        return advice;
    }
    settle(board, answer);
    if (!anything_hidden(board)) return advice;
    const Position position{board, asked.total, asked.mines, asked.max_states, patience};
    const Choice choice = player.choose(position, answer, probabilities);
    const std::int32_t cell = board.plain(choice.position);
    advice.row = cell / board.cols, advice.col = cell % board.cols;
    advice.risk = probabilities[cell];
    advice.chance = choice.chance;
    advice.exact = choice.exact;
    advice.reason = choice.reason;
    advice.layouts = choice.layouts;
    advice.look_ahead = player.look_ahead_work();
    advice.search = player.search_work();
    advice.playouts = player.playout_work();
    return advice;
}

}  // namespace mines
