// SPDX-License-Identifier: GPL-2.0-only
// Does any algorithm on any backend beat what the network allows?
#include "simulation/simulate.h"
#include "system/collective-plan.h"
#include "tests/support/case-count.h"
#include "tests/support/drawn-network.h"
#include "tests/support/endpoint-algorithms.h"
#include "tests/support/keeps-bounds.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A collective of some NPUs of a drawn network. Its size is such that either latency or
/// bandwidth rules it.
struct BoundCase
{
    uint64_t seed;
    CollectiveType type;
    std::string algorithm;
    std::string backend;

    CollectiveResult Run(const ScratchDirectory& scratch) const
    {
        DrawnNetwork network(seed);
        const std::vector<RankId> group = network.DrawGroup();
        std::string npus;
        for (const RankId rank : group)
        {
            npus += (npus.empty() ? "" : ", ") + std::to_string(rank.value);
        }
        const uint64_t size = network.More().Below(2) == 0 ? 13 : 1 + network.More().Below(300'000);
        scratch.Write("network.yaml", network.Write(0));
        const RunResults results = Simulate(
            scratch.Write("c.yaml",
                          fmt::format("workload:\n  collective: {{type: {}{}}}\n  ranks: {}\n"
                                      "  placement: [{}]\n"
                                      "network: {{backend: {}, topology: {{file: network.yaml}}}}\n"
                                      "system: {{endpoint-delay: 0 ns}}\n",
                                      ToText(type),
                                      type == CollectiveType::Barrier
                                          ? ""
                                          : fmt::format(", size: {} B", size),
                                      group.size(),
                                      npus,
                                      backend)),
            {fmt::format("system.collectives.{}={}", ToText(type), algorithm)});
        REQUIRE(results.status == RunStatus::Done);
        return results.collectives.at(0);
    }
};

} // namespace

TEST_CASE("Fabric bound: no algorithm beats it on random networks, on any backend",
          "[property][fabric-bound]")
{
    const ScratchDirectory scratch("fabric-bound");
    const uint32_t cases = CaseCount{.reduced = 1, .normal = 4, .full = 100}.Pick();
    uint32_t bound = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            std::vector<std::string> names = EndpointAlgorithmsFor(type);
            names.emplace_back("{name: synthesized, tries: 1}");
            for (const std::string& name : names)
            {
                for (const std::string backend : {"packet", "flow", "analytical"})
                {
                    CAPTURE(seed, ToText(type), name, backend);
                    const CollectiveResult result =
                        BoundCase{seed, type, name, backend}.Run(scratch);
                    CHECK(KeepsBounds(result));
                    bound += result.fabricBound ? 1 : 0;
                }
            }
        }
    }
    CHECK(bound > 0);
}
