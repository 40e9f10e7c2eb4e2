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

/// The part of the rate of its link that a member drives where all that it sends counts: S + S/p of
/// S bytes. Source: bus bandwidths that nccl-tests measured for large sizes, times p / (2 (p - 1))
/// (1 + 1/p): 310 of 450 GB/s with 4 to 8 H100 and H200, 138 of 200 GB/s with 8 H800, 540 of 900
/// GB/s with 6 to 8 B200.
double
SwitchShare(Generation generation)
{
    return generation == Generation::B200 ? 0.6 : 0.689;
}

/// us that nothing moves until the pipeline is full, but for what the network has of it: the last
/// slice comes down twice, and goes two ways to the switch and back.
double
FillBeyondWire(const CostContext& context, const KernelCut& cut)
{
    const double slice = cut.size / (double(cut.pieces) * context.machine.Local());
    const double ways = 2 * static_cast<double>(context.hardware.insideLatency.Ps()) / 1e6;
    const double wire = 2 * slice / (1e3 * context.machine.link) + ways;
    const double fill = (context.values.Get("nvls-fill") - 1) * LoopTime(context, cut.size);
    return std::max(0.0, fill - wire);
}

} // namespace

NvlsLoops
CountNvlsLoops(const Machine& machine, double size)
{
    constexpr uint32_t fewNodes = 4; // below, NVLSTree has the chunks of NVLS
    const double most = (machine.nodes >= fewNodes ? 64 : 128) * KIB;
    const double bytes = NvlsChunk(size, machine.Local(), most) * NVLS_CHANNELS * machine.Local();
    return {.count = std::max(1.0, std::ceil(size / bytes)), .bytes = bytes};
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

/// The loops take the time that they take without the network. What of it the bytes of a member do
/// not need at the rate that it drives is the engine's: an equal part for each of its messages.
KernelCosts
NvlsSwitchCosts(const CostContext& context, const KernelCut& cut)
{
    const Machine& machine = context.machine;
    const double rate = SwitchShare(machine.generation) * machine.link;
    const double messages = double(cut.pieces) * (machine.Local() + 1);
    const double wire = cut.size * (1 + 1.0 / machine.Local()) / (1e3 * rate);
    const double loops = CountNvlsLoops(machine, cut.size).count * LoopTime(context, cut.size);
    KernelCosts costs = NvlsCosts(context, cut);
    costs.start += FillBeyondWire(context, cut);
    costs.localTime = SimTime();
    costs.inside.excess = machine.link / rate - 1;
    costs.inside.engineTime = FromUs(std::max(0.0, loops - wire) / messages);
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
