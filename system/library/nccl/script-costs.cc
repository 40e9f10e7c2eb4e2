// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/script-costs.h"

#include "common/error.h"
#include "common/registry.h"
#include "system/library/nccl/cost-terms.h"
#include "system/library/nccl/presets.h"
#include "system/library/nccl/ring-kernel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace nadi::nccl
{

namespace
{

/// The values of a protocol's file, in us and GB/s, by what its keys begin with.
class ScriptValues
{
  public:
    explicit ScriptValues(KernelProtocol protocol)
        : m_protocol(protocol)
    {
        for (const PresetRow& row : PresetRows())
        {
            if (With("msccl", protocol) == row.preset)
            {
                m_values[row.key] = std::stod(row.value);
            }
        }
    }

    /// GB/s of a channel and link.
    double ChannelRate() const
    {
        // The key is the name of the protocol alone, without the '-' that With puts before it.
        return m_values.at(With("", m_protocol).substr(1));
    }

    double OfProtocol(const std::string& key) const
    {
        return m_values.at(With(key, m_protocol));
    }

    double Get(const std::string& key) const
    {
        return m_values.at(key);
    }

  private:
    KernelProtocol m_protocol;
    std::map<std::string, double> m_values;
};

/// us that a call takes at least. Nobody says how the measured scripts were launched. Their
/// shortest calls take less time than a process with several GPUs needs, so of a launch that is not
/// known each GPU has a process.
double
ScriptFloorOf(CostContext context)
{
    context.launch = context.launch == Launch::Unknown ? Launch::ProcessPerGpu : context.launch;
    return FloorOf(context);
}

/// What ring and exchange have in common. Ranks drift apart with Simple only, as in RingCosts.
KernelCosts
StartCosts(const Script& script, const CostContext& context, const ScriptValues& values)
{
    const bool isSimple = script.protocol == KernelProtocol::Simple;
    return {.floor = ScriptFloorOf(context),
            .start = values.OfProtocol("base"),
            .skew = isSimple ? context.values.Get("skew") : 0};
}

KernelWay
MakeScriptRing(const Script& script, const CostContext& context, const Placement& placement)
{
    const ScriptValues values(script.protocol);
    // `pipelined` is the gain of four channels over one. Each doubling gains the square root of it.
    const double gain = std::pow(values.Get("pipelined"), std::log2(script.channels) / 2);
    const double link = context.machine.PairLink();
    // However many instances there are, a link gives the protocol no more than its part.
    const double rate = std::min(values.ChannelRate() * script.instances * gain,
                                 LinkShare(context.values, script.protocol) * link);
    KernelCosts costs = StartCosts(script, context, values);
    const double hop = values.OfProtocol("ring-hop");
    costs.inside = {.delay = BeyondWire(hop, context.hardware.insideLatency),
                    .excess = std::max(0.0, link / rate - 1)};
    costs.hops = hop * RingSteps(context.type, placement.Size());
    // The threads of LL pass parts of a step on by themselves.
    const size_t slices = script.protocol == KernelProtocol::LL ? 4 : 1;
    // A script has one ring, whatever the wiring of the node is.
    const std::vector<RingWay> one = LayRings(placement, {});
    return {.name = "script-ring",
            .planner = std::make_unique<RingKernel>(std::vector<RingWay>(slices, one.front()), 1),
            .protocol =
                std::make_unique<CostedProtocol>(costs, context.seats, context.payloadShare)};
}

KernelWay
MakeScriptExchange(const Script& script, const CostContext& context)
{
    const ScriptValues values(script.protocol);
    // With a switch the messages to all others share the one link.
    const bool isSwitched = context.machine.wiring == NodeWiring::Switch;
    const double pair = isSwitched ? context.machine.link / (context.machine.ranks - 1)
                                   : context.machine.PairLink();
    const double most = values.Get("pair-rate") * pair;
    const double rate = std::min(script.instances * values.ChannelRate(), most);
    KernelCosts costs = StartCosts(script, context, values);
    const double phase = values.OfProtocol("phase");
    const double excess = pair / rate - 1;
    const bool isReduced = context.type == CollectiveType::AllReduce;
    costs.inside = {.delay = BeyondWire(phase, context.hardware.insideLatency),
                    .excess = std::max(0.0, excess)};
    // An all-reduce exchanges twice: parts go to the rank that adds them, and sums to everybody.
    costs.hops = phase * (isReduced ? 2 : 1);
    if (isReduced)
    {
        costs.reduceRate = values.OfProtocol("reduce-rate");
    }
    return {.name = "script-allpair",
            .planner = Registry<CollectiveAlgorithm>::Instance().Make({"direct"}),
            .protocol =
                std::make_unique<CostedProtocol>(costs, context.seats, context.payloadShare)};
}

} // namespace

std::string
ToText(ScriptAlgorithm algorithm)
{
    return algorithm == ScriptAlgorithm::Ring ? "ring" : "allpair";
}

std::vector<ParameterSpec>
ScriptSpecs()
{
    return {{"script",
             ParameterKind::Word,
             "ring",
             "What the file of the algorithm describes: a ring, or an exchange of all pairs.",
             {"ring", "allpair"}},
            {"channels",
             ParameterKind::Count,
             "1",
             "The number of channels over which the pieces of a scripted ring go in turn.",
             {},
             {.least = 1}},
            {"instances",
             ParameterKind::Count,
             "1",
             "The number of copies of a scripted algorithm, each with a part of the data.",
             {},
             {.least = 1}}};
}

Script
ReadScript(const Parameters& values)
{
    const std::optional<KernelProtocol> protocol =
        FindProtocol(values.Get<std::string>("protocol"));
    if (!protocol)
    {
        throw ConfigError("protocol", "is auto; write that of the script: LL, LL128 or Simple");
    }
    return {.algorithm = values.Get<std::string>("script") == "ring" ? ScriptAlgorithm::Ring
                                                                     : ScriptAlgorithm::AllPairs,
            .protocol = *protocol,
            .channels = static_cast<uint32_t>(values.Get<int64_t>("channels")),
            .instances = static_cast<uint32_t>(values.Get<int64_t>("instances"))};
}

KernelWay
MakeScriptWay(const Script& script, const CostContext& context, const Placement& placement)
{
    return script.algorithm == ScriptAlgorithm::Ring ? MakeScriptRing(script, context, placement)
                                                     : MakeScriptExchange(script, context);
}

} // namespace nadi::nccl
