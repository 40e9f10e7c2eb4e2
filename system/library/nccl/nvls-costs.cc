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
