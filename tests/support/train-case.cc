// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/train-case.h"

#include "common/hash.h"
#include "tests/support/run-yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

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
    const std::string rate =
        dice.Pick({"100 Gb/s", "100 Gb/s", "100 Gb/s", "50 Gb/s", "25 Gb/s", "33.3 Gb/s"});
    const std::string latency = dice.Pick({"0 ns", "85120 ps", "5120 ps", "500 ns", "1234567 ps"});
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

Fabric
DrawFabric(Dice& dice)
{
    const auto make = [](const std::string& generator, uint32_t npus) {
        return Fabric{"  topology: {generator: " + generator + "}\n", npus};
    };
    const std::string link = DrawLink(dice);
    const std::string uplink = DrawLink(dice);
    switch (dice.Below(8))
    {
    case 0:
        return make(fmt::format("leaf-spine, npus: 8, npus-per-leaf: 4, spines: 2, link: {{{}}}, "
                                "uplink: {{{}}}",
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
    default:
        return DrawStack(dice);
    }
}

std::string
DrawFlow(Dice& dice, uint32_t npus, uint32_t sink)
{
    const auto source = static_cast<uint32_t>(dice.Below(npus));
    const auto step = static_cast<uint32_t>(1 + dice.Below(npus - 1));
    uint32_t destination = (source + step) % npus;
    if (sink != source && dice.OneIn(2))
    {
        destination = sink;
    }
    // Starts in one instant, one frame apart, or anywhere.
    const std::string at =
        dice.Pick({"0 ns", "0 ns", "85120 ps", fmt::format("{} ps", dice.Below(20'000'000))});
    const uint64_t size = dice.OneIn(3) ? 64'000 : dice.Below(dice.OneIn(4) ? 400'000 : 30'000);
    return fmt::format("{{src: {}, dst: {}, size: {} B, at: {}}}", source, destination, size, at);
}

std::string
DrawCollective(Dice& dice)
{
    return fmt::format(
        "{{type: {}, size: {} B}}",
        dice.Pick({"all-reduce", "all-to-all", "all-gather", "reduce-scatter", "broadcast"}),
        1 + dice.Below(300'000));
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
        drawn.settings.push_back("system.collectives.all-reduce=" +
                                 dice.Pick({"ring", "direct", "halving-doubling"}));
    }
}

void
DrawPacket(Dice& dice, TrainCase& drawn)
{
    const auto set = [&drawn](const std::string& text)
    { drawn.settings.push_back("network.packet." + text); };
    set("payload=" + dice.Pick({"1000 B", "1000 B", "256 B", "4096 B"}));
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
        return set("packet.window=" + dice.Pick({"bdp", "10 KB"}));
    case 7:
        return set("packet.acknowledge=" + dice.Pick({"frame", "3 frames"}));
    case 5:
        drawn.settings.push_back(rate + dice.Pick({"10 Gb/s", "100 Gb/s"}) + "}]");
        return;
    case 6:
        return set("faults=[{at: 0 ns, link: all, loss: 1e-3}]");
    default:
        return; // most runs have nothing of the kind
    }
}

/// Calls `change` for as long as it finds something to leave out that is not to blame.
template <typename Items>
void
LeaveOut(TrainCase& wrong,
         Items items,
         size_t least,
         const std::function<bool(const TrainCase&)>& isWrong)
{
    for (size_t i = items(wrong).size(); i > 0 && items(wrong).size() > least; --i)
    {
        TrainCase smaller = wrong;
        items(smaller).erase(items(smaller).begin() + static_cast<std::ptrdiff_t>(i - 1));
        if (isWrong(smaller))
        {
            wrong = smaller;
        }
    }
}

} // namespace

std::string
TrainCase::Yaml() const
{
    const std::string list = fmt::format("{}", fmt::join(parts, ", "));
    const std::string workload =
        isFlows ? "{flows: [" + list + "]}" : "{collective: [{parallel: [" + list + "]}]}";
    return "workload: " + workload + "\nnetwork:\n" + network;
}

std::string
TrainCase::Run(const std::string& trains) const
{
    std::vector<std::string> all = settings;
    all.push_back("network.packet.trains=" + trains);
    const RunResults results = RunYaml({Yaml(), all});
    return results.status == RunStatus::Done ? results.digest : results.exitReason;
}

bool
TrainCase::IsAlike() const
{
    return Run("on") == Run("off");
}

std::string
TrainCase::Describe() const
{
    std::string text = Yaml();
    for (const std::string& setting : settings)
    {
        text += "# --set '" + setting + "'\n";
    }
    return text;
}

TrainCase
DrawTrainCase(uint64_t seed)
{
    Dice dice(seed);
    TrainCase drawn;
    const Fabric fabric = DrawFabric(dice);
    drawn.network = fabric.text;
    drawn.isFlows = dice.OneIn(2);
    const uint64_t parts = drawn.isFlows ? 1 + dice.Below(2 * fabric.npus) : 1 + dice.Below(3);
    const auto sink = static_cast<uint32_t>(dice.Below(fabric.npus));
    for (uint64_t i = 0; i < parts; ++i)
    {
        drawn.parts.push_back(drawn.isFlows ? DrawFlow(dice, fabric.npus, sink)
                                            : DrawCollective(dice));
    }
    DrawSystem(dice, drawn);
    DrawPacket(dice, drawn);
    DrawMechanisms(dice, drawn);
    return drawn;
}

TrainCase
Minimise(TrainCase wrong, const std::function<bool(const TrainCase&)>& isWrong)
{
    const auto parts = [](TrainCase& from) -> std::vector<std::string>& { return from.parts; };
    const auto settings = [](TrainCase& from) -> std::vector<std::string>&
    { return from.settings; };
    for (int round = 0; round < 2; ++round)
    {
        LeaveOut(wrong, parts, 1, isWrong);
        LeaveOut(wrong, settings, 0, isWrong);
    }
    return wrong;
}

} // namespace nadi::test
