// Plays whole games. This is the compiled twin of csp_mines.games.knowledge and
// csp_mines.games.playing for agents that deduce first from single clues and then by the exact
// analysis. It makes the same moves in the same order.
//
// To think is to look for proofs on a board and, if there are none, to choose a guess. The result
// is a thought (thoughts.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/analysis.hpp"
#include "playing/game.hpp"
#include "playing/player.hpp"
#include "playing/record.hpp"
#include "playing/thoughts.hpp"

namespace mines {

inline constexpr std::uint64_t game_work = 50'000;  // steps of work per game, without its analyses

// How long a match goes on.
enum class Until : std::uint8_t {
    end,    // to the end of the game
    known,  // until `player` gives the win chance of a guess
    exact,  // until `player` gives the exact win chance of a guess
};

class Match {
  public:
    Game game;
    bool told_total = true;
    std::uint64_t max_states = 0;
    double alike = 0;                    // risks count as equal if they differ by less
    Player* player = nullptr;            // null: the cell of lowest risk is opened
    std::vector<Move>* moves = nullptr;  // null: moves are not recorded

    std::int64_t work = 0;  // of the last game: states counted and cells examined
    Until until = Until::end;
    // The thoughts of earlier calls of play_on(), with the same rules and the same player. Null: no
    // thoughts are kept.
    Thoughts* thoughts = nullptr;

    // Resumes the dealt game from a board (see Game::resume), and reads this board. play_on()
    // starts from it, so it must stay unchanged.
    void look_around(const Rules& rules, const Grid& seen);
    // Opens the cells `openings` on the board that look_around() read, and plays the game as long
    // as `until` says. Returns 1 for a won game and 0 for a lost one. If the match ended early
    // because the win chance was known, returns the win chance. With `thoughts`, the match also
    // ends at a board about which an earlier call on this layout had a thought. Then this call
    // returns the result of the earlier call.
    double play_on(const std::int32_t* openings, std::int32_t count, Patience& patience);
    // How the last game ended.
    Ending ending() const { return record_.ending; }
    // Plays a dealt game to its end. Throws what `patience` throws.
    Record play(const Rules& rules, Patience& patience);

  private:
    void begin(const Rules& rules);
    bool think();
    bool single();
    bool by_total();
    bool by_analysis();
    bool think_anew();
    bool think_again();
    Choice choose() const;
    bool open_guess(const Choice& choice);
    std::int32_t lowest_risk() const;
    void collect_certain();
    bool carry_out();
    void note(Move::Kind kind, std::int32_t position, double risk, double chance);

    void see_fresh();
    void take(std::int32_t position);
    void disclose(std::int32_t position, bool mine);
    void look_at(std::int32_t clue);
    void mark_known(std::int32_t position);
    bool done() const { return game.over() || hidden_left_ == 0; }
    void return_to_outset();

    // What the player knows of a cell.
    struct Note {
        std::uint8_t unknown;  // cells around it of which nothing is known
        std::uint8_t known;    // known mines around it
        std::uint8_t queued;   // 1: a clue that waits in the queue
        std::uint8_t listed;   // 1: listed as safe in this thought; 2: seen open
    };
    // What the player knew after look_around().
    struct Outset {
        const Grid* seen = nullptr;
        Buffer<Note> notes;
        Buffer<std::int32_t> queue;  // in order
        std::int32_t queue_count = 0;
        std::int64_t hidden_left = 0, mines_found = 0;
    };

    Workspace work_;
    std::unique_ptr<Memory> memory_;
    Record record_;
    Rules rules_;
    Patience* patience_ = nullptr;
    Answer answer_;
    Buffer<double> probabilities_;
    Buffer<Note> notes_;          // by position
    Buffer<std::int32_t> queue_;  // clues to look at, as a ring buffer
    std::int32_t queue_begin_ = 0, queue_count_ = 0;
    Buffer<std::int32_t> safe_, mines_;  // the cells that the last thought proved, in order
    std::int32_t safe_count_ = 0, mine_count_ = 0;
    std::int64_t hidden_left_ = 0, mines_found_ = 0;
    double known_chance_ = -1;
    Outset outset_;
};

}  // namespace mines
