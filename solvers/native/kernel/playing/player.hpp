// The player chooses the cell to open if no cell is proved safe. It plays to win.
//
// `choose` takes these steps, numbered as in docs/winning.md. If one of the first three finds a
// cell, the others are not needed.
//
//   1. end game      lists and searches the remaining layouts
//   2. opening       opens a corner in the sea, as long as no 0 is open
//   3. closed parts  plays a closed part (hidden cells that neither touch nor share a clue with any
//                    other hidden cell), unless knowing its number of mines would help much
//   4. influence     finds, for each cell, the probability that it is a safe cell of a guess that
//                    cannot be avoided
//   5. candidates    lists the cells that are nearly as safe as the safest
//   6. score         rates each candidate by its safety, by its influence, and by how safe the two
//                    safest cells will be once the candidate is open
//   7. playouts      tries the candidates with the best scores on random layouts
//
// Limits count steps of work, never seconds, so the same position gives the same move on every
// machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "analysis/analysis.hpp"
#include "board/grid.hpp"
#include "searching/fitting.hpp"
#include "searching/joined.hpp"
#include "searching/search.hpp"

namespace mines {

// The ingredients of a player, and how much work it may spend. Each ingredient can be switched off.
struct Strength {
    bool next_step = true;  // scores a cell also by how safe the next cell will be
    bool influence = true;  // prefers guesses that cannot be avoided
    bool wide = true;       // a cell with influence may be a candidate though it is less safe
    bool closed = true;     // plays closed parts
    bool endgame = true;    // searches small sets of layouts exactly
    bool search = true;     // searches larger sets of layouts with a beam
    bool opening = true;    // opens corners, which are likely to be a 0, until a 0 is open
    bool playouts = false;  // tries promising cells on random layouts
    std::int32_t exact_layouts = 200, search_layouts = 5000;
    std::int32_t beam = 1;
    std::int64_t search_work = 8'000'000;  // most steps per move to list and search layouts
    std::int64_t work = 3'000'000;         // most states and cells per move for look-aheads
    double keep = 0.9, keep_sea = 0.95;    // share of the best safety that a candidate must reach
    double first = 0.8;   // weight of the safest cell in an outlook; the second has 1 - first
    double temper = 0.2;  // the safety of a candidate counts only to the power 1 - temper
    double pull = 0.8;    // weight of the influence in a score
    std::int32_t playout_cells = 300;        // no playouts with more hidden cells
    std::int32_t playout_layouts = 1000;     // most layouts; fewer if one cell is clearly best
    std::int64_t playout_work = 20'000'000;  // most steps per move for playouts
    double playout_margin = 0.10;            // for cells scoring at least (1 - margin) x the best
    double playout_prior = 200;              // the score counts as this many playouts
    // Added to the win chance of the cell with the best score when playouts compare cells.
    double playout_lead = 0.01;

    // Calls visit(name, member) for every field that Python may set. Python uses the same names.
    template <class Visit>
    static void each_field(Visit visit) {
        visit("next_step", &Strength::next_step);
        visit("influence", &Strength::influence);
        visit("wide", &Strength::wide);
        visit("closed", &Strength::closed);
        visit("endgame", &Strength::endgame);
        visit("search", &Strength::search);
        visit("opening", &Strength::opening);
        visit("playouts", &Strength::playouts);
        visit("exact_layouts", &Strength::exact_layouts);
        visit("search_layouts", &Strength::search_layouts);
        visit("beam", &Strength::beam);
        visit("search_work", &Strength::search_work);
        visit("work", &Strength::work);
        visit("playout_cells", &Strength::playout_cells);
        visit("playout_layouts", &Strength::playout_layouts);
        visit("playout_work", &Strength::playout_work);
        visit("playout_margin", &Strength::playout_margin);
        visit("playout_prior", &Strength::playout_prior);
        visit("playout_lead", &Strength::playout_lead);
    }
};

// The work of one analysis, in steps: states counted and cells examined.
inline std::int64_t work_of(const Answer& answer, const Grid& board) {
    return static_cast<std::int64_t>(answer.states) + board.size / 2 + 100;
}

// A position in which no hidden cell is certain, because proved mines are marked and proved safe
// cells are open.
struct Position {
    const Grid& board;
    bool total;  // whether the number of mines is known
    std::int64_t mines;
    std::uint64_t max_states;
    Patience& patience;
};

enum class Reason : std::uint8_t {
    safest,     // the lowest risk
    endgame,    // all layouts were searched
    closed,     // the best cell of a closed part
    next_step,  // the best score (step 6)
    opening,    // a corner, the cell most likely to be a 0
    proved,     // the cell is proved safe; the player did not have to choose
    playouts,   // the best cell according to playouts
};

struct Choice {
    std::int32_t position = -1;
    double chance = 0;   // the win chance; nan: the player has no estimate
    bool exact = false;  // whether no player has a better win chance
    Reason reason = Reason::safest;
    std::int64_t layouts = 0;  // how many layouts were searched
};

class Playouts;

class Player {
  public:
    Strength strength;

    Player();
    ~Player();

    // The work of the last choice, in steps, by kind. The work of each kind may exceed the limit of
    // the strength by one analysis, listing or playout, because work that has begun is finished.
    std::int64_t look_ahead_work() const { return strength.work - work_left_; }
    std::int64_t search_work() const { return strength.search_work - search_left_; }
    std::int64_t playout_work() const { return playout_work_; }

    // Chooses the cell to open. `answer` and `probabilities` are from the analysis of the position.
    // Throws what the position's patience throws.
    Choice choose(const Position& position, const Answer& answer, const double* probabilities);

  private:
    struct Candidate {
        std::int32_t position;
        double safety, factor, bound;  // bound: safety x factor, the largest score that is possible
        double score;                  // -1: not computed
    };

    bool by_search(Choice& choice);
    int safest_listed() const;
    bool by_closed_part(Choice& choice);
    bool by_opening(Choice& choice);
    bool play_part(Choice& choice);
    bool weigh_part(double* log_weight);
    double by_score(Choice& choice);
    bool plays_out() const;
    void by_playouts(Choice& choice, double best);
    void list_unknown();
    void list_candidates();
    bool reaches(std::int32_t position) const;
    void add_candidate(std::int32_t position, double influence);
    void find_clued();
    void find_influence();
    void pair_influence(std::int32_t a, std::int32_t step, std::int32_t side);
    void box_influence(std::int32_t a);
    double pattern(const std::int32_t* mines, int mine_count, const std::int32_t* safe,
                   int safe_count);
    double score(const Candidate& candidate, double best);
    bool list(const std::int32_t* cells, std::int32_t count, std::int64_t mines, std::int64_t most);
    SearchLimits limits(std::int32_t beam) const;
    bool ask(Answer& answer, std::int64_t mines, Depth depth);
    double outlook(const LowestRisks& risks) const;
    bool may_be_mines(std::initializer_list<std::int32_t> cells, std::int32_t* may_be,
                      int& count) const;
    double risk(std::int32_t position) const {
        return probabilities_[position_->board.plain(position)];
    }
    bool is_hidden(std::int32_t position) const {
        return position_->board.code()[position] == hidden;
    }

    const Position* position_ = nullptr;
    const Answer* answer_ = nullptr;
    const double* probabilities_ = nullptr;
    double log_count_ = 0, best_safety_ = 0;
    std::int64_t work_left_ = 0, search_left_ = 0, playout_work_ = 0;
    Workspace look_;
    Fitting layouts_;
    SetSearch search_;
    Buffer<std::int32_t> unknown_;
    std::int32_t unknown_count_ = 0, sea_count_ = 0;
    Buffer<std::uint8_t> clued_;  // by position: 1 for an unknown cell beside a clue
    Buffer<double> influence_;    // by position
    Buffer<Candidate> candidates_;
    std::int32_t candidate_count_ = 0;
    Joined part_;                         // a closed part of the board
    std::unique_ptr<Playouts> playouts_;  // made when they are first needed
    Buffer<double> weights_;
    Buffer<std::int32_t> rows_;
};

}  // namespace mines
