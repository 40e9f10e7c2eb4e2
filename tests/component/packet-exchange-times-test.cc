// SPDX-License-Identifier: GPL-2.0-only
// Direct exchanges, halving-doubling and trees, alone on their network.
#include "tests/support/packet-forms.h"

#include <bit>

using namespace nadi;
using namespace nadi::test;

namespace
{

SimTime
Finish(const PacketCase& net)
{
    const RunResults results = net.Run();
    REQUIRE(results.collectives.size() == 1);
    CHECK(results.finish >= results.collectives[0].lowerBound);
    return results.finish;
}

/// Every pair has a link of its own: a stage takes as long as its largest message. In the second
/// stage of an all-reduce a rank begins when it has its own shard from all, so the owners of the
/// largest shard are both the last to begin and the slowest to send.
SimTime
DirectTime(const PacketCase& net)
{
    const Bytes shard = LargestPart(net.size, net.Ranks());
    const SimTime scatter = MessageTime(net, shard, 1);
    switch (net.type)
    {
    case CollectiveType::AllReduce:
        return scatter * 2 + ReduceTime(net, shard) + CopyTime(net);
    case CollectiveType::ReduceScatter:
        return scatter + ReduceTime(net, shard);
    case CollectiveType::AllToAll:
        return scatter + CopyTime(net);
    default:
        return MessageTime(net, net.size, 1) + CopyTime(net); // all-gather, barrier
    }
}

/// The messages of a rank take turns at its port, frame by frame, by destination from the next rank
/// on. So in each slot every rank gets one frame, and its port never rests from the first frame's
/// arrival at the switch until it has carried p - 1 messages. Short last frames follow on the heels
/// of the full ones.
///
/// Requires: equal messages; latency >= (p - 1) frames, so that acknowledgements find idle ports.
SimTime
OnePortStage(const PacketCase& net, Bytes message)
{
    const int64_t others = net.Ranks() - 1;
    const SimTime firstFrame = FrameTime(net, std::min(message, net.payload));
    REQUIRE(net.latency >= FrameTime(net, net.payload) * others);
    return firstFrame + PortTime(net, message) * others + net.latency * 2;
}

/// Level by level a rank exchanges half of its group's shards, half / p of the buffer rounded by
/// `part`, with one partner; then the same back.
template <typename Part>
SimTime
HalvingTime(const PacketCase& net, Part part)
{
    SimTime time;
    for (int64_t half = net.Ranks() / 2; half >= 1; half /= 2)
    {
        const Bytes size = part(net.size * half, net.Ranks());
        const SimTime message = MessageTime(net, size, net.Hops());
        time += message * 2 + ReduceTime(net, size) + CopyTime(net);
    }
    return time;
}

} // namespace

TEST_CASE("Direct: on links of their own all messages go at once, to the picosecond",
          "[component][packet]")
{
    for (const CollectiveType type : {CollectiveType::AllReduce,
                                      CollectiveType::ReduceScatter,
                                      CollectiveType::AllToAll,
                                      CollectiveType::AllGather,
                                      CollectiveType::Barrier})
    {
        for (const uint32_t ranks : {2U, 3U, 5U, 8U})
        {
            for (const int64_t size : {0, 1, 40'007, 8 * 4096, 240'000})
            {
                PacketCase net{.shape = "fully-connected",
                               .ranks = ranks,
                               .type = type,
                               .algorithm = "direct",
                               .size = Bytes(type == CollectiveType::Barrier ? 0 : size)};
                net.reduction = Bandwidth::FromBytesPerSecond(9'000'000'000);
                CAPTURE(net.Yaml());
                CHECK(Finish(net) == DirectTime(net));
            }
        }
    }
}

TEST_CASE("Direct: through one port a stage takes p - 1 messages and a first frame",
          "[component][packet]")
{
    for (const CollectiveType type :
         {CollectiveType::ReduceScatter, CollectiveType::AllToAll, CollectiveType::AllGather})
    {
        for (const uint32_t ranks : {2U, 3U, 4U, 5U, 8U})
        {
            for (const int64_t message : {1, 500, 4096, 3 * 4096, 10'000, 30'000})
            {
                const bool isWhole = type == CollectiveType::AllGather;
                const PacketCase net{.ranks = ranks,
                                     .type = type,
                                     .algorithm = "direct",
                                     .size = Bytes(message) * (isWhole ? 1 : ranks),
                                     .latency = SimTime::FromUs(2)};
                CAPTURE(net.Yaml());
                CHECK(Finish(net) == OnePortStage(net, Bytes(message)) + net.endpointDelay);
            }
        }
    }
}

TEST_CASE("Direct: through one port an all-reduce takes between two ideal and two work-conserving "
          "stages",
          "[component][packet]")
{
    for (const uint32_t ranks : {2U, 3U, 5U, 8U})
    {
        const Bytes shard(30'000);
        const PacketCase net{.ranks = ranks,
                             .algorithm = "direct",
                             .size = shard * ranks,
                             .latency = SimTime::FromUs(2)};
        CAPTURE(net.Yaml());
        const int64_t others = net.Ranks() - 1;
        const SimTime port = PortTime(net, shard) * others;
        const SimTime frame = FrameTime(net, net.payload);
        const SimTime path = net.latency * 2 + net.endpointDelay;
        const SimTime finish = Finish(net);
        CHECK(finish >= (port + frame + path) * 2);
        // The first stage is exact. In the second, no port rests while it has frames: all have left
        // their NPUs after a port's time, and the switch after another, acknowledgements included.
        const SimTime acknowledgements = (net.controlFrame / net.rate) * others * 2;
        CHECK(finish <=
              OnePortStage(net, shard) + port * 2 + path + net.endpointDelay + acknowledgements);
    }
}

TEST_CASE("HalvingDoubling: for a power of two the sum of its levels, to the picosecond",
          "[component][packet]")
{
    for (const uint32_t ranks : {2U, 4U, 8U, 16U})
    {
        for (const int64_t shard : {0, 1, 1000, 4096, 5 * 4096, 30'000})
        {
            PacketCase net{
                .ranks = ranks, .algorithm = "halving-doubling", .size = Bytes(shard) * ranks};
            net.reduction = Bandwidth::FromBytesPerSecond(9'000'000'000);
            CAPTURE(net.Yaml());
            CHECK(Finish(net) == HalvingTime(net, LargestPart));
        }
    }
}

TEST_CASE("HalvingDoubling: what is not divisible lies between the sizes rounded down and up",
          "[component][packet]")
{
    for (const uint32_t ranks : {4U, 8U})
    {
        for (const int64_t size : {1, 7, 40'007, 240'001})
        {
            const PacketCase net{
                .ranks = ranks, .algorithm = "halving-doubling", .size = Bytes(size)};
            CAPTURE(net.Yaml());
            const SimTime finish = Finish(net);
            CHECK(finish >= HalvingTime(net, SmallestPart));
            CHECK(finish <= HalvingTime(net, LargestPart));
        }
    }
}

TEST_CASE("HalvingDoubling: other numbers of ranks pay at most one message more per level",
          "[component][packet]")
{
    for (const uint32_t ranks : {3U, 5U, 6U, 7U, 11U})
    {
        for (const int64_t size : {0, 40'007, 240'000})
        {
            const PacketCase net{
                .ranks = ranks, .algorithm = "halving-doubling", .size = Bytes(size)};
            CAPTURE(net.Yaml());
            const SimTime finish = Finish(net);
            // A level of m ranks: at most two messages of ceil(m / 2) shards to one rank, which
            // share its port.
            SimTime upper;
            for (int64_t block = net.Ranks(); block > 1; block = (block + 1) / 2)
            {
                const Bytes half = LargestPart(net.size * ((block + 1) / 2), net.Ranks());
                upper += (MessageTime(net, half, 2) + PortTime(net, half) + CopyTime(net)) * 2;
            }
            CHECK(finish <= upper);
            // Each rank sends all shards but its own, twice; one message follows another at least.
            const Bytes sent = (net.size - LargestPart(net.size, net.Ranks())) * 2;
            CHECK(finish >= sent / net.rate + (net.latency * 2 + CopyTime(net)) * 2);
        }
    }
}

TEST_CASE("DoubleBinaryTree: at most twice 2 S / b and twice the way up and down",
          "[component][packet]")
{
    const Bytes slice(16 * 1024);
    for (const uint32_t ranks : {2U, 3U, 4U, 5U, 8U, 13U})
    {
        for (const int64_t size : {0, 1, 40'007, 1'000'000})
        {
            const PacketCase net{.ranks = ranks,
                                 .algorithm = "{name: double-binary-tree, slice: 16 KiB}",
                                 .size = Bytes(size)};
            CAPTURE(net.Yaml());
            const auto height = static_cast<int64_t>(std::bit_width(ranks - 1));
            const Bytes largest = std::min(slice, LargestPart(net.size, 2));
            const SimTime step = MessageTime(net, largest, 2) + CopyTime(net);
            const SimTime finish = Finish(net);
            CHECK(finish <= PortTime(net, net.size) * 4 + step * (4 * height));
            // The farthest leaf is floor(log2 p) levels or more from the root, there and back.
            const auto least = static_cast<int64_t>(std::bit_width(ranks)) - 1;
            CHECK(finish >= (MessageTime(net, Bytes(0), 2) + CopyTime(net)) * (2 * least));
        }
    }
}

TEST_CASE("DoubleBinaryTree: many slices come near 2 S / b", "[component][packet]")
{
    for (const uint32_t ranks : {4U, 8U, 13U})
    {
        const PacketCase net{.ranks = ranks,
                             .algorithm = "{name: double-binary-tree, slice: 16 KiB}",
                             .size = Bytes(16'000'000)};
        CAPTURE(net.Yaml());
        // An inner rank of one tree is a leaf of the other: it takes in S on the way up and S on
        // the way down. In a single tree an inner rank takes in S from each child and S from its
        // parent.
        const double ideal = (PortTime(net, net.size) * 2).Ns();
        CHECK(Finish(net).Ns() / ideal < 1.2);
    }
}
