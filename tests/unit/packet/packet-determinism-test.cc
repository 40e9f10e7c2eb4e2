// SPDX-License-Identifier: GPL-2.0-only
// No outcome depends on the order in which simultaneous events are executed.
#include "common/hash.h"
#include "tests/support/packet-net.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <tuple>

using namespace nadi;

namespace
{

/// Everything that must not depend on the order of execution.
struct Outcome
{
    std::vector<std::optional<SimTime>> delivered;
    std::vector<std::tuple<Bytes, uint64_t, Bytes>> links;

    bool operator==(const Outcome&) const = default;
};

/// A square of `side` x `side` NPUs with wrap-around, and one switch that joins the diagonal.
Topology
MakeTorusWithSwitch(uint32_t side, SimTime latency)
{
    Topology topology;
    for (uint32_t i = 0; i < side * side; ++i)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    const VertexId middle = topology.AddVertex(VertexKind::Switch, "switch");
    for (uint32_t i = 0; i < side * side; ++i)
    {
        const uint32_t right = i - i % side + (i + 1) % side;
        const uint32_t below = (i + side) % (side * side);
        topology.AddLink(VertexId{i}, VertexId{right}, RATE, latency);
        topology.AddLink(VertexId{i}, VertexId{below}, RATE, latency);
    }
    for (uint32_t i = 0; i < side * side; i += side + 1)
    {
        topology.AddLink(VertexId{i}, middle, RATE, latency);
    }
    return topology;
}

/// Random messages at whole frame times, each answered at the instant of its delivery.
Outcome
RunRandomTraffic(uint64_t seed, SimTime latency, std::optional<uint64_t> scrambleSeed)
{
    const uint32_t side = 4;
    const uint64_t messages = 300;
    PacketOptions options;
    options.framesPerAcknowledgement = static_cast<uint32_t>(seed % 3);
    options.scrambleSeed = scrambleSeed;
    const SimTime frame = (options.payload + options.header) / RATE;
    PacketNet net(MakeTorusWithSwitch(side, latency), options);
    for (uint64_t i = 0; i < messages; ++i)
    {
        const uint64_t random = Hash64({seed, i});
        const auto source = static_cast<uint32_t>(random % 16);
        const auto destination = static_cast<uint32_t>((source + 1 + (random >> 8) % 15) % 16);
        const Bytes size(options.payload.Count() / 2 * static_cast<int64_t>((random >> 16) % 9));
        Message message = MakeMessage(source, destination, size, (random >> 24) % 3);
        message.key.minor = i;
        net.SendAt(frame * static_cast<int64_t>((random >> 32) % 20), message);
    }
    net.SetHook(
        [&net, messages](const Delivery& delivery)
        {
            if (delivery.message.key.minor < messages)
            {
                Message answer = delivery.message;
                std::swap(answer.source, answer.destination);
                answer.key.minor += messages;
                net.SendAt(delivery.delivered, answer);
            }
        });
    net.Run();
    Outcome outcome{net.AllDelivered(), {}};
    for (uint32_t link = 0; link < net.GetTopology().LinkCount(); ++link)
    {
        const LinkCounters counters = net.Link(link);
        outcome.links.emplace_back(counters.bytes, counters.packets, counters.maxQueue);
    }
    return outcome;
}

} // namespace

TEST_CASE("PacketBackend: a scrambled order of simultaneous events changes nothing",
          "[unit][packet]")
{
    const SimTime latency = GENERATE(SimTime(), SimTime::FromPs(83'200), SimTime::FromNs(500));
    const uint64_t seed = GENERATE(range(1, 7));
    const Outcome straight = RunRandomTraffic(seed, latency, std::nullopt);
    REQUIRE(straight.delivered.size() == 600);
    for (const auto& delivered : straight.delivered)
    {
        REQUIRE(delivered);
    }
    CHECK(RunRandomTraffic(seed, latency, std::nullopt) == straight);
    for (const uint64_t scrambleSeed : {0U, 1U, 2U})
    {
        CHECK(RunRandomTraffic(seed, latency, scrambleSeed) == straight);
    }
}
