// SPDX-License-Identifier: GPL-2.0-only
// `experts.routing: balanced`: experts are dealt out in turn.
#include "workload/serving/expert-routing.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace nadi;

namespace
{

using TokensOfSources = std::vector<uint64_t>;

std::vector<RoutedTokens>
RouteAll(const ExpertRouter& router,
         const TokensOfSources& tokens,
         uint64_t iteration = 0,
         uint64_t layer = 0)
{
    const uint64_t all = std::accumulate(tokens.begin(), tokens.end(), uint64_t{0});
    std::vector<RoutedTokens> routed;
    uint64_t before = 0;
    for (uint32_t source = 0; source < tokens.size(); ++source)
    {
        routed.push_back(
            router.Route(iteration,
                         layer,
                         {.rank = 100 + source, .place = source, .before = before, .ofGroup = all},
                         tokens[source]));
        before += tokens[source];
    }
    return routed;
}

void
AddTo(std::vector<uint64_t>& sum, const std::vector<uint64_t>& counts)
{
    sum.resize(counts.size());
    std::transform(sum.begin(), sum.end(), counts.begin(), sum.begin(), std::plus<>());
}

/// Between the largest and the smallest.
uint64_t
RangeOf(const std::vector<uint64_t>& counts)
{
    const auto [least, most] = std::ranges::minmax_element(counts);
    return *most - *least;
}

ExpertRouter
MakeBalanced(const ExpertLayout& layout,
             ExpertRoutingOptions::Copies copies = ExpertRoutingOptions::Copies::PerExpert)
{
    return {{.routing = ExpertRoutingOptions::Routing::Balanced, .copies = copies}, layout, 1};
}

} // namespace

TEST_CASE("Balanced experts: counts of a pass differ by 1 at most, by expert and by rank",
          "[unit][workload][serving]")
{
    const auto tokens = GENERATE(TokensOfSources{11, 11, 11, 11, 11, 11, 11, 11},
                                 TokensOfSources{1, 1, 1, 1, 1, 1, 1, 1},
                                 TokensOfSources{7, 0, 3, 0, 0, 1, 2, 40},
                                 TokensOfSources{1, 0, 0, 0, 0, 0, 0, 0});
    const auto layout = GENERATE(ExpertLayout{3, 24, 5, 8},
                                 ExpertLayout{3, 256, 8, 8},
                                 ExpertLayout{3, 16, 2, 8},
                                 ExpertLayout{3, 8, 1, 8});
    const ExpertRouter router = MakeBalanced(layout);
    for (const uint64_t iteration : {0, 1, 5})
    {
        for (const uint64_t layer : {0, 2})
        {
            CAPTURE(tokens, layout.experts, iteration, layer);
            std::vector<uint64_t> byExpert;
            std::vector<uint64_t> byRank;
            for (const RoutedTokens& routed : RouteAll(router, tokens, iteration, layer))
            {
                CHECK(RangeOf(routed.byRank) <= 1);
                AddTo(byExpert, routed.bySlot);
                AddTo(byRank, routed.byRank);
            }
            CHECK(RangeOf(byExpert) <= 1);
            CHECK(RangeOf(byRank) <= 1);
        }
    }
}

TEST_CASE("Balanced experts: a layer goes round all experts, pass by pass",
          "[unit][workload][serving]")
{
    // A pass has 4 x 2 copies, so two passes reach all 16 experts; 3 x 2 copies reach 6, and eight
    // passes reach each expert three times.
    const ExpertRouter router = MakeBalanced({2, 16, 2, 4});
    for (const auto& [tokens, passes, each] :
         {std::tuple(TokensOfSources{1, 1, 1, 1}, 2, 1), {TokensOfSources{1, 1, 1, 0}, 8, 3}})
    {
        for (const uint64_t layer : {0, 1})
        {
            std::vector<uint64_t> byExpert;
            for (int pass = 0; pass < passes; ++pass)
            {
                for (const RoutedTokens& routed :
                     RouteAll(router, tokens, static_cast<uint64_t>(pass), layer))
                {
                    AddTo(byExpert, routed.bySlot);
                }
            }
            CHECK(byExpert == std::vector<uint64_t>(16, static_cast<uint64_t>(each)));
        }
    }
}

TEST_CASE("Balanced experts: the experts of a token lie on as many ranks as they can",
          "[unit][workload][serving]")
{
    // 4 experts of a token on 8 ranks; on 2 ranks each rank has two of them.
    const auto perRank = ExpertRoutingOptions::Copies::PerRank;
    const std::vector<RoutedTokens> wide = RouteAll(MakeBalanced({1, 16, 4, 8}, perRank), {1, 1});
    CHECK(wide[0].byRank == std::vector<uint64_t>{1, 1, 1, 1, 0, 0, 0, 0});
    CHECK(wide[1].byRank == std::vector<uint64_t>{0, 0, 0, 0, 1, 1, 1, 1});
    CHECK(RouteAll(MakeBalanced({1, 16, 4, 2}, perRank), {1})[0].byRank ==
          std::vector<uint64_t>{1, 1});
}
