#include "counting/hypergraph.hpp"

namespace mines {

void Hypergraph::index() {
    first_inside_.assign(sizes.size() + 1, 0);
    for (const std::int32_t box : members) ++first_inside_[box + 1];
    for (std::size_t i = 0; i < sizes.size(); ++i) first_inside_[i + 1] += first_inside_[i];
    inside_.resize(members.size());
    cells_.assign(low.size(), 0);
    std::vector<std::int32_t> next(first_inside_.begin(), first_inside_.end() - 1);
    for (std::int32_t c = 0; c < constraint_count(); ++c) {
        for (const std::int32_t box : boxes_of(c)) {
            inside_[next[box]++] = c;
            cells_[c] += sizes[box];
        }
    }
}

std::vector<std::int32_t> Hypergraph::reached_from(std::int32_t first,
                                                   std::vector<std::uint8_t>& seen) const {
    std::vector<std::int32_t> reached{first};
    seen[first] = 1;
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const std::int32_t box : boxes_of(reached[i]))
            for (const std::int32_t next : constraints_of(box))
                if (seen[next] == 0) seen[next] = 1, reached.push_back(next);
    return reached;
}

}  // namespace mines
