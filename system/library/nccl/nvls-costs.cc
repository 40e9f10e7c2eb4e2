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

/// us that nothing moves until the pipeline is full, but for what the network has of it: the slices
/// under way come down when the last one is pulled, and the pulls and pushes take a way through the
/// switch each.
double
FillBeyondWire(const CostContext& context, const KernelCut& cut)
{
    const double underWay = std::min(1.0, double(NVLS_SLICES_OF_LOOP) / cut.pieces) * cut.size;
    const double ways = 2 * static_cast<double>(context.hardware.insideLatency.Ps()) / 1e6;
    const double wire = underWay / (1e3 * context.machine.link) + ways;
    const double fill = (context.values.Get("nvls-fill") - 1) * LoopTime(context, cut.size);
    return std::max(0.0, fill - wire);
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
    const NvlsLoops loops = CountNvlsLoops(context.machine, cut.size);
    const double channels = std::clamp(cut.size / (4 * KIB), 1.0, double(NVLS_CHANNELS));
    return {.floor = FloorOf(context),
            .start = values.Get("nvls-base") + channels * values.Get("nvls-channel"),
            .localTime =
                FromUs((loops.count - 1 + values.Get("nvls-fill")) * LoopTime(context, cut.size))};
}

/// A member sends S + S/p of S bytes: so many messages, each with its part of what the loops wait.
KernelCosts
NvlsSwitchCosts(const CostContext& context, const KernelCut& cut)
{
    const Machine& machine = context.machine;
    const double rate = context.values.Get("nvls-switch-rate") * machine.link;
    const double messages = double(cut.pieces) * (machine.Local() + 1);
    KernelCosts costs = NvlsCosts(context, cut);
    costs.start += FillBeyondWire(context, cut);
    costs.localTime = SimTime();
    costs.inside.excess = machine.link / rate - 1;
    costs.inside.engineTime = FromUs(IdleInLoops(context, cut) / messages);
    costs.inside.engineSpread = PsPerByte(rate);
    return costs;
}

/// A GPU of each node is the head of a part of the data. In one loop it sends its part once up and
/// once down where there are two nodes, four times in the mean where there are more, as the inner
/// nodes of a binary tree have two children. The engine of the head gives each message its share of
/// a loop: its bytes at the rate of the NIC or, where that is slower, of the switch of the node.
KernelCosts
NvlsTreeCosts(const CostContext& context, const KernelCut& cut)
{
    const CostParameters& values = context.values;
    const NvlsLoops loops = CountNvlsLoops(context.machine, cut.size);
    const bool isPair = context.machine.nodes == 2;
    const double messages = isPair ? 2 : 4;
    const double nic = NicShare(values, KernelProtocol::Simple) * values.Get("net-nvls-tree-rate") *
                       context.machine.nic / context.machine.Local();
    const double inNode = values.Get("nvls-rate") * context.machine.link / context.machine.Local();
    const double rate = std::min(nic, inNode * messages / 2);
    const double loopsOfPiece = loops.count / cut.pieces;
    KernelCosts costs = NvlsCosts(context, cut);
    costs.start += (values.Get("nvls-fill") - 1) * LoopTime(context, cut.size);
    costs.localTime = SimTime();
    costs.between.delay =
        BeyondWire(values.Get("net-nvls-tree-hop"), context.hardware.outsideLatency);
    costs.between.engineTime = FromUs(loopsOfPiece * values.Get("nvls-loop") / messages);
    costs.between.engineSpread = PsPerByte(rate);
    return costs;
}

} // namespace nadi::nccl
