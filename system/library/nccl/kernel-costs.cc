// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/kernel-costs.h"

#include "system/library/nccl/channels.h"
#include "system/library/nccl/cost-terms.h"
#include "system/library/nccl/ring-kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace nadi::nccl
{

namespace
{

/// Data bytes of a message of LL that libfabric sends without asking: its flags are as many again.
constexpr double EAGER = 2 * KIB;

/// What a message carries besides each byte of payload, so that a link of `rate` gives `share` of
/// it; a few channels of LL give less.
double
ExcessFor(
    const CostContext& context, KernelProtocol protocol, double share, double rate, double channels)
{
    // `spread` is the time of a byte, in ns. The limit of the channels is joined to that of the
    // link smoothly: where both are equal, a byte takes a quarter longer than with either.
    double spread = 1 / (share * rate);
    if (protocol == KernelProtocol::LL)
    {
        const double few = 1 / (channels * context.values.Get("channel-rate"));
        spread = std::cbrt(spread * spread * spread + few * few * few);
    }
    // On a link of `rate`, a byte of payload with its excess takes (1 + excess) / rate, which must
    // equal `spread`.
    return std::max(0.0, spread * rate - 1);
}

/// Messages of a kernel inside a node. `factor` is of its rate.
MessageCosts
InsideCosts(const CostContext& context,
            KernelProtocol protocol,
            const std::string& hop,
            uint32_t channels,
            double factor)
{
    const double share = LinkShare(context.values, protocol) * factor;
    return {.delay =
                BeyondWire(context.values.Get(With(hop, protocol)), context.hardware.insideLatency),
            .excess = ExcessFor(context, protocol, share, context.machine.link, channels)};
}

/// Messages of a kernel between nodes, of which each NIC has its part of the channels. LL goes
/// through the memory of the host on any machine, so a slow path between GPU and NIC does not slow
/// it down.
MessageCosts
BetweenCosts(const CostContext& context,
             KernelProtocol protocol,
             const std::string& hop,
             uint32_t channels,
             double factor)
{
    const double channelsOfNic = std::max(1.0, double(channels) / context.machine.nics);
    const double share = NicShare(context.values, protocol) * factor;
    MessageCosts costs{.delay = BeyondWire(context.values.Get(With("net-" + hop, protocol)),
                                           context.hardware.outsideLatency)};
    costs.excess = ExcessFor(
        context, protocol, share, InGigabytes(context.hardware.nicBandwidth), channelsOfNic);
    if (protocol == KernelProtocol::LL)
    {
        // In the network the path is a link with a rate of its own. A message of LL must take no
        // longer there than it would on the NIC, so it carries less in the ratio of the two rates.
        const double slower = InGigabytes(context.hardware.pathBandwidth) /
                              InGigabytes(context.hardware.nicBandwidth);
        costs.excess = std::max(0.0, (1 + costs.excess) * slower - 1);
        costs.consent = FromUs(context.asksForConsent ? context.values.Get("net-rendezvous") : 0);
    }
    return costs;
}

/// Between nodes the drift has a parameter of its own.
double
SkewOf(const CostContext& context)
{
    return context.values.Get(context.machine.nodes > 1 ? "net-skew" : "skew");
}

/// Steps of a ring that lead from node to node, on average over the rings.
double
CrossingSteps(const Machine& machine, double steps)
{
    return machine.nodes == 1 ? 0 : steps * machine.nodes / machine.ranks;
}

/// One message for several steps has the latencies of all; those inside nodes and between them are
/// spread evenly over the messages, as a few of them cannot have the true mixture.
void
MergeSteps(KernelCosts& costs, double crossingShare, uint32_t stepsPerMessage)
{
    if (stepsPerMessage == 1)
    {
        return;
    }
    const double mean = static_cast<double>(costs.inside.delay.Ps()) * (1 - crossingShare) +
                        static_cast<double>(costs.between.delay.Ps()) * crossingShare;
    costs.inside.delay = SimTime::FromPs(std::llround(mean * stepsPerMessage));
    costs.between.delay = costs.inside.delay;
}

/// GB/s of the NICs of a node with a protocol: of the ways to them where these are slower.
double
NicsRate(const CostContext& context, KernelProtocol protocol)
{
    const NodeHardware& hardware = context.hardware;
    const Bandwidth one =
        protocol == KernelProtocol::LL ? hardware.nicBandwidth : hardware.pathBandwidth;
    return NicShare(context.values, protocol) * context.machine.nics * InGigabytes(one);
}

/// us until a tree between nodes is full: at each hop a part of a chunk waits. Each channel has at
/// least four chunks on their way.
double
TreeFill(const CostContext& context, KernelProtocol protocol, const KernelCut& cut)
{
    const Machine& machine = context.machine;
    const CostParameters& values = context.values;
    const double levels = std::bit_width(machine.nodes - 1);
    const double depth = 2 * (machine.Local() - 1) + 2 * levels;
    const double chunk = std::min(SlotBytes(protocol), cut.size / (4.0 * cut.channels));
    // With two nodes each byte passes a NIC once in each direction. In larger trees inner nodes
    // have two children, so only half of the rate is left for each.
    const double nic = NicsRate(context, protocol) * values.Get("net-tree-rate");
    const double rate = std::min(LinkShare(values, protocol) * machine.link / 2,
                                 machine.nodes == 2 ? nic : nic / 2);
    return values.Get("net-tree-fill") * depth * chunk * cut.channels / (1e3 * rate);
}

/// What a message carries besides each byte of payload, so that a link of `link` GB/s gives `rate`.
double
ExcessAt(double rate, double link)
{
    return std::max(0.0, link / rate - 1);
}

/// Of grouped sends inside a node. Few peers have too few channels to fill the link.
MessageCosts
ExchangeInside(const CostContext& context, uint32_t channels)
{
    const CostParameters& values = context.values;
    const Machine& machine = context.machine;
    const double share = LinkShare(values, KernelProtocol::Simple) * values.Get("p2p-rate");
    const uint32_t peers = std::max(1U, machine.Local() - 1);
    const double rate = std::min(share * machine.link, ChannelsRate(values, peers, channels));
    MessageCosts costs;
    costs.engineSpread = PsPerByte(rate);
    costs.excess = ExcessAt(rate, machine.link);
    return costs;
}

/// Of grouped sends between nodes, where each peer has a rate of its own too.
MessageCosts
ExchangeBetween(const CostContext& context)
{
    const CostParameters& values = context.values;
    const Machine& machine = context.machine;
    const double share =
        NicShare(values, KernelProtocol::Simple) * values.Get("net-all-to-all-rate");
    const double ofPeers =
        std::min(machine.ranks - machine.Local(), PEERS_AT_ONCE) * values.Get("net-peer-rate");
    const double rate = std::min(share * machine.nicOfRank, ofPeers);
    // A GPU has a path of its own to a NIC that it shares.
    const double way = std::min(InGigabytes(context.hardware.pathBandwidth), machine.nicOfRank);
    MessageCosts costs;
    costs.engineTime = FromUs(values.Get("net-pair"));
    costs.engineSpread = PsPerByte(rate);
    // The engine of a sender paces all its messages but the last. That one, and the messages of
    // many senders to one receiver, are paced by the wire.
    costs.excess = ExcessAt(rate, way);
    return costs;
}

/// Of `peers`, those that the root of a gather has served when it serves the last one. A root that
/// scatters spends the time of each on its engine; one that gathers has no engine for what it
/// receives, so that time is a part of the start.
double
EarlierPeersOfRoot(const CostContext& context, uint32_t peers)
{
    return context.type == CollectiveType::Gather && peers > 0 ? peers - 1 : 0;
}

} // namespace

KernelCosts
RingCosts(const CostContext& context, KernelProtocol protocol, const KernelCut& cut)
{
    const bool isScatter = context.type == CollectiveType::ReduceScatter;
    const double factor = isScatter ? context.values.Get("reduce-rate") : 1;
    const double steps = RingSteps(context.type, context.machine.ranks);
    const double crossing = CrossingSteps(context.machine, steps);
    KernelCosts costs{.inside = InsideCosts(context, protocol, "hop", cut.channels, factor)};
    // These are whole hops, with their wires: the drift counts only what a run takes beyond them.
    costs.hops = (steps - crossing) * context.values.Get(With("hop", protocol));
    if (context.machine.nodes > 1)
    {
        costs.between = BetweenCosts(context, protocol, "hop", cut.channels, factor);
        // of a step, the messages of all channels ask one after the other
        costs.between.consentFrom = EAGER * cut.channels / cut.lanes;
        costs.between.consentEach = SlotBytes(KernelProtocol::LL) / cut.lanes;
        costs.hops += crossing * context.values.Get(With("net-hop", protocol));
    }
    MergeSteps(costs, crossing / steps, cut.stepsPerMessage);
    costs.floor = FloorOf(context);
    costs.start = StartOf(context, protocol, cut.channels);
    costs.skew = protocol == KernelProtocol::Simple ? SkewOf(context) : 0;
    return costs;
}

KernelCosts
TreeCosts(const CostContext& context, KernelProtocol protocol, const KernelCut& cut)
{
    KernelCosts costs{.inside = InsideCosts(context, protocol, "tree-hop", cut.channels, 1),
                      .floor = FloorOf(context),
                      .start = StartOf(context, protocol, cut.channels)};
    if (context.machine.nodes > 1)
    {
        costs.between = BetweenCosts(
            context, protocol, "tree-hop", cut.channels, context.values.Get("net-tree-rate"));
        costs.start += TreeFill(context, protocol, cut);
        // the messages of a tree are under way together, so each waits but once
        costs.between.consentFrom = EAGER * cut.channels / (cut.lanes * cut.pieces);
        costs.between.consentEach = cut.size + 1;
    }
    return costs;
}

KernelCosts
ChainCosts(const CostContext& context, KernelProtocol protocol, const KernelCut& cut)
{
    const double factor = context.values.Get("chain-rate");
    KernelCosts costs{.inside = InsideCosts(context, protocol, "hop", cut.channels, factor),
                      .floor = FloorOf(context),
                      .start = StartOf(context, protocol, cut.channels),
                      .skew = protocol == KernelProtocol::Simple ? SkewOf(context) : 0};
    if (context.machine.nodes > 1)
    {
        costs.between = BetweenCosts(context, protocol, "hop", cut.channels, factor);
        costs.between.consentFrom = EAGER * cut.channels / (cut.lanes * std::max(1U, cut.pieces));
        costs.between.consentEach = cut.size + 1;
        costs.hops = context.values.Get(With("net-hop", protocol));
    }
    if (context.calls == Calls::BackToBack)
    {
        // Only where the chain crosses the network does it stand still between calls, until the
        // first chunks are through.
        const double chunk = std::min(SlotBytes(protocol), cut.size / cut.channels);
        const double nics = NicsRate(context, protocol);
        // In the midst of many calls, hops inside a node are hidden behind other calls.
        costs.inside.delay = SimTime();
        costs.start += context.machine.nodes > 1 ? context.values.Get("net-chain-fill") * chunk *
                                                       cut.channels / (1e3 * nics * factor)
                                                 : 0;
        if (context.launch == Launch::ProcessPerNode)
        {
            // such a process launches the kernels of its GPUs together, when all have ended
            costs.start += (context.machine.ranks - context.machine.nodes) *
                           context.values.Get(With("hop", protocol));
        }
    }
    return costs;
}

KernelCosts
AllToAllCosts(const CostContext& context, uint32_t channels)
{
    const CostParameters& values = context.values;
    const Machine& machine = context.machine;
    KernelCosts costs{.inside = ExchangeInside(context, channels),
                      .floor = FloorOf(context),
                      .start = values.Get("base-simple"),
                      .skew = SkewOf(context)};
    const double peers = values.Get("p2p-hop");
    if (machine.nodes == 1)
    {
        costs.inside.engineTime = FromUs(peers);
        costs.start += EarlierPeersOfRoot(context, machine.ranks - 1) * peers;
        return costs;
    }
    // Over several nodes the peers inside the node count in the start, and not on an engine.
    costs.start += (machine.Local() - 1) * peers;
    costs.between = ExchangeBetween(context);
    costs.start +=
        EarlierPeersOfRoot(context, machine.ranks - machine.Local()) * values.Get("net-pair");
    return costs;
}

} // namespace nadi::nccl
