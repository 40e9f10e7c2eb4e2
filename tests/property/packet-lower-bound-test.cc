// SPDX-License-Identifier: GPL-2.0-only
// Every algorithm and collective that is registered, on packets: bounds and conservation.
#include "common/hash.h"
#include "system/collective-bounds.h"
#include "system/collective-plan.h"
#include "tests/support/packet-forms.h"

#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

void
CheckBounds(const PacketCase& net)
{
    CAPTURE(net.Yaml());
    const RunResults results = net.Run();
    REQUIRE(results.collectives.size() == 1);
    const CollectiveResult& collective = results.collectives[0];
    CHECK(collective.record.end - collective.record.start >= collective.lowerBound);
    CHECK(collective.lowerBound >= net.latency); // an NPU away, at least
    const CollectiveExtent extent{net.type, net.size, net.ranks};
    CHECK(results.BytesSent() >= ComputeMandatoryTraffic(extent, MemberRole::Root).out);
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

PacketCase
DrawCase(const std::string& algorithm, CollectiveType type, uint64_t seed)
{
    const auto draw = [&](uint64_t purpose) {
        return Hash64({seed, purpose, static_cast<uint64_t>(type)});
    };
    const std::vector<std::string> shapes{"ring", "switch", "fully-connected", "mesh"};
    const std::vector<int64_t> sizes{0, 1, 13, 4096, 30'000, 262'144};
    PacketCase net{.shape = shapes[draw(1) % shapes.size()],
                   .ranks = static_cast<uint32_t>(2 + draw(2) % 12),
                   .type = type,
                   .algorithm = algorithm,
                   .size = Bytes(sizes[draw(3) % sizes.size()])};
    net.payload = Bytes(draw(4) % 2 == 0 ? 4096 : 1000);
    net.header = Bytes(draw(5) % 3 == 0 ? 0 : 64);
    net.latency = SimTime::FromNs(static_cast<int64_t>(draw(6) % 600));
    net.endpointDelay = SimTime::FromNs(draw(7) % 2 == 0 ? 0 : 10);
    net.size = type == CollectiveType::Barrier ? Bytes(0) : net.size;
    return net;
}

} // namespace

TEST_CASE("Packet network: no algorithm beats the lower bound of its collective",
          "[property][packet]")
{
    const uint32_t cases = CaseCount{.reduced = 2, .normal = 12, .full = 100}.Pick();
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const std::vector<std::string> names = AlgorithmsFor(type);
        REQUIRE_FALSE(names.empty());
        for (const std::string& name : names)
        {
            for (uint32_t seed = 0; seed < cases; ++seed)
            {
                CheckBounds(DrawCase(name, type, seed));
            }
        }
    }
}
