// SPDX-License-Identifier: GPL-2.0-only
// Recorded tokens by expert, and the counts that are drawn from them.
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"
#include "workload/serving/expert-routing.h"

#include <numeric>

namespace nadi::fuzz
{

namespace
{

constexpr ExpertLayout TRACED{.layers = 2, .experts = 8, .topK = 2, .ranks = 4};

class ExpertTraceFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "A trace of tokens by expert, of 2 layers and 8 experts.";

    void Read(const std::string& input) override
    {
        const ExpertRoutingOptions options{.routing = ExpertRoutingOptions::Routing::Trace,
                                           .trace = m_files.Write("experts.csv", input).string(),
                                           .hottest = 2,
                                           .replicas = 2};
        const ExpertRouter router(options, TRACED, 1);
        for (const uint64_t iteration : {0, 1, 7})
        {
            for (const uint64_t tokens : {0, 1, 3, 20})
            {
                CheckRoute(router, iteration, tokens);
            }
        }
    }

  private:
    static uint64_t SumOf(const std::vector<uint64_t>& counts)
    {
        return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    }

    static void CheckRoute(const ExpertRouter& router, uint64_t iteration, uint64_t tokens)
    {
        for (uint64_t layer = 0; layer < TRACED.layers; ++layer)
        {
            for (uint32_t source = 0; source < TRACED.ranks; ++source)
            {
                const RoutedTokens routed =
                    router.Route(iteration, layer, {source, source}, tokens);
                Require(SumOf(routed.bySlot) == tokens * TRACED.topK, "no token is lost");
                Require(SumOf(routed.byRank) == tokens * TRACED.topK, "each copy is sent");
            }
        }
    }

    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, ExpertTraceFuzz, "expert-trace");

} // namespace

} // namespace nadi::fuzz
