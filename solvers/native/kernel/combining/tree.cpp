#include "combining/tree.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

namespace mines {

namespace {

constexpr double tolerated = 1e-18;       // part of the density that may be cut off
constexpr double least_density = 1e-250;  // above it, doubles are precise enough
constexpr double first_cut = 1e-35;

template <class V>
V from(const Wide& x) {
    if constexpr (std::is_same_v<V, Wide>)
        return x;
    else
        return x.over(Wide(1.0));
}

template <class V>
constexpr std::uint64_t price = 1;  // the work of one product and one sum (see Patience)
template <>
constexpr std::uint64_t price<Wide> = 16;

// A distribution of a number of mines: `mass` has the probabilities of low, low + 1, ...
template <class V>
struct Distribution {
    std::int64_t low = 0;
    std::vector<V> mass;
    std::int64_t size() const { return static_cast<std::int64_t>(mass.size()); }
};

template <class V>
class Tree {
  public:
    Tree(const Tilt& tilt, std::int32_t leaves, V cut, Patience& patience)
        : tilt_(tilt), cut_(cut), patience_(patience), lost_(V(0.0)) {
        for (const Group& group : tilt.groups()) prepared_.push_back(leaf(group));
        for (std::int32_t i = 0; i < leaves; ++i)
            nodes_.push_back({prepared_[tilt.group_of(i)], -1, -1});
        nodes_.push_back({sea(), -1, -1});
        grow();
    }

    V density() const {
        const Distribution<V>& root = nodes_.back().all;
        const std::int64_t at = tilt_.wanted() - root.low;
        return at >= 0 && at < root.size() ? root.mass[at] : V(0.0);
    }
    const V& lost() const { return lost_; }

    Branches branches() {
        Branches result;
        const V density = this->density();
        result.log_density = log_of(density) + tilt_.log_scale();
        result.weights.resize(nodes_.size());
        const Distribution<V>& root = nodes_.back().all;
        std::vector<V> only(root.mass.size(), V(0.0));
        only[tilt_.wanted() - root.low] = V(1.0);
        descend(nodes_.size() - 1, only, density, result);
        result.error = 4 * (rounding * depth_ + ratio(lost_, density));
        return result;
    }

  private:
    struct Node {
        Distribution<V> all;
        std::int32_t left, right;  // -1 for leaves
    };

    // Cuts off both tails of a distribution. The masses cut off by one call add up to at most cut_.
    void trim(Distribution<V>& d) {
        V dropped(0.0);
        std::size_t first = 0, last = d.mass.size();
        const auto drop = [&](const V& mass) {
            const V sum = dropped + mass;
            if (cut_ < sum) return false;
            dropped = sum;
            return true;
        };
        while (first + 1 < last && drop(d.mass[first])) ++first;
        while (last > first + 1 && drop(d.mass[last - 1])) --last;
        lost_ = lost_ + dropped;
        d.mass.assign(d.mass.begin() + static_cast<std::ptrdiff_t>(first),
                      d.mass.begin() + static_cast<std::ptrdiff_t>(last));
        d.low += static_cast<std::int64_t>(first);
    }

    Distribution<V> leaf(const Group& group) {
        std::vector<Wide> masses;
        for (std::int32_t i = 0; i < group.length(); ++i) masses.push_back(tilt_.mass(group, i));
        depth_ += group.count * (group.length() + 8);
        return scaled(masses, 0);
    }

    // The distribution with these masses, divided by their sum.
    Distribution<V> scaled(const std::vector<Wide>& masses, std::int64_t low) {
        Wide sum(0.0);
        for (const Wide& mass : masses) sum += mass;
        Distribution<V> made;
        made.low = low;
        for (const Wide& mass : masses) made.mass.push_back(from<V>(mass / sum));
        return made;
    }

    // The binomial distribution of the mines in the sea, computed from its mode outwards by the
    // ratios of neighbouring masses.
    Distribution<V> sea() {
        const std::int64_t cells = tilt_.sea();
        std::int64_t mode = static_cast<std::int64_t>(
            std::floor(static_cast<double>(cells + 1) * tilt_.sea_chance()));
        mode = std::clamp<std::int64_t>(mode, 0, cells);
        const std::vector<Wide> below = ratios(mode, -1, cells), above = ratios(mode, 1, cells);
        std::vector<Wide> masses(below.rbegin(), below.rend());
        masses.push_back(Wide(1.0));
        masses.insert(masses.end(), above.begin(), above.end());
        depth_ += 16 + 4 * std::log2(static_cast<double>(masses.size()) + 1);
        const std::int64_t low = mode - static_cast<std::int64_t>(below.size());
        // At each end, the masses that were left out add up to less than the cut.
        if (low > 0) lost_ = lost_ + cut_;
        if (mode + static_cast<std::int64_t>(above.size()) < cells) lost_ = lost_ + cut_;
        return scaled(masses, low);
    }

    // The masses of mode + step, mode + 2 step, ... divided by the mass of the mode. Stops when the
    // sum of all later masses is below the cut. A geometric series bounds this sum, because the
    // ratios of neighbours decrease.
    std::vector<Wide> ratios(std::int64_t mode, int step, std::int64_t cells) {
        const double whole = std::floor(tilt_.exponent());
        const long double odds = std::exp2(static_cast<long double>(tilt_.exponent() - whole));
        std::vector<Wide> found;
        long double mass = 1;  // times 2^shift
        std::int64_t shift = 0;
        for (std::int64_t k = mode + step; k >= 0 && k <= cells; k += step) {
            const long double choices =
                step > 0 ? static_cast<long double>(cells - k + 1) / static_cast<long double>(k)
                         : static_cast<long double>(k + 1) / static_cast<long double>(cells - k);
            const long double factor = step > 0 ? choices * odds : choices / odds;
            int exponent = 0;
            mass = std::frexp(mass * factor, &exponent);
            shift += exponent + step * static_cast<std::int64_t>(whole);
            const Wide here(static_cast<double>(mass), shift);
            const double fall =
                Wide(static_cast<double>(factor), step * static_cast<std::int64_t>(whole))
                    .over(Wide(1.0));
            if (fall < 1 && from<V>(Wide(fall / (1 - fall)) * here) < cut_) break;
            found.push_back(here);
            patience_.spend(price<Wide>);
        }
        return found;
    }

    void grow() {
        std::vector<std::int32_t> level;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            level.push_back(static_cast<std::int32_t>(i));
        while (level.size() > 1) {
            std::vector<std::int32_t> next;
            for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
                nodes_.push_back({product(level[i], level[i + 1]), level[i], level[i + 1]});
                next.push_back(static_cast<std::int32_t>(nodes_.size()) - 1);
            }
            if (level.size() % 2 == 1) next.push_back(level.back());
            level.swap(next);
        }
    }

    Distribution<V> product(std::int32_t left, std::int32_t right) {
        const Distribution<V>*a = &nodes_[left].all, *b = &nodes_[right].all;
        if (a->size() < b->size()) std::swap(a, b);
        Distribution<V> made;
        made.low = a->low + b->low;
        made.mass.assign(a->mass.size() + b->mass.size() - 1, V(0.0));
        for (std::size_t j = 0; j < b->mass.size(); ++j) {
            if (is_zero(b->mass[j])) continue;
            V* out = made.mass.data() + j;
            for (std::size_t i = 0; i < a->mass.size(); ++i) out[i] += a->mass[i] * b->mass[j];
            patience_.spend(price<V> * a->mass.size());
        }
        depth_ += static_cast<double>(b->size()) + 2;
        trim(made);
        return made;
    }

    // Computes the weights (see tree.hpp) of all nodes below a node. The weights of a leaf go into
    // `result`. `outer` has the weights of the node itself: one for each number of mines in its
    // distribution.
    void descend(std::size_t number, const std::vector<V>& outer, const V& density,
                 Branches& result) {
        const Node& node = nodes_[number];
        if (node.left < 0) {
            finish(number, outer, density, result);
            return;
        }
        const std::size_t left = static_cast<std::size_t>(node.left),
                          right = static_cast<std::size_t>(node.right);
        descend(left, told(node.all, outer, nodes_[left].all, nodes_[right].all), density, result);
        descend(right, told(node.all, outer, nodes_[right].all, nodes_[left].all), density, result);
    }

    // Returns the weights of a child. `outer` has the weights of its parent. `parent`, `child` and
    // `sibling` (the other child) are distributions.
    std::vector<V> told(const Distribution<V>& parent, const std::vector<V>& outer,
                        const Distribution<V>& child, const Distribution<V>& sibling) {
        std::vector<V> out(child.mass.size(), V(0.0));
        for (std::int64_t j = 0; j < sibling.size(); ++j) {
            const V& mass = sibling.mass[j];
            if (is_zero(mass)) continue;
            const std::int64_t shift = child.low + sibling.low + j - parent.low;
            const std::int64_t first = std::max<std::int64_t>(0, -shift),
                               last = std::min(child.size(), parent.size() - shift);
            for (std::int64_t i = first; i < last; ++i) out[i] += mass * outer[i + shift];
            if (last > first) patience_.spend(price<V> * static_cast<std::uint64_t>(last - first));
        }
        depth_ += static_cast<double>(std::min(child.size(), sibling.size())) + 2;
        return out;
    }

    void finish(std::size_t number, const std::vector<V>& outer, const V& density,
                Branches& result) {
        const Distribution<V>& own = nodes_[number].all;
        const Wide whole(density);
        if (number + 1 == leaf_count()) {
            V mines(0.0);
            for (std::int64_t i = 0; i < own.size(); ++i)
                mines += static_cast<double>(own.low + i) * (own.mass[i] * outer[i]);
            const double cells = static_cast<double>(tilt_.sea());
            result.sea_probability = cells > 0 ? std::min(1.0, ratio(mines, density) / cells) : 0.0;
            return;
        }
        std::vector<Wide>& weights = result.weights[number];
        const std::int32_t group = tilt_.group_of(static_cast<std::int32_t>(number));
        // Every number of mines that was cut off gets a tiny weight, because the weight of an
        // attainable number must not be 0.
        weights.assign(tilt_.groups()[group].length(), Wide(1e-30));
        for (std::int64_t i = 0; i < own.size(); ++i) {
            const Wide value = Wide(outer[i]) / whole;
            Wide& weight = weights[own.low + i];
            if (weight < value) weight = value;
        }
    }

    std::size_t leaf_count() const { return (nodes_.size() + 1) / 2; }

    const Tilt& tilt_;
    V cut_;
    Patience& patience_;
    V lost_;
    double depth_ = 0;  // an upper bound on how often any result was rounded
    std::vector<Distribution<V>> prepared_;
    std::vector<Node> nodes_;
};

// Returns the results, or nothing if too much was cut off or the density is too small for V.
template <class V>
std::optional<Branches> attempt(const Tilt& tilt, std::int32_t leaves, const V& cut,
                                Patience& patience) {
    Tree<V> tree(tilt, leaves, cut, patience);
    const V density = tree.density();
    if (is_zero(density) || tolerated * density < tree.lost()) return std::nullopt;
    if (std::is_same<V, double>::value && density < V(least_density)) return std::nullopt;
    return tree.branches();
}

}  // namespace

Branches multiply_out(const Tilt& tilt, std::int32_t leaves, Patience& patience) {
    for (double cut = first_cut; cut > 1e-290; cut *= 1e-60)
        if (auto found = attempt<double>(tilt, leaves, cut, patience)) return *found;
    for (std::int64_t bits = 2000; bits < 1'000'000; bits *= 8)
        if (auto found = attempt<Wide>(tilt, leaves, Wide(1.0, -bits), patience)) return *found;
    return *attempt<Wide>(tilt, leaves, Wide(0.0), patience);
}

}  // namespace mines
