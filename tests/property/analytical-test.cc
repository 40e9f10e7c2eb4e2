// SPDX-License-Identifier: GPL-2.0-only
// Every algorithm and collective that is registered, and whole random runs, on the backend
// `analytical`: bounds, conservation, determinism.
#include "common/hash.h"
#include "system/collective-bounds.h"
#include "system/collective-plan.h"
#include "tests/support/case-count.h"
#include "tests/support/draw-packet-case.h"
#include "tests/support/endpoint-algorithms.h"
#include "tests/support/keeps-bounds.h"
#include "tests/support/packet-forms.h"
#include "tests/support/random-network.h"

#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

RunResults
RunAnalytical(const std::string& yaml, std::optional<uint64_t> scrambleSeed = std::nullopt)
{
    return RunYaml({.yaml = yaml,
                    .settings = {"network.backend=analytical", "network.packet.buffer=1 GB"},
                    .scrambleSeed = scrambleSeed});
}

void
CheckAnalyticalBounds(const PacketCase& net)
{
    CAPTURE(net.Yaml());
    const RunResults results = RunAnalytical(net.Yaml());
    REQUIRE(results.status == RunStatus::Done);
    REQUIRE(results.collectives.size() == 1);
    const CollectiveResult& collective = results.collectives[0];
    CHECK(KeepsBounds(collective));
    const CollectiveExtent extent{net.type, net.size, net.ranks};
    CHECK(results.BytesSent() >= ComputeMandatoryTraffic(extent, MemberRole::Root).out);
    CHECK(results.BytesSent() >= ComputeAverageTraffic(extent) * net.ranks);
    // There are no control frames: links carried what was sent and the headers, once per hop.
    Bytes carried;
    uint64_t packets = 0;
    for (const LinkCounters& link : results.links)
    {
        carried += link.bytes;
        packets += link.packets;
    }
    CHECK(packets == results.totals.packetHops);
    CHECK(carried >= results.BytesSent() + net.header * static_cast<int64_t>(packets));
}

} // namespace

TEST_CASE("Analytical network: no algorithm beats the lower bound of its collective",
          "[property][network]")
{
    const uint32_t cases = CaseCount{.reduced = 2, .normal = 12, .full = 100}.Pick();
    for (const CollectiveType type : AllCollectiveTypes())
    {
        for (const std::string& name : EndpointAlgorithmsFor(type))
        {
            for (uint32_t seed = 0; seed < cases; ++seed)
            {
                CheckAnalyticalBounds(DrawCase(name, type, seed));
            }
        }
    }
}

TEST_CASE("Analytical network: the order in which events of an instant run changes nothing",
          "[property][network]")
{
    const uint32_t cases = CaseCount{.reduced = 10, .normal = 60, .full = 600}.Pick();
    for (uint64_t seed = 0; seed < cases; ++seed)
    {
        const std::string yaml = RandomNetwork(seed).Yaml();
        CAPTURE(yaml);
        const RunResults plain = RunAnalytical(yaml);
        REQUIRE(plain.status == RunStatus::Done);
        REQUIRE(RunAnalytical(yaml, 1).digest == plain.digest);
        REQUIRE(RunAnalytical(yaml, 2).digest == plain.digest);
    }
}
