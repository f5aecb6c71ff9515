#include "deducing/sentences.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mines {

void Sentences::tell(Cells cells, int mines) {
    if (cells.empty() || alive_.count(cells) > 0) return;
    const std::size_t index = sentences_.size();
    for (const std::int32_t cell : cells) with_cell_[cell].push_back(index);
    alive_.emplace(cells, index);
    sentences_.push_back(Sentence{std::move(cells), mines, true});
    queue_.push_back(index);
}

// Removes a cell from every sentence, because it is known now.
void Sentences::shrink(std::int32_t position, bool mine) {
    std::vector<std::size_t> inside;
    inside.swap(with_cell_[position]);
    for (const std::size_t index : inside) {
        if (!sentences_[index].alive) continue;
        sentences_[index].alive = false;
        Cells rest = sentences_[index].cells;
        alive_.erase(rest);
        rest.erase(std::lower_bound(rest.begin(), rest.end(), position));
        tell(std::move(rest), sentences_[index].mines - mine);
    }
}

void Sentences::learn(Knowledge& known, const Cells& cells, bool mine) {
    const std::size_t from = known.changes().size();
    for (const std::int32_t cell : cells) known.prove(cell, mine);
    known.singles();
    for (std::size_t i = from; i < known.changes().size(); ++i) {
        const std::int32_t position = known.changes()[i].position;
        shrink(position, known.state(position) == Knowledge::mine);
    }
}

// Compares a sentence with each sentence about a subset or a superset of its cells, and adds the
// sentence about the cells that only the larger of the two has.
void Sentences::subtract(std::size_t index) {
    const Cells cells = sentences_[index].cells;
    const int mines = sentences_[index].mines;
    near_.clear();
    for (const std::int32_t cell : cells)
        for (const std::size_t other : with_cell_[cell])
            if (other != index && sentences_[other].alive) near_.push_back(other);
    std::sort(near_.begin(), near_.end());
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
    for (const std::size_t other : near_) {
        const Cells& others = sentences_[other].cells;
        const bool inside = std::includes(cells.begin(), cells.end(), others.begin(), others.end());
        if (!inside && !std::includes(others.begin(), others.end(), cells.begin(), cells.end()))
            continue;
        const Cells &whole = inside ? cells : others, &part = inside ? others : cells;
        const int more = (inside ? 1 : -1) * (mines - sentences_[other].mines);
        Cells rest;
        std::set_difference(whole.begin(), whole.end(), part.begin(), part.end(),
                            std::back_inserter(rest));
        tell(std::move(rest), more);
    }
}

void Sentences::work(Knowledge& known) {
    while (!queue_.empty()) {
        const std::size_t index = queue_.back();
        queue_.pop_back();
        if (!sentences_[index].alive) continue;
        const int mines = sentences_[index].mines;
        if (mines == 0 || mines == static_cast<int>(sentences_[index].cells.size()))
            learn(known, Cells(sentences_[index].cells), mines != 0);
        else
            subtract(index);
    }
}

void Sentences::deduce(Knowledge& known) {
    sentences_.clear();
    alive_.clear();
    queue_.clear();
    with_cell_.assign(known.size, {});
    for (const std::int32_t position : known.active())
        tell(known.unknown_around(position), known.mines_left(position));
    work(known);
}

}  // namespace mines
