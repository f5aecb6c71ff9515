#include "playing/advice.hpp"

#include <vector>

#include "playing/safest.hpp"

namespace mines {

namespace {

// Replaces the verdicts that an analysis wrote on its board: proved mines become marked, and all
// other cells with a verdict become hidden again.
void settle(Grid& board, const Answer& answer) {
    std::int8_t* const code = board.code();
    for (std::int32_t i = 0; i < board.size; ++i)
        if (answer.verdict_of(code[i]) == Verdict::mine)
            code[i] = marked;
        else if (code[i] <= proved_mine)
            code[i] = hidden;
}

}  // namespace

Answer mark_proved(Asked& asked, Workspace& work, Patience& patience) {
    work.grid.copy(asked.board);
    std::vector<double> probabilities(static_cast<std::size_t>(asked.board.cells()));
    Question question;
    question.prior = {asked.total, asked.mines};
    question.max_states = asked.max_states;
    const Answer answer = work.analyse(question, probabilities.data(), patience);
    if (answer.status != Status::fits) return answer;
    asked.board.copy(work.grid);
    settle(asked.board, answer);
    return answer;
}

Advice choose_move(Asked& asked, const Answer& answer, const double* probabilities, Player& player,
                   Patience& patience) {
    Advice advice;
    advice.status = answer.status;
    if (answer.status != Status::fits) return advice;
    Grid& board = asked.board;
    const SafestMove safest = safest_move(board, answer.sea_verdict, probabilities, 0);
    if (safest.proved) {
        advice.row = safest.cell.row, advice.col = safest.cell.col;
        return advice;
    }
    settle(board, answer);
    if (!board.has(hidden)) return advice;
    const Position position{board, asked.total, asked.mines, asked.max_states, patience};
    const Choice choice = player.choose(position, answer, probabilities);
    const std::int32_t cell = board.plain(choice.position);
    advice.row = cell / board.cols, advice.col = cell % board.cols;
    advice.risk = probabilities[cell];
    advice.choice = choice;
    advice.look_ahead = player.look_ahead_work();
    advice.search = player.search_work();
    advice.playouts = player.playout_work();
    return advice;
}

}  // namespace mines
