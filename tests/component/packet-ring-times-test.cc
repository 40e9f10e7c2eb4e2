// SPDX-License-Identifier: GPL-2.0-only
// Rings, alone on their network: times to the picosecond.
#include "tests/support/packet-forms.h"

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Nothing, a byte, less than a shard each, indivisible, whole frames, more than a frame.
const std::vector<Bytes> SIZES{
    Bytes(0), Bytes(1), Bytes(1000), Bytes(40'007), Bytes(8 * 4096), Bytes(240'000)};

/// The one-way ring of a buffer: what a member receives in a step is what it sends in the next, so
/// each shard goes round by itself, and the largest one, of ceil(S / p), ends last. Shards differ
/// by a byte, so they stay less than a latency apart and never meet at a port.
SimTime
RingTime(const PacketCase& net, Bytes buffer)
{
    const int64_t round = net.Ranks() - 1;
    const Bytes shard =
        net.type == CollectiveType::AllGather ? net.size : LargestPart(buffer, net.Ranks());
    const SimTime message = MessageTime(net, shard, net.Hops());
    const SimTime scatter = (message + ReduceTime(net, shard)) * round;
    const SimTime gather = (message + CopyTime(net)) * round;
    switch (net.type)
    {
    case CollectiveType::AllReduce:
        return scatter + gather;
    case CollectiveType::ReduceScatter:
        return scatter;
    default:
        return gather; // all-gather; a barrier is one of nothing
    }
}

void
CheckTime(const PacketCase& net, SimTime expected)
{
    CAPTURE(net.Yaml());
    const RunResults results = net.Run();
    CHECK(results.finish == expected);
    REQUIRE(results.collectives.size() == 1);
    CHECK(results.collectives[0].lowerBound <= expected);
}

} // namespace

TEST_CASE("Ring: an all-reduce takes 2 (p - 1) messages of the largest shard, to the picosecond",
          "[component][packet]")
{
    for (const char* shape : {"switch", "ring"})
    {
        for (const uint32_t ranks : {2U, 3U, 4U, 5U, 8U})
        {
            for (const Bytes size : SIZES)
            {
                const PacketCase net{.shape = shape, .ranks = ranks, .size = size};
                CheckTime(net, RingTime(net, size));
            }
        }
    }
}

TEST_CASE("Ring: reduce-scatter and all-gather take p - 1 messages, a barrier both of nothing",
          "[component][packet]")
{
    for (const CollectiveType type :
         {CollectiveType::ReduceScatter, CollectiveType::AllGather, CollectiveType::Barrier})
    {
        for (const uint32_t ranks : {2U, 5U, 8U})
        {
            const Bytes size(type == CollectiveType::Barrier ? 0 : 40'007);
            const PacketCase net{.shape = "ring", .ranks = ranks, .type = type, .size = size};
            CheckTime(net, RingTime(net, size));
        }
    }
}

TEST_CASE("Ring: the time follows payload, header, rate, latency, endpoint and reduction",
          "[component][packet]")
{
    const PacketCase base{.shape = "switch", .ranks = 5, .size = Bytes(100'001)};
    std::vector<PacketCase> cases(7, base);
    cases[0].payload = Bytes(1000);
    cases[1].header = Bytes(0);
    cases[2].rate = Bandwidth::FromBytesPerSecond(62'000'000'000); // no whole ps per byte
    cases[3].latency = SimTime::FromPs(1'234'567);
    cases[4].endpointDelay = SimTime::FromNs(333);
    cases[5].reduction = Bandwidth::FromBytesPerSecond(7'000'000'000);
    cases[6].header = Bytes(0);
    cases[6].size = Bytes(0);
    for (const PacketCase& net : cases)
    {
        CheckTime(net, RingTime(net, net.size));
    }
}

TEST_CASE("BidirectionalRing: halves go both ways, the larger half decides", "[component][packet]")
{
    for (const uint32_t ranks : {3U, 4U, 5U, 8U})
    {
        for (const Bytes size : SIZES)
        {
            const PacketCase net{
                .shape = "ring", .ranks = ranks, .algorithm = "bidirectional-ring", .size = size};
            CheckTime(net, RingTime(net, LargestPart(size, 2)));
        }
    }
}

TEST_CASE("BidirectionalRing: two members have one link, and the whole buffer takes it",
          "[component][packet]")
{
    const PacketCase net{
        .shape = "ring", .ranks = 2, .algorithm = "bidirectional-ring", .size = Bytes(100'001)};
    CheckTime(net, RingTime(net, net.size));
}

TEST_CASE("BidirectionalRing: without endpoint delay, each step waits for an acknowledgement",
          "[component][packet]")
{
    // At the end of a step both deliveries are acknowledged on the links that the next messages
    // take, and a control frame goes first.
    PacketCase net{.shape = "ring",
                   .ranks = 4,
                   .algorithm = "bidirectional-ring",
                   .size = Bytes(8 * 4096),
                   .endpointDelay = SimTime()};
    const int64_t steps = 2 * (net.Ranks() - 1);
    const SimTime acknowledgement = net.controlFrame / net.rate;
    CheckTime(net, RingTime(net, LargestPart(net.size, 2)) + acknowledgement * (steps - 1));
    net.controlFrame = Bytes(1000);
    CheckTime(
        net, RingTime(net, LargestPart(net.size, 2)) + (net.controlFrame / net.rate) * (steps - 1));
}
