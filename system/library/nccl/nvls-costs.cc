// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/channels.h"
#include "system/library/nccl/cost-terms.h"
#include "system/library/nccl/kernel-costs.h"

#include <algorithm>
#include <cmath>

namespace nadi::nccl
{

namespace
{

/// us of one loop in the switch of a node.
double
LoopTime(const CostContext& context, double size)
{
    const double bytes = std::min(size, CountNvlsLoops(context.machine, size).bytes);
    const double rate = context.values.Get("nvls-rate") * context.machine.link;
    return context.values.Get("nvls-loop") + bytes / (1e3 * rate);
}

/// us of all loops in which no data moves. A loop waits for its synchronisation, of which a part
/// passes while the data of the loop before it moves: with the largest chunks all of it, else less.
/// Source: of a loop of 8 H100 that takes 33.0 us with chunks of 64 KiB and 61.0 us with those of
/// 128 KiB, the data takes 30.4 and 60.9 us at 310 GB/s (nccl-tests on Azure's ND_H100_v5).
double
IdleInLoops(const CostContext& context, const KernelCut& cut)
{
    const NvlsLoops loops = CountNvlsLoops(context.machine, cut.size);
    return (1 + (loops.count - 1) * (1 - loops.chunkShare)) * context.values.Get("nvls-loop");
}

/// us that nothing moves until the pipeline is full, but for what the network has of it: the
/// `underWay` bytes come down when the last one is pulled, and the pulls and pushes take a way
/// through the switch each.
double
FillBeyondWire(const CostContext& context, double size, double underWay)
{
    const double ways = 2 * static_cast<double>(context.hardware.insideLatency.Ps()) / 1e6;
    const double wire = underWay / (1e3 * context.machine.link) + ways;
    const double fill = (context.values.Get("nvls-fill") - 1) * LoopTime(context, size);
    return std::max(0.0, fill - wire);
}

/// What ranks send to the switch of their node holds their link, and so the part of its rate that
/// NVLS does not fill.
MessageCosts
CostsToSwitch(const CostContext& context, SimTime engineTime)
{
    const double rate = context.values.Get("nvls-switch-rate") * context.machine.link;
    return {.delay = {},
            .excess = context.machine.link / rate - 1,
            .engineTime = engineTime,
            .engineSpread = PsPerByte(rate)};
}

/// GB/s at which the NICs serve the head of one place.
double
HeadNicRate(const CostContext& context)
{
    return NicShare(context.values, KernelProtocol::Simple) *
           context.values.Get("net-nvls-tree-rate") * context.machine.nic / context.machine.Local();
}

/// Messages that a head sends for a piece of its two trees: once up and once down where there are
/// two nodes, four in the mean where there are more, as the inner nodes of a binary tree have two
/// children.
double
HeadMessages(const CostContext& context)
{
    return context.machine.nodes == 2 ? 2 : 4;
}

/// The engine of a head gives each message its share of what a loop waits for, and its bytes at
/// `rate`.
MessageCosts
CostsBetweenHeads(const CostContext& context, const KernelCut& cut, double rate)
{
    const CostParameters& values = context.values;
    const double loopsOfPiece = CountNvlsLoops(context.machine, cut.size).count / cut.pieces;
    const double wait = loopsOfPiece * values.Get("nvls-loop") / HeadMessages(context);
    return {.delay = BeyondWire(values.Get("net-nvls-tree-hop"), context.hardware.outsideLatency),
            .engineTime = FromUs(wait),
            .engineSpread = PsPerByte(rate)};
}

} // namespace

NvlsLoops
CountNvlsLoops(const Machine& machine, double size)
{
    constexpr uint32_t fewNodes = 4; // below, NVLSTree has the chunks of NVLS
    const double most = (machine.nodes >= fewNodes ? 64 : 128) * KIB;
    const double chunk = NvlsChunk(size, machine.Local(), most);
    const double bytes = chunk * NVLS_CHANNELS * machine.Local();
    return {.count = std::max(1.0, std::ceil(size / bytes)),
            .bytes = bytes,
            .chunkShare = chunk / most};
}

KernelCosts
NvlsCosts(const CostContext& context, const KernelCut& cut)
{
    const CostParameters& values = context.values;
    const double channels = std::clamp(cut.size / (4 * KIB), 1.0, double(NVLS_CHANNELS));
    return {.floor = FloorOf(context),
            .start = values.Get("nvls-base") + channels * values.Get("nvls-channel")};
}

/// The loops are the turns, some of them in each. The filling is what a call takes besides.
NvlsTimes
ComputeNvlsTimes(const CostContext& context, const KernelCut& cut)
{
    const double loops = CountNvlsLoops(context.machine, cut.size).count;
    const double loop = LoopTime(context, cut.size);
    const double idle = context.values.Get("nvls-loop");
    const SimTime all = FromUs((loops - 1 + context.values.Get("nvls-fill")) * loop);
    const SimTime turn = SimTime::FromPs(std::min(FromUs(loops * loop), all).Ps() / cut.pieces);
    return {.fill = all - turn * cut.pieces,
            .turn = turn,
            .data = std::min(FromUs(loops * (loop - idle) / cut.pieces), turn)};
}

/// A member sends S + S/p of S bytes: so many messages, each with its part of what the loops wait.
KernelCosts
NvlsSwitchCosts(const CostContext& context, const KernelCut& cut)
{
    const double messages = double(cut.pieces) * (context.machine.Local() + 1);
    const double underWay = std::min(1.0, double(NVLS_SLICES_OF_LOOP) / cut.pieces) * cut.size;
    KernelCosts costs = NvlsCosts(context, cut);
    costs.start += FillBeyondWire(context, cut.size, underWay);
    costs.inside = CostsToSwitch(context, FromUs(IdleInLoops(context, cut) / messages));
    return costs;
}

/// A GPU of each node is the head of a part of the data. Its bytes go at the rate of the NIC or,
/// where that is slower, of the switch of the node.
KernelCosts
NvlsTreeCosts(const CostContext& context, const KernelCut& cut)
{
    const double inNode =
        context.values.Get("nvls-rate") * context.machine.link / context.machine.Local();
    const double rate = std::min(HeadNicRate(context), inNode * HeadMessages(context) / 2);
    KernelCosts costs = NvlsCosts(context, cut);
    costs.start += (context.values.Get("nvls-fill") - 1) * LoopTime(context, cut.size);
    costs.between = CostsBetweenHeads(context, cut, rate);
    return costs;
}

/// Before the last head can send anything, the network pulls the first piece of each tree, with its
/// waits. A loop waits inside the nodes as it does between them, and none of that passes while data
/// moves: of 16 GiB on two nodes of eight H100, which take 68.7 ms (nccl-tests, issue 309), S + S/8
/// at 310 GB/s are 62.3 and the loops wait 5.3.
KernelCosts
NvlsTreeSwitchCosts(const CostContext& context, const KernelCut& cut)
{
    const double messages = double(cut.pieces) * cut.lanes * (1 + 1.0 / context.machine.Local());
    const double waits =
        CountNvlsLoops(context.machine, cut.size).count * context.values.Get("nvls-loop");
    const double fill = FillBeyondWire(context, cut.size, cut.size / cut.pieces);
    KernelCosts costs = NvlsCosts(context, cut);
    costs.start += std::max(0.0, fill - waits / cut.pieces);
    costs.inside = CostsToSwitch(context, FromUs(waits / messages));
    costs.between = CostsBetweenHeads(context, cut, HeadNicRate(context));
    return costs;
}

} // namespace nadi::nccl
