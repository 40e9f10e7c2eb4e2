// SPDX-License-Identifier: GPL-2.0-only
// What the memo answers is what the network would have answered: deliveries and counters are equal
// with and without it, also where answers are given up at any instant.
#include "network/topology-generator.h"
#include "tests/support/case-count.h"
#include "tests/support/draws.h"
#include "tests/support/packet-net.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <tuple>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Leaves with `npus` NPUs each, all joined by two spines.
Topology
MakeLeaves(uint32_t leaves, uint32_t npus, SimTime latency)
{
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(100'000'000'000);
    Topology topology;
    for (uint32_t i = 0; i < leaves * npus; ++i)
    {
        topology.AddVertex(VertexKind::Npu, fmt::format("npu{}", i));
    }
    for (uint32_t i = 0; i < leaves + 2; ++i)
    {
        topology.AddVertex(VertexKind::Switch, fmt::format("switch{}", i));
    }
    for (uint32_t i = 0; i < leaves * npus; ++i)
    {
        topology.AddLink(VertexId{i}, VertexId{leaves * npus + i / npus}, rate, latency);
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < 2; ++spine)
        {
            topology.AddLink(VertexId{leaves * npus + leaf},
                             VertexId{leaves * npus + leaves + spine},
                             rate,
                             latency);
        }
    }
    return topology;
}

Topology
DrawTopology(Draws& draws)
{
    const SimTime latency =
        SimTime::FromPs(std::vector<int64_t>{0, 1, 85'120, 500'000}.at(draws.Below(4)));
    const auto npus = static_cast<uint32_t>(2 + draws.Below(4));
    switch (draws.Below(3))
    {
    case 0:
        return MakeStar(npus + 2, Bandwidth::FromBitsPerSecond(100'000'000'000), latency);
    case 1:
        return MakeLine(npus + 1, Bandwidth::FromBitsPerSecond(100'000'000'000), latency);
    default:
        return MakeLeaves(static_cast<uint32_t>(2 + draws.Below(2)), npus, latency);
    }
}

PacketOptions
DrawOptions(Draws& draws)
{
    PacketOptions options;
    options.payload = Bytes(draws.Below(2) == 0 ? 1000 : 4096);
    options.trains = draws.Below(4) != 0;
    switch (draws.Below(8))
    {
    case 0:
        options.congestionControl.name =
            std::vector<std::string>{"dcqcn", "hpcc", "timely", "swift", "dctcp"}.at(
                draws.Below(5));
        break;
    case 1:
        options.pfc = PfcOptions();
        options.buffer = Bytes(draws.Below(2) == 0 ? 4'000'000 : 400'000);
        break;
    case 2:
        options.ecn = EcnOptions{Bytes(draws.Below(2) == 0 ? 0 : 3000), Bytes(20'000), 0.5};
        options.congestionControl.name = draws.Below(2) == 0 ? "dcqcn" : "none";
        break;
    case 3:
        options.window = {WindowChoice::Kind::Fixed, Bytes(10'000)};
        break;
    case 4:
        options.framesPerAcknowledgement = static_cast<uint32_t>(1 + draws.Below(3));
        break;
    default:
        break;
    }
    return options;
}

struct Sending
{
    SimTime at;
    Message message;
    bool isAnswered = false; ///< the receiver sends as much back as soon as it has it
};

/// A few messages, again and again: from the same ranks or from others, now or later, mostly the
/// same.
std::vector<Sending>
DrawTraffic(Draws& draws, uint32_t npus)
{
    std::vector<Sending> pattern;
    const uint64_t length = 1 + draws.Below(5);
    for (uint64_t i = 0; i < length; ++i)
    {
        const auto source = static_cast<uint32_t>(draws.Below(npus));
        const auto step = static_cast<uint32_t>(1 + draws.Below(npus - 1));
        const SimTime at = SimTime::FromPs(
            draws.Below(2) == 0 ? 0 : static_cast<int64_t>(draws.Below(20) * 85'120 / 2));
        const auto size = static_cast<int64_t>(draws.Below(4) == 0 ? 0 : draws.Below(20'000));
        pattern.push_back(
            {at, MakeMessage(source, (source + step) % npus, Bytes(size)), draws.Below(3) == 0});
    }
    std::vector<Sending> all;
    const uint64_t copies = 2 + draws.Below(6);
    const uint64_t shift = draws.Below(3) == 0 ? 1 : draws.Below(npus);
    for (uint64_t copy = 0; copy < copies; ++copy)
    {
        const SimTime later = SimTime::FromPs(static_cast<int64_t>(
            draws.Below(4) == 0 ? draws.Below(100) * 1'000'000 : draws.Below(6) * 30'000'000));
        // The traffic of a rank pair goes on, or each time is a call of its own.
        const uint64_t stream = draws.Below(3) == 0 ? 0 : 1 + copy;
        for (Sending sending : pattern)
        {
            if (draws.Below(12) == 0)
            {
                continue;
            }
            const auto turn = static_cast<uint32_t>(shift * copy);
            sending.at = sending.at + later;
            sending.message.source.value = (sending.message.source.value + turn) % npus;
            sending.message.destination.value = (sending.message.destination.value + turn) % npus;
            sending.message.stream = StreamId{stream};
            sending.message.key = {copy, all.size()};
            all.push_back(sending);
        }
    }
    return all;
}

/// Messages that must arrive when they do without a memo.
struct MessageCase
{
    PacketOptions options; ///< its seed is that of the topology, too
    std::vector<Sending> traffic;

    std::string Describe() const
    {
        std::string text;
        for (const Sending& sending : traffic)
        {
            const Message& message = sending.message;
            text += fmt::format("at {} ps: {} to {}, {} bytes, stream {}{}\n",
                                sending.at.Ps(),
                                message.source.value,
                                message.destination.value,
                                message.size.Count(),
                                message.stream.value,
                                sending.isAnswered ? ", answered" : "");
        }
        return text;
    }
};

MessageCase
DrawCase(uint64_t seed)
{
    Draws draws(seed);
    const uint32_t npus = DrawTopology(draws).NpuCount();
    MessageCase drawn{.options = DrawOptions(draws), .traffic = {}};
    drawn.options.seed = seed;
    drawn.traffic = DrawTraffic(draws, npus);
    return drawn;
}

/// What a memo may do.
struct MemoUse
{
    bool isOn = true;
    uint32_t interrupt = 0; ///< answers are given up with one chance in this number; 0: never
    uint64_t words = PacketOptions().memoWords;
};

struct Outcome
{
    std::vector<std::optional<SimTime>> delivered;
    std::vector<std::tuple<Bytes, uint64_t, Bytes, uint64_t, uint64_t, SimTime>> links;
    uint64_t slowdowns = 0;
    bool hasHeldFrames = false;
    uint64_t answered = 0;
};

Outcome
Run(const MessageCase& test, const MemoUse& use)
{
    const std::vector<Sending>& traffic = test.traffic;
    Draws draws(test.options.seed);
    Topology topology = DrawTopology(draws);
    const uint32_t links = topology.LinkCount();
    PacketOptions options = test.options;
    options.memo = use.isOn;
    options.memoInterrupt = use.interrupt;
    options.memoWords = use.words;
    PacketNet net(std::move(topology), options);
    for (const Sending& sending : traffic)
    {
        net.SendAt(sending.at, sending.message);
    }
    net.SetHook(
        [&](const Delivery& delivery)
        {
            const uint64_t token = delivery.message.token;
            if (token < traffic.size() && traffic[token].isAnswered)
            {
                Message answer = delivery.message;
                std::swap(answer.source, answer.destination);
                answer.key.minor += 1000;
                net.SendAt(net.Loop().Now(), answer);
            }
        });
    net.Run();
    Outcome outcome{.delivered = net.AllDelivered(), .links = {}};
    for (uint32_t link = 0; link < links; ++link)
    {
        const LinkCounters read = net.Link(link);
        outcome.links.emplace_back(
            read.bytes, read.packets, read.maxQueue, read.ecnMarks, read.pauses, read.paused);
    }
    const NetworkTotals totals = net.Backend().ReadTotals();
    outcome.slowdowns = totals.slowdowns;
    outcome.hasHeldFrames = totals.hasHeldFrames;
    outcome.answered = totals.memoAnswered;
    return outcome;
}

bool
AreEqual(const Outcome& a, const Outcome& b)
{
    return a.delivered == b.delivered && a.links == b.links && a.slowdowns == b.slowdowns &&
           a.hasHeldFrames == b.hasHeldFrames;
}

/// Whether the memo changes what happens.
bool
IsChanged(const MessageCase& test, const MemoUse& use)
{
    return !AreEqual(Run(test, use), Run(test, {.isOn = false}));
}

/// Without the messages that are not needed. Requires: it is wrong.
MessageCase
LeaveOutMessages(MessageCase wrong, const MemoUse& use)
{
    for (size_t at = wrong.traffic.size(); at-- > 0;)
    {
        MessageCase fewer = wrong;
        fewer.traffic.erase(fewer.traffic.begin() + static_cast<std::ptrdiff_t>(at));
        if (IsChanged(fewer, use))
        {
            wrong = std::move(fewer);
        }
    }
    return wrong;
}

} // namespace

TEST_CASE("Memo: messages arrive, and links count, as without it", "[property][packet][memo]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 12, .normal = 150, .full = 20'000}.Pick();
    uint64_t answered = 0;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        const MessageCase drawn = DrawCase(seed);
        const Outcome without = Run(drawn, {.isOn = false});
        // Every second entry, and every one, on the average; from no room for anything to room for
        // nearly all.
        for (const MemoUse& use : {MemoUse(),
                                   MemoUse{.interrupt = 2},
                                   MemoUse{.interrupt = 1},
                                   MemoUse{.words = uint64_t{1} << seed % 13}})
        {
            const Outcome with = Run(drawn, use);
            const bool isFree = use.interrupt == 0 && use.words == MemoUse().words;
            answered += isFree && with.answered > 0 ? 1 : 0;
            if (AreEqual(with, without))
            {
                continue;
            }
            const MessageCase least = LeaveOutMessages(drawn, use);
            UNSCOPED_INFO("seed " << seed << ", given up one in " << use.interrupt << ", "
                                  << use.words << " words, made as small as possible:\n"
                                  << least.Describe());
            REQUIRE_FALSE(IsChanged(least, use));
        }
    }
    // Else nothing was tested.
    CHECK(answered > count / 4);
}
