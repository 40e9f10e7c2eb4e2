// SPDX-License-Identifier: GPL-2.0-only
// What a TrainCase is drawn from.
#include "common/hash.h"
#include "tests/support/train-case.h"

#include <fmt/format.h>

namespace nadi::test
{

namespace
{

/// What a seed decides, purpose by purpose.
class Dice
{
  public:
    explicit Dice(uint64_t seed)
        : m_seed(seed)
    {
    }

    uint64_t Roll()
    {
        return Hash64({m_seed, m_rolls++});
    }

    uint64_t Below(uint64_t end)
    {
        return Roll() % end;
    }

    bool OneIn(uint64_t count)
    {
        return Below(count) == 0;
    }

    std::string Pick(const std::vector<std::string>& choices)
    {
        return choices[Below(choices.size())];
    }

  private:
    uint64_t m_seed;
    uint64_t m_rolls = 0;
};

std::string
DrawLink(Dice& dice)
{
    // 1000 + 64 bytes at 100 Gb/s take 85120 ps, 64 bytes 5120 ps.
    const std::string rate = dice.Pick(
        {"100 Gb/s", "100 Gb/s", "100 Gb/s", "50 Gb/s", "25 Gb/s", "33.3 Gb/s", "800 Gb/s"});
    const std::string latency =
        dice.Pick({"0 ns", "85120 ps", "5120 ps", "500 ns", "1234567 ps", "1 ps"});
    return "bandwidth: " + rate + ", latency: " + latency;
}

struct Fabric
{
    std::string text;
    uint32_t npus = 1;
};

Fabric
DrawStack(Dice& dice)
{
    Fabric fabric{"  dimensions:\n", 1};
    const uint64_t dimensions = 1 + dice.Below(3);
    for (uint64_t i = 0; i < dimensions; ++i)
    {
        const auto size = static_cast<uint32_t>(2 + dice.Below(dimensions == 1 ? 9 : 3));
        fabric.npus *= size;
        fabric.text += fmt::format("  - {{shape: {}, size: {}, {}}}\n",
                                   dice.Pick({"ring", "switch", "fully-connected", "mesh"}),
                                   size,
                                   DrawLink(dice));
    }
    return fabric;
}

/// One ring that has a dateline where it is lossless, or two, or one and something small.
Fabric
DrawLargeRings(Dice& dice)
{
    Fabric fabric{"  dimensions:\n", 1};
    const uint64_t dimensions = 1 + dice.Below(2);
    for (uint64_t i = 0; i < dimensions; ++i)
    {
        const bool isLarge = i == 0 || dice.OneIn(3);
        const auto size = static_cast<uint32_t>(isLarge ? 5 + dice.Below(4) : 2 + dice.Below(3));
        fabric.npus *= size;
        fabric.text += fmt::format("  - {{shape: {}, size: {}, {}}}\n",
                                   isLarge ? "ring" : dice.Pick({"ring", "switch", "mesh"}),
                                   size,
                                   DrawLink(dice));
    }
    return fabric;
}

Fabric
DrawFabric(Dice& dice)
{
    const auto make = [](const std::string& generator, uint32_t npus) {
        return Fabric{"  topology: {generator: " + generator + "}\n", npus};
    };
    const std::string link = DrawLink(dice);
    const std::string uplink = DrawLink(dice);
    const uint64_t twice = 1 + dice.Below(2);
    switch (dice.Below(12))
    {
    case 0:
        return make(fmt::format("leaf-spine, npus: 8, npus-per-leaf: 4, spines: {}, "
                                "uplinks-per-spine: {}, link: {{{}}}, uplink: {{{}}}",
                                1 + dice.Below(2),
                                twice,
                                link,
                                uplink),
                    8);
    case 1:
        return make(
            fmt::format("fat-tree, npus: 16, radix: 4, link: {{{}}}, uplink: {{{}}}", link, uplink),
            16);
    case 2:
        return make(fmt::format("rail, nodes: 3, npus-per-node: 4, spines: 2, nvlink: {{{}}}, nic: "
                                "{{{}}}",
                                link,
                                uplink),
                    12);
    case 3:
        return make(fmt::format("rail, nodes: 2, npus-per-node: 4, spines: 0, nvlink: {{{}}}, nic: "
                                "{{{}}}",
                                link,
                                uplink),
                    8);
    case 4:
        return make(fmt::format("nodes, nodes: 4, npus-per-node: 4, nics-per-node: {}, leaves: 2, "
                                "spines: 1, nvlink: {{{}}}, nic: {{{}}}, pcie: {{{}}}",
                                twice,
                                link,
                                uplink,
                                DrawLink(dice)),
                    16);
    case 5:
        return make(fmt::format("dragonfly, groups: 3, routers-per-group: 2, npus-per-router: {}, "
                                "link: {{{}}}, local: {{{}}}, global: {{{}}}",
                                twice,
                                link,
                                uplink,
                                DrawLink(dice)),
                    static_cast<uint32_t>(6 * twice));
    default:
        return DrawStack(dice);
    }
}

uint64_t
DrawSize(Dice& dice)
{
    switch (dice.Below(12))
    {
    case 0:
        return dice.Below(3); // nothing, or a byte
    case 1:
        return 1000 * dice.Below(50); // whole frames, more often than not
    case 2:
        return 4096 * (1 + dice.Below(20));
    case 3:
    case 4:
    case 5:
        return 64'000;
    case 6:
        return 200'000 + dice.Below(600'000);
    default:
        return dice.Below(dice.OneIn(4) ? 400'000 : 30'000);
    }
}

std::string
DrawFlow(Dice& dice, uint32_t npus, uint32_t sink, bool isFanOut)
{
    const uint32_t source = isFanOut ? sink : static_cast<uint32_t>(dice.Below(npus));
    const auto step = static_cast<uint32_t>(1 + dice.Below(npus - 1));
    uint32_t destination = (source + step) % npus;
    if (sink != source && dice.OneIn(2))
    {
        destination = sink;
    }
    // Starts in one instant, one frame apart, or anywhere.
    const std::string at =
        dice.Pick({"0 ns", "0 ns", "85120 ps", fmt::format("{} ps", dice.Below(20'000'000))});
    return fmt::format(
        "{{src: {}, dst: {}, size: {} B, at: {}}}", source, destination, DrawSize(dice), at);
}

std::string
DrawCollective(Dice& dice)
{
    return fmt::format(
        "{{type: {}, size: {} B}}",
        dice.Pick({"all-reduce", "all-to-all", "all-gather", "reduce-scatter", "broadcast"}),
        1 + dice.Below(dice.OneIn(4) ? 300'000 : 60'000));
}

void
DrawSystem(Dice& dice, TrainCase& drawn)
{
    drawn.settings = {"system.endpoint-delay=" + dice.Pick({"0 ns", "10 ns"}),
                      fmt::format("system.chunks={}", 1 + dice.Below(5)),
                      fmt::format("system.chunks-in-flight={}", 1 + dice.Below(3)),
                      "system.inter-dimension=" + dice.Pick({"baseline", "themis"}),
                      "system.intra-dimension=" + dice.Pick({"fifo", "smallest-first"})};
    if (dice.OneIn(3))
    {
        drawn.settings.push_back(fmt::format("system.sends-in-flight={}", 1 + dice.Below(4)));
    }
    if (dice.OneIn(3))
    {
        drawn.settings.push_back("system.collectives.all-reduce=" +
                                 dice.Pick({"ring", "direct", "halving-doubling"}));
    }
}

void
DrawPacket(Dice& dice, TrainCase& drawn)
{
    const auto set = [&drawn](const std::string& text)
    { drawn.settings.push_back("network.packet." + text); };
    set("payload=" +
        dice.Pick({"1000 B", "1000 B", "256 B", "4096 B", dice.Pick({"64 B", "1500 B"})}));
    set("header=" + dice.Pick({"64 B", "64 B", "0 B"}));
    set("control-frame=" + dice.Pick({"64 B", "1 B", "1064 B"}));
    if (dice.OneIn(4))
    {
        set("switching=cut-through");
    }
    if (dice.OneIn(4))
    {
        set("switch-latency=" + dice.Pick({"300 ns", "5120 ps"}));
    }
    if (dice.OneIn(4))
    {
        // In the instants in which frames begin and end, or not.
        drawn.settings.push_back("output.series=" + dice.Pick({"851200 ps", "5 us", "3333333 ps"}));
    }
}

/// Marks, memory and a congestion control that act in some runs and in others do not.
void
DrawThresholds(Dice& dice, TrainCase& drawn)
{
    const auto set = [&drawn](const std::string& text)
    { drawn.settings.push_back("network.packet." + text); };
    if (!dice.OneIn(3))
    {
        set(fmt::format(
            "ecn={{min: {} B, max: 200 KB, probability: 0.5}}",
            dice.Pick({"0", "1064", "4000", "10000", "10000", "20000", "40000", "100000"})));
        if (!dice.OneIn(3))
        {
            set("congestion-control=dcqcn");
        }
    }
    const uint64_t memory = dice.Below(3);
    if (memory == 0)
    {
        return;
    }
    if (memory == 1)
    {
        set("pfc={headroom: auto, alpha: " +
            dice.Pick({"0.0001", "0.0001", "0.0005", "0.01", "0.125"}) + "}");
        set("buffer=" + dice.Pick({"16 MB", "16 MB", "64 MB"}));
        return;
    }
    set("buffer=" + dice.Pick({"10 KB", "40 KB", "100 KB", "300 KB", "1 MB", "4 MB"}));
    if (dice.OneIn(4))
    {
        set("retransmit-timeout=" + dice.Pick({"3 us", "10 us", "30 us"}));
    }
    if (dice.OneIn(4))
    {
        set("loss-recovery=selective");
    }
}

void
DrawMechanisms(Dice& dice, TrainCase& drawn)
{
    const auto set = [&drawn](const std::string& text)
    { drawn.settings.push_back("network." + text); };
    const std::string rate = "network.faults=[{at: 3 us, until: 9 us, link: all, bandwidth: ";
    switch (dice.Below(16))
    {
    case 0:
        return set("packet.congestion-control=" +
                   dice.Pick({"dcqcn", "hpcc", "timely", "swift", "dctcp"}));
    case 1:
        set("packet.buffer=4 MB");
        return set("packet.pfc=on");
    case 2:
        return set("packet.load-balancing=" + dice.Pick({"spray", "flowlet", "adaptive"}));
    case 3:
        return set("packet.ecn={min: 3 KB, max: 9 KB, probability: 0.5}");
    case 4:
        set("packet.acknowledge=" + dice.Pick({"auto", "message", "message", "7 frames"}));
        return set("packet.window=" +
                   dice.Pick({"bdp", "10 KB", "40 KB", "100 KB", "100 KB", "300 KB", "1 MB"}));
    case 7:
        return set("packet.acknowledge=" +
                   dice.Pick({"frame", "2 frames", "3 frames", "16 frames", "100 frames"}));
    case 5:
        drawn.settings.push_back(rate + dice.Pick({"10 Gb/s", "100 Gb/s"}) + "}]");
        return;
    case 8:
        return set("ns3={\"ns3::FabricPort::Weights\": \"2 3 1 1 1 1 1\"}");
    case 6:
        return set("faults=[{at: 0 ns, link: all, loss: 1e-3}]");
    case 9:
    case 10:
    case 11:
        return DrawThresholds(dice, drawn);
    default:
        return; // many runs have nothing of the kind
    }
}

/// Memories that pause early, or late, and what else may act; two priorities share ports evenly or
/// not.
void
DrawLossless(Dice& dice, TrainCase& drawn)
{
    const auto set = [&drawn](const std::string& text)
    { drawn.settings.push_back("network." + text); };
    set("packet.buffer=" + dice.Pick({"4 MB", "16 MB", "64 MB"}));
    set("packet.pfc={headroom: auto, alpha: " +
        dice.Pick({"0.0001", "0.0005", "0.002", "0.01", "0.125", "1"}) + "}");
    if (dice.OneIn(3))
    {
        set(fmt::format("packet.ecn={{min: {} B, max: 200 KB, probability: 0.5}}",
                        dice.Pick({"0", "4000", "20000", "100000"})));
        set("packet.congestion-control=dcqcn");
    }
    if (dice.OneIn(2))
    {
        set("ns3={\"ns3::FabricPort::Weights\": \"" +
            dice.Pick({"2 3", "0 1", "1 0", "0 0", "4 1"}) + " 1 1 1 1 1\"}");
    }
}

void
DrawFlows(Dice& dice, TrainCase& drawn)
{
    // Few flows meet each other alone: a queue of one frame is then the largest.
    const uint64_t count = dice.OneIn(2) ? 2 + dice.Below(3) : 1 + dice.Below(2 * drawn.npus);
    const auto hub = static_cast<uint32_t>(dice.Below(drawn.npus));
    const bool isFanOut = dice.OneIn(3); // messages that take turns at one NPU
    for (uint64_t i = 0; i < count; ++i)
    {
        drawn.parts.push_back(DrawFlow(dice, drawn.npus, hub, isFanOut && !dice.OneIn(4)));
    }
}

void
DrawParts(Dice& dice, TrainCase& drawn)
{
    switch (drawn.traffic)
    {
    case TrainTraffic::Flows:
        DrawFlows(dice, drawn);
        return;
    case TrainTraffic::Collectives:
        for (uint64_t i = dice.Below(3); i < 3; ++i)
        {
            drawn.parts.push_back(DrawCollective(dice));
        }
        return;
    case TrainTraffic::Job:
        drawn.jobSeed = dice.Roll();
        drawn.parts.resize(1 + dice.Below(8), "operation");
    }
}

/// But for mechanisms.
TrainCase
DrawOn(const Fabric& fabric, Dice& dice)
{
    TrainCase drawn;
    drawn.network = fabric.text;
    drawn.npus = fabric.npus;
    const uint64_t traffic = dice.Below(5);
    drawn.traffic = traffic < 2   ? TrainTraffic::Flows
                    : traffic < 4 ? TrainTraffic::Collectives
                                  : TrainTraffic::Job;
    DrawParts(dice, drawn);
    DrawSystem(dice, drawn);
    DrawPacket(dice, drawn);
    return drawn;
}

} // namespace

TrainCase
DrawTrainCase(uint64_t seed)
{
    Dice dice(seed);
    TrainCase drawn = DrawOn(DrawFabric(dice), dice);
    DrawMechanisms(dice, drawn);
    return drawn;
}

TrainCase
DrawLosslessCase(uint64_t seed)
{
    Dice dice(seed);
    TrainCase drawn = DrawOn(dice.OneIn(3) ? DrawFabric(dice) : DrawLargeRings(dice), dice);
    DrawLossless(dice, drawn);
    return drawn;
}

} // namespace nadi::test
