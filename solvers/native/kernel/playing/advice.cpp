#include "playing/advice.hpp"

#include <algorithm>
#include <cstring>

namespace mines {

namespace {

bool anything_hidden(const Grid& board) {
    return std::memchr(board.code(), static_cast<unsigned char>(hidden),
                       static_cast<std::size_t>(board.size)) != nullptr;
}

}  // namespace

std::int32_t settle(Grid& board, const Answer& answer) {
    std::int8_t* const code = board.code();
    const std::int32_t size = board.size;
    const auto first = [=](std::int8_t wanted) {
        const void* at =
            std::memchr(code, static_cast<unsigned char>(wanted), static_cast<std::size_t>(size));
        return at == nullptr
                   ? size
                   : static_cast<std::int32_t>(static_cast<const std::int8_t*>(at) - code);
    };
    std::int32_t safe = first(proved_safe);
    if (answer.sea_verdict == Verdict::safe) safe = std::min(safe, first(hidden));
    const std::int8_t sea = answer.sea_verdict == Verdict::mine ? marked : hidden;
    for (std::int32_t i = 0; i < size; ++i) {
        const std::int8_t was = code[i];
        const std::int8_t open = was < proved_mine ? std::int8_t{hidden} : was;
        code[i] = was == proved_mine ? std::int8_t{marked} : was == hidden ? sea : open;
    }
    return safe < size ? safe : -1;
}

Advice choose_move(Asked& asked, const Answer& answer, const double* probabilities, Player& player,
                   Patience& patience) {
    Advice advice;
    advice.status = answer.status;
    if (answer.status != Status::fits) return advice;
    const Grid& board = asked.board;
    const std::int32_t safe = settle(asked.board, answer);
    if (safe >= 0) {
        advice.cell = board.plain(safe);
        return advice;
    }
    if (!anything_hidden(board)) return advice;
    const Position position{board, asked.total, asked.mines, asked.max_states, patience};
    const Choice choice = player.choose(position, answer, probabilities);
    advice.cell = board.plain(choice.position);
    advice.risk = probabilities[advice.cell];
    advice.chance = choice.chance;
    advice.exact = choice.exact;
    advice.reason = static_cast<int>(choice.reason);
    advice.layouts = choice.layouts;
    advice.look_ahead = player.look_ahead_work();
    advice.search = player.search_work();
    advice.playouts = player.playout_work();
    return advice;
}

}  // namespace mines
