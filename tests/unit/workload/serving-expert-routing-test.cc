// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/scratch-directory.h"
#include "workload/serving/expert-group.h"
#include "workload/serving/expert-routing.h"
#include "workload/serving/expert-weights.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

using namespace nadi;
using namespace nadi::test;

namespace
{

using RoutingKind = ExpertRoutingOptions::Routing;
using Copies = ExpertRoutingOptions::Copies;

uint64_t
SumOf(const std::vector<uint64_t>& values)
{
    return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

std::vector<double>
AsReals(const std::vector<uint64_t>& values)
{
    return {values.begin(), values.end()};
}

std::string
WriteExperts(const ScratchDirectory& scratch, const std::string& text)
{
    const std::string file = (scratch.Path() / "experts.csv").string();
    std::ofstream(file) << text;
    return file;
}

} // namespace

TEST_CASE("Zipf weights: Gini and largest over mean are those of reference/inference.md",
          "[unit][workload][serving]")
{
    struct Row
    {
        uint32_t experts;
        double skew;
        double gini;
        double largest;
        double digit; ///< half of the last one of `largest`
    };

    const auto row = GENERATE(Row{8, 0.1, 0.037, 1.14, 0.005},
                              Row{8, 1.0, 0.389, 2.94, 0.005},
                              Row{64, 0.3, 0.156, 2.51, 0.005},
                              Row{128, 0.8, 0.504, 14.6, 0.05},
                              Row{256, 0.2, 0.107, 2.44, 0.005},
                              Row{256, 0.5, 0.304, 8.37, 0.005},
                              Row{256, 1.0, 0.677, 41.8, 0.05});
    const std::vector<double> weights = MakeZipfWeights(row.experts, row.skew, 1, 0);
    CHECK(GiniOf(weights) == Approx(row.gini).margin(0.0005001));
    CHECK(LargestOverMean(weights) == Approx(row.largest).margin(row.digit * 1.0001));
}

TEST_CASE("Gini: of equal values 0, of one that has all (n - 1) / n", "[unit][workload][serving]")
{
    CHECK(GiniOf({3, 3, 3}) == Approx(0).margin(1e-15));
    CHECK(GiniOf({0, 0, 0, 5}) == Approx(0.75));
    CHECK(GiniOf({0, 0}) == 0);
    CHECK(LargestOverMean({1, 1, 4}) == Approx(2));
}

TEST_CASE("Expert routing: with top-k 1 the tokens have the skew of the weights",
          "[unit][workload][serving]")
{
    const double skew = GENERATE(0.2, 0.5, 1.0);
    const ExpertRouter router(
        {.routing = RoutingKind::Zipf, .parameter = skew}, {2, 256, 1, 32}, 7);
    for (const uint64_t layer : {0, 1})
    {
        const auto tokens = AsReals(router.Route(0, layer, {0}, 1'000'000).bySlot);
        CHECK(GiniOf(tokens) == Approx(GiniOf(router.Weights(layer))).epsilon(0.02));
        CHECK(LargestOverMean(tokens) ==
              Approx(LargestOverMean(router.Weights(layer))).epsilon(0.02));
    }
    CHECK(router.Weights(0) != router.Weights(1)); // which expert is hot is drawn anew
}

TEST_CASE("Expert routing: top-8 of 256 by weights 1/i has the published skew",
          "[unit][workload][serving]")
{
    const ExpertRouter router({.routing = RoutingKind::Zipf, .parameter = 1}, {1, 256, 8, 32}, 3);
    const auto tokens = AsReals(router.Route(0, 0, {0}, 125'000).bySlot);
    CHECK(GiniOf(tokens) == Approx(0.629).epsilon(0.02));
    CHECK(LargestOverMean(tokens) == Approx(25.1).epsilon(0.02));
}

TEST_CASE("Expert routing: experts are drawn by weight, without replacement",
          "[unit][workload][serving]")
{
    // Weights 0.6, 0.3, 0.1; two of three: expert 2 is left out with probability
    // P(0, 1) + P(1, 0) = 0.6 0.3 / 0.4 + 0.3 0.6 / 0.7.
    const ScratchDirectory scratch("expert-weights");
    const std::string file = WriteExperts(scratch, "layer,expert,tokens\n0,0,6\n0,1,3\n0,2,1\n");
    const ExpertRouter router({.routing = RoutingKind::Trace, .trace = file}, {1, 3, 2, 1}, 5);
    const uint64_t tokens = 400'000;
    const double out = 0.18 / 0.4 + 0.18 / 0.7;
    const auto counts = router.Route(0, 0, {0}, tokens).bySlot;
    const double share = 1 - double(counts[2]) / double(tokens);
    CHECK(share == Approx(out).margin(4 * std::sqrt(out * (1 - out) / double(tokens))));
    CHECK(SumOf(counts) == 2 * tokens);
}

TEST_CASE("Expert routing: no token is lost, and a rank gets no more copies than tokens",
          "[unit][workload][serving]")
{
    const auto routing = GENERATE(
        RoutingKind::Uniform, RoutingKind::Balanced, RoutingKind::Zipf, RoutingKind::Dirichlet);
    const auto copies = GENERATE(Copies::PerExpert, Copies::PerRank);
    const ExpertRoutingOptions options{
        .routing = routing, .parameter = 0.8, .copies = copies, .hottest = 4, .replicas = 3};
    const ExpertRouter router(options, {3, 64, 6, 16}, 11);
    for (uint32_t source = 0; source < 16; ++source)
    {
        const uint64_t tokens = 10 * source;
        const RoutedTokens routed = router.Route(5, 2, {source}, tokens);
        CHECK(SumOf(routed.bySlot) == 6 * tokens);
        CHECK(SumOf(router.ByExpert(2, routed.bySlot)) == 6 * tokens);
        CHECK(router.TokensByRank(2, routed.bySlot).size() == 16);
        if (copies == Copies::PerExpert)
        {
            CHECK(routed.byRank == router.TokensByRank(2, routed.bySlot));
        }
        else
        {
            CHECK(*std::max_element(routed.byRank.begin(), routed.byRank.end()) <= tokens);
            CHECK(SumOf(routed.byRank) <= 6 * tokens);
            CHECK(SumOf(routed.byRank) >= tokens);
        }
    }
}

TEST_CASE("Expert routing: uniform routing has the spread of the multinomial",
          "[unit][workload][serving]")
{
    // Top-1 of E: each count has the variance n p (1 - p), so chi^2 = sum (x - n p)^2 / (n p) has
    // the mean E - 1 and the variance 2 (E - 1); over R runs its mean scatters by
    // sqrt(2 (E - 1) / R).
    const ExpertRouter router({}, {1, 64, 1, 8}, 2);
    const uint64_t runs = 400;
    const double expected = 4096.0 / 64;
    double sum = 0;
    for (uint64_t run = 0; run < runs; ++run)
    {
        for (const uint64_t count : router.Route(run, 0, {0}, 4096).bySlot)
        {
            sum += (double(count) - expected) * (double(count) - expected) / expected;
        }
    }
    CHECK(sum / double(runs) == Approx(63).margin(4 * std::sqrt(2 * 63.0 / double(runs))));
}

TEST_CASE("Expert routing: a function of seed, iteration, layer and source",
          "[unit][workload][serving]")
{
    const ExpertRoutingOptions options{.routing = RoutingKind::Dirichlet, .parameter = 1};
    const ExpertLayout layout{2, 32, 4, 8};
    const ExpertRouter router(options, layout, 9);
    const auto counts = router.Route(3, 1, {2}, 50).bySlot;
    router.Route(8, 0, {5}, 10);
    CHECK(router.Route(3, 1, {2}, 50).bySlot == counts);
    CHECK(ExpertRouter(options, layout, 9).Route(3, 1, {2}, 50).bySlot == counts);
    CHECK(ExpertRouter(options, layout, 10).Route(3, 1, {2}, 50).bySlot != counts);
    CHECK(router.Route(4, 1, {2}, 50).bySlot != counts);
    CHECK(router.Route(3, 0, {2}, 50).bySlot != counts);
    CHECK(router.Route(3, 1, {3}, 50).bySlot != counts);
}

TEST_CASE("Expert routing: nearly all weight on few experts still gives distinct ones",
          "[unit][workload][serving]")
{
    const ExpertRoutingOptions options{.routing = RoutingKind::Dirichlet, .parameter = 0.001};
    const ExpertRouter router(options, {1, 16, 8, 4}, 1);
    const auto counts = router.Route(0, 0, {0}, 100).bySlot;
    CHECK(SumOf(counts) == 800);
    CHECK(*std::max_element(counts.begin(), counts.end()) <= 100);
}

TEST_CASE("Expert routing: replicas share the tokens of the hottest expert",
          "[unit][workload][serving]")
{
    const ExpertRoutingOptions options{
        .routing = RoutingKind::Zipf, .parameter = 1, .hottest = 1, .replicas = 2};
    const ExpertRouter router(options, {1, 16, 1, 8}, 4);
    const ExpertSlots& slots = router.Slots(0);
    REQUIRE(slots.expertOf.size() == 17);
    const uint32_t hot = slots.expertOf[16];
    CHECK(router.Weights(0)[hot] ==
          *std::max_element(router.Weights(0).begin(), router.Weights(0).end()));
    CHECK(slots.rankOf[16] == (hot / 2 + 4) % 8);
    const auto counts = router.Route(0, 0, {0}, 1000).bySlot;
    CHECK(std::max(counts[16], counts[hot]) - std::min(counts[16], counts[hot]) <= 1);
    std::vector<uint64_t> alone(17);
    alone[16] = 1;
    CHECK(router.DistinctExperts(0, alone)[slots.rankOf[16]] == 1);
}

TEST_CASE("Expert routing: recorded counts are repeated exactly, from the start again",
          "[unit][workload][serving]")
{
    const ScratchDirectory scratch("expert-exact");
    const std::string file = WriteExperts(scratch,
                                          "iteration,layer,rank,expert,tokens\n"
                                          "0,0,0,0,3\n0,0,0,1,1\n0,0,0,3,2\n"
                                          "1,0,0,2,3\n1,0,0,3,3\n");
    const ExpertRoutingOptions options{
        .routing = RoutingKind::Trace, .trace = file, .copies = Copies::PerRank};
    const ExpertRouter router(options, {1, 4, 2, 2}, 1);
    const RoutedTokens first = router.Route(2, 0, {0}, 3);
    CHECK(first.bySlot == std::vector<uint64_t>{3, 1, 0, 2});
    CHECK(first.byRank == std::vector<uint64_t>{3, 2}); // one token has experts 0 and 1
    CHECK(router.Route(1, 0, {0}, 3).bySlot == std::vector<uint64_t>{0, 0, 3, 3});
    CHECK(SumOf(router.Route(0, 0, {0}, 5).bySlot) == 10); // other tokens: drawn by the weights
    CHECK(!first.isOffTrace);
    CHECK(router.Route(0, 0, {0}, 5).isOffTrace);
    CHECK(!router.Route(0, 0, {0}, 0).isOffTrace); // nothing is drawn
}

TEST_CASE("Expert routing: recorded counts are of the place among those that share experts",
          "[unit][workload][serving]")
{
    // Place 1 sends all to expert 0, place 0 all to expert 1.
    const ScratchDirectory scratch("expert-places");
    const std::string file = WriteExperts(scratch,
                                          "iteration,layer,rank,expert,tokens\n"
                                          "0,0,0,1,9\n0,0,1,0,9\n");
    const ExpertRouter router({.routing = RoutingKind::Trace, .trace = file}, {1, 2, 1, 2}, 1);
    ForwardModel model;
    model.expert = 2;
    // A second instance, or stage: its ranks begin behind those of the first.
    for (const uint32_t first : {0, 2, 30})
    {
        ExpertCounts counts;
        const std::vector<ExpertTraffic> traffic =
            RouteExpertGroup({.router = router,
                              .model = model,
                              .ranks = {RankId{first}, RankId{first + 1}},
                              .tokens = {9, 9}},
                             0,
                             counts)
                .traffic;
        // Both send all tokens to the other.
        CHECK(traffic[0].dispatch->sends[0] == 0);
        CHECK(traffic[1].dispatch->sends[1] == 0);
        CHECK(traffic[0].load.copies == 9);
    }
}

TEST_CASE("Expert traces: what is damaged is named with its line", "[unit][workload][serving]")
{
    const auto [text, problem] = GENERATE(table<std::string, std::string>({
        {"", ":1: is no header"},
        {"layer,expert\n", ":1: is no header"},
        {"layer,expert,tokens\n0,0\n", ":2: has 2 fields; the header has 3"},
        {"layer,expert,tokens\n0,0,-1\n", ":2: tokens: \"-1\" is no whole number"},
        {"layer,expert,tokens\n1,0,1\n", ":2: layer 1 does not exist; they are from 0 to 0"},
        {"layer,expert,tokens\n0,4,1\n", ":2: expert 4 does not exist"},
        {"layer,expert,tokens\n0,0,1\n0,0,1\n", ":3: tells of this expert again"},
        {"layer,expert,tokens\n0,0,1\n", ": layer 0 has tokens for 1 experts; a token needs 2"},
        {"iteration,layer,rank,expert,tokens\n0,0,2,0,1\n", ":2: rank 2 does not exist"},
        {"iteration,layer,rank,expert,tokens\n18446744073709551615,0,0,0,1\n",
         ":2: iteration 18446744073709551615 does not exist"},
    }));
    const ScratchDirectory scratch("expert-damaged");
    const std::string file = WriteExperts(scratch, text);
    CHECK_THROWS_WITH(ExpertTrace(file, 1, 4, 2, 2), Catch::StartsWith(file + problem));
}

TEST_CASE("Expert routing: impossible layouts are refused", "[unit][workload][serving]")
{
    CHECK_THROWS_WITH(ExpertRouter({}, {1, 10, 2, 4}, 1),
                      "ep 4 does not divide the 10 experts; it has to");
    CHECK_THROWS_AS(ExpertRouter({}, {1, 4, 5, 4}, 1), ConfigError);
    CHECK_THROWS_AS(ExpertRouter({.routing = RoutingKind::Dirichlet}, {1, 4, 2, 4}, 1),
                    ConfigError);
    CHECK_THROWS_AS(ExpertRouter({.hottest = 1, .replicas = 5}, {1, 4, 2, 4}, 1), ConfigError);
}
