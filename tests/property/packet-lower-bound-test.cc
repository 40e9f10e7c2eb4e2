// SPDX-License-Identifier: GPL-2.0-only
// Every algorithm and collective that is registered, on packets: bounds and conservation.
#include "common/hash.h"
#include "system/collective-bounds.h"
#include "system/collective-plan.h"
#include "tests/support/case-count.h"
#include "tests/support/draw-packet-case.h"
#include "tests/support/endpoint-algorithms.h"
#include "tests/support/keeps-bounds.h"
#include "tests/support/packet-forms.h"

#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

void
CheckPacketBounds(const PacketCase& net)
{
    CAPTURE(net.Yaml());
    const RunResults results = net.Run();
    REQUIRE(results.collectives.size() == 1);
    const CollectiveResult& collective = results.collectives[0];
    CHECK(KeepsBounds(collective));
    CHECK(collective.lowerBound >= net.latency); // an NPU away, at least
    const CollectiveExtent extent{net.type, net.size, net.ranks};
    CHECK(results.BytesSent() >= ComputeMandatoryTraffic(extent, MemberRole::Root).out);
    CHECK(results.BytesSent() >= ComputeAverageTraffic(extent) * net.ranks);
    // Links carried what NPUs sent, on every hop, and nothing else: frames and control frames.
    Bytes carried;
    uint64_t packets = 0;
    for (const LinkCounters& link : results.links)
    {
        carried += link.bytes;
        packets += link.packets;
    }
    CHECK(packets == results.totals.packetHops);
    CHECK(results.totals.packetHops >= results.totals.packets);
    CHECK(carried >= results.BytesSent() + net.header * static_cast<int64_t>(packets));
}

} // namespace

TEST_CASE("Packet network: no algorithm beats the lower bound of its collective",
          "[property][packet]")
{
    const uint32_t cases = CaseCount{.reduced = 2, .normal = 12, .full = 100}.Pick();
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const std::vector<std::string> names = EndpointAlgorithmsFor(type);
        REQUIRE_FALSE(names.empty());
        for (const std::string& name : names)
        {
            for (uint32_t seed = 0; seed < cases; ++seed)
            {
                CheckPacketBounds(DrawCase(name, type, seed));
            }
        }
    }
}
