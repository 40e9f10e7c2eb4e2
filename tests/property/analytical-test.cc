// SPDX-License-Identifier: GPL-2.0-only
// Every algorithm and collective that is registered, and whole random runs, on the backend
// `analytical`: bounds, conservation, determinism.
#include "common/hash.h"
#include "system/collective-bounds.h"
#include "system/collective-plan.h"
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

void
CheckBounds(const PacketCase& net)
{
    CAPTURE(net.Yaml());
    const RunResults results = RunAnalytical(net.Yaml());
    REQUIRE(results.status == RunStatus::Done);
    REQUIRE(results.collectives.size() == 1);
    const CollectiveResult& collective = results.collectives[0];
    CHECK(collective.record.end - collective.record.start >= collective.lowerBound);
    const CollectiveExtent extent{net.type, net.size, net.ranks};
    CHECK(results.BytesSent() >= ComputeMandatoryTraffic(extent, MemberRole::Root).out);
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
        for (const std::string& name : AlgorithmsFor(type))
        {
            for (uint32_t seed = 0; seed < cases; ++seed)
            {
                CheckBounds(DrawCase(name, type, seed));
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
