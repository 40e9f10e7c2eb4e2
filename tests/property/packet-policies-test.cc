// SPDX-License-Identifier: GPL-2.0-only
// No order of chunks deadlocks, whatever the start skews.
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/intra-dimension-policy.h"
#include "tests/support/case-count.h"
#include "tests/support/keeps-bounds.h"
#include "tests/support/packet-forms.h"
#include "tests/support/random-job.h"

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct PolicyCase
{
    std::string inter;
    std::string intra;
    uint32_t dimensions = 1;
    uint64_t seed = 0;
};

uint32_t
RanksOf(const PolicyCase& test)
{
    return test.dimensions < 3 ? uint32_t{4} << (test.dimensions - 1)  // 4, 4 x 2
                               : uint32_t{1} << (test.dimensions + 1); // 4 x 2 x 2 (x 2)
}

std::string
YamlOf(const PolicyCase& test, const std::string& workload)
{
    const std::vector<std::string> shapes{"ring", "switch", "fully-connected"};
    std::string stack;
    for (uint32_t i = 0; i < test.dimensions; ++i)
    {
        stack += fmt::format("  - {{shape: {}, size: {}, bandwidth: {} Gb/s, latency: {} ns}}\n",
                             shapes[Hash64({test.seed, i}) % shapes.size()],
                             i == 0 ? 4 : 2,
                             100 << (Hash64({test.seed, i, 1}) % 3),
                             100 * (Hash64({test.seed, i, 2}) % 6));
    }
    return workload +
           fmt::format("system:\n"
                       "  inter-dimension: {}\n  intra-dimension: {}\n"
                       "  chunks: {}\n  chunks-in-flight: {}\n  concurrent-collectives: {}\n"
                       "network:\n dimensions:\n{}",
                       test.inter,
                       test.intra,
                       1 + Hash64({test.seed, 10}) % 8,
                       1 + Hash64({test.seed, 11}) % 3,
                       Hash64({test.seed, 12}) % 3,
                       stack);
}

void
CheckFinishes(const PolicyCase& test)
{
    const ScratchDirectory scratch("policies");
    const RandomJob job(RanksOf(test), test.seed);
    const std::string yaml = YamlOf(test, job.Write(scratch, 12));
    CAPTURE(yaml, test.seed);
    const RunResults results = Simulate(scratch.Write("run.yaml", yaml));
    CAPTURE(results.exitReason);
    REQUIRE(results.status == RunStatus::Done);
    for (const CollectiveResult& collective : results.collectives)
    {
        const bool isAlone = collective.record.ranks == 1;
        CHECK((isAlone || collective.record.end > collective.record.start));
        CHECK(KeepsBounds(collective));
    }
    for (const RankResult& rank : results.ranks)
    {
        const RankMetrics& metrics = rank.metrics;
        CHECK(metrics.compute + metrics.exposedCommunication + metrics.idle == metrics.finish);
    }
}

} // namespace

TEST_CASE("Policies: every one finishes under random start skews, stragglers and groups",
          "[property][packet]")
{
    const uint32_t seeds = CaseCount{.reduced = 1, .normal = 6, .full = 60}.Pick();
    for (const std::string& inter : Registry<InterDimensionPolicy>::Instance().Names())
    {
        for (const std::string& intra : Registry<IntraDimensionPolicy>::Instance().Names())
        {
            for (uint32_t dimensions = 1; dimensions <= 4; ++dimensions)
            {
                for (uint64_t seed = 0; seed < seeds; ++seed)
                {
                    CheckFinishes({inter, intra, dimensions, seed});
                }
            }
        }
    }
}
