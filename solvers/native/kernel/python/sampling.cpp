// The Python side of estimates for boards that are too wide to count.
#include "sampling/sampler.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/checks.hpp"
#include "python/long_work.hpp"

namespace nb = nanobind;

namespace mines {
namespace {

// The estimates, their standard errors, and the numbers of moves and batches of the sampler.
using Estimate = std::tuple<std::vector<double>, std::vector<double>, std::uint64_t, std::uint64_t>;

// Checks that log_ways and risks have an entry for every number of mines that the boxes can have,
// and that these entries are valid.
void check_outside(const SampleProblem& problem) {
    const std::vector<double>& ways = problem.log_ways;
    std::int64_t cells = 0;
    for (const std::int32_t size : problem.region.sizes) cells += size;
    require(ways.empty() || static_cast<std::int64_t>(ways.size()) == cells + 1,
            "log_ways needs an entry for every number of mines");
    require(ways.empty() ? problem.risks.empty() : problem.risks.size() % ways.size() == 0,
            "risks needs an entry for every group and number of mines");
    const auto too_much = [](double ways) {
        return std::isnan(ways) || (ways > 0 && std::isinf(ways));
    };
    const auto no_risk = [](double risk) { return !(risk >= 0 && risk <= 1); };
    require(std::none_of(ways.begin(), ways.end(), too_much), "log_ways must be numbers or -inf");
    require(std::none_of(problem.risks.begin(), problem.risks.end(), no_risk),
            "risks must be between 0 and 1");
}

void check(const SampleProblem& problem) {
    const Hypergraph& region = problem.region;
    check_lists(region, 4000, problem.first_weight, problem.weights.size());
    for (std::size_t c = 0; c < problem.constraint_count(); ++c) {
        std::int64_t cells = 0;
        for (const std::int32_t box : region.boxes_of(static_cast<std::int32_t>(c)))
            cells += region.sizes[box];
        require(problem.first_weight[c + 1] - problem.first_weight[c] == cells + 1,
                "a constraint needs a weight for every number of mines");
    }
    check_odds(problem.odds);
    check_outside(problem);
}

std::optional<Estimate> sample_problem(
    std::vector<std::int32_t> sizes, std::vector<std::int32_t> first,
    std::vector<std::int32_t> members, std::vector<std::int32_t> first_weight,
    std::vector<double> weights, std::vector<double> log_ways, std::vector<double> risks,
    double odds, std::vector<std::int32_t> starts, std::uint64_t seed, std::uint64_t moves,
    std::uint64_t work, double seconds, bool sweeps) {
    SampleProblem problem{
        {},  std::move(first_weight), std::move(weights), std::move(log_ways), std::move(risks),
        odds};
    problem.region.sizes = std::move(sizes);
    problem.region.first = std::move(first);
    problem.region.members = std::move(members);
    check(problem);
    problem.index();
    SampleResult result;
    try {
        Patience patience;
        LongWork long_work(patience, std::numeric_limits<double>::infinity());
        result =
            sample(problem, SampleBounds{seed, moves, work, seconds, sweeps}, starts, patience);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
    if (!result.started) return std::nullopt;
    return Estimate(result.means, result.errors, result.moves, result.batches);
}

}  // namespace

void bind_sampling(Scope& kernel) {
    kernel.def_static(
        "sample", &sample_problem, nb::arg("sizes"), nb::arg("first"), nb::arg("members"),
        nb::arg("first_weight"), nb::arg("weights"), nb::arg("log_ways"), nb::arg("risks"),
        nb::arg("odds"), nb::arg("starts"), nb::arg("seed"), nb::arg("moves"), nb::arg("work"),
        nb::arg("seconds"), nb::arg("sweeps") = true,
        "Estimate risks. Boxes and constraints are given as in `count_region`, for all regions\n"
        "together; each constraint has a weight for every number of its mines. `log_ways` and\n"
        "`risks` are those of `csp_mines.sampling.Outside`, empty without a total. Return the\n"
        "expected mines of every box and then the risk of every group outside, their standard\n"
        "errors, and the numbers of moves and batches. Return None if no layout was found.");
}

}  // namespace mines
