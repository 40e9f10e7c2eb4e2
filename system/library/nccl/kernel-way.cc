// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/kernel-way.h"

#include "common/check.h"
#include "common/registry.h"
#include "system/library/nccl/chain-kernel.h"
#include "system/library/nccl/channels.h"
#include "system/library/nccl/cost-terms.h"
#include "system/library/nccl/node-exchange.h"
#include "system/library/nccl/rail-exchange.h"
#include "system/library/nccl/ring-kernel.h"
#include "system/library/nccl/tree-kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nadi::nccl
{

namespace
{

/// Of each tree, between a leaf and the return of the sum: the slots of a channel's buffer on the
/// way up and down.
constexpr uint32_t PIECES_UNDER_WAY = 16;

/// What a way is made for.
struct WayTask
{
    KernelProtocol protocol = KernelProtocol::Simple;
    const CostContext& context;
    const Placement& placement;
    KernelCut cut;
    uint32_t messages = 1;

    NodeLinks Links() const
    {
        return {.wiring = context.machine.wiring, .npusPerNic = context.hardware.NpusPerNic()};
    }

    std::vector<RingWay> Rings() const
    {
        return LayRings(placement, Links());
    }

    /// At least one, and as many pieces of those wanted as the bound on messages allows.
    uint32_t PiecesFor(double wanted, uint32_t messagesOfOne) const
    {
        const double most = std::max(1.0, double(messages) / std::max(1U, messagesOfOne));
        return static_cast<uint32_t>(std::clamp(std::floor(wanted), 1.0, most));
    }
};

KernelWay
Join(std::string name,
     const CostContext& context,
     const KernelCosts& costs,
     std::unique_ptr<CollectiveAlgorithm> planner)
{
    return {.name = std::move(name),
            .planner = std::move(planner),
            .protocol =
                std::make_unique<CostedProtocol>(costs, context.seats, context.payloadShare)};
}

/// How many slices of a message pass a step on their own. The threads of LL do so, and between
/// nodes the host posts parts of a chunk ahead.
uint32_t
SlicesOf(KernelProtocol protocol, const Machine& machine)
{
    if (machine.nodes > 1)
    {
        return 2;
    }
    return protocol == KernelProtocol::LL ? 4 : 1;
}

KernelWay
MakeRingWay(WayTask task)
{
    const std::vector<RingWay> rings = task.Rings();
    const uint64_t steps =
        std::max(1U, RingSteps(task.context.type, std::max(2U, task.placement.Size())));
    // A slice is a lane of its own around the same ring. All stay within the bound on messages,
    // which messages that stand for several steps keep: with one slice a link is idle between a
    // step and the next one.
    const uint64_t slices = SlicesOf(task.protocol, task.context.machine);
    const uint64_t messagesOfAll = steps * task.placement.Size() * rings.size() * slices;
    std::vector<RingWay> lanes;
    for (uint64_t slice = 0; slice < slices; ++slice)
    {
        lanes.insert(lanes.end(), rings.begin(), rings.end());
    }
    task.cut.lanes = static_cast<uint32_t>(lanes.size());
    const uint64_t wanted = (messagesOfAll + task.messages - 1) / task.messages;
    task.cut.stepsPerMessage = static_cast<uint32_t>(std::clamp<uint64_t>(wanted, 1, steps));
    return Join("ring",
                task.context,
                RingCosts(task.context, task.protocol, task.cut),
                std::make_unique<RingKernel>(std::move(lanes), task.cut.stepsPerMessage));
}

KernelWay
MakeTreeWay(WayTask task)
{
    std::vector<MemberTree> trees = LayNodeTrees(task.placement, task.Links());
    task.cut.lanes = static_cast<uint32_t>(trees.size());
    // So many that the network adds little to the time until the tree is full, which the costs
    // have.
    constexpr double most = 16;
    constexpr double worthCutting = 16 * KIB;
    const double least = std::clamp(task.cut.size / worthCutting, 1.0, most);
    const double slots = task.cut.size / (task.cut.channels * SlotBytes(task.protocol));
    task.cut.pieces =
        task.PiecesFor(std::max(least, slots), 2 * task.placement.Size() * task.cut.lanes);
    KernelWay way = Join("tree",
                         task.context,
                         TreeCosts(task.context, task.protocol, task.cut),
                         std::make_unique<TreeKernel>(std::move(trees), task.cut.pieces));
    // The lanes of the trees take turns (SideBySidePlan), so each tree has an equal part of this
    // number.
    way.lanesAtOnce = task.cut.lanes * PIECES_UNDER_WAY;
    return way;
}

KernelWay
MakeChainWay(WayTask task)
{
    std::vector<RingWay> rings = task.Rings();
    task.cut.lanes = static_cast<uint32_t>(rings.size());
    const double slots = task.cut.size / (task.cut.channels * SlotBytes(task.protocol));
    task.cut.pieces =
        task.context.calls == Calls::BackToBack
            ? ChainKernel::IN_A_ROW
            : task.PiecesFor(std::max(1.0, slots), task.placement.Size() * task.cut.lanes);
    return Join("chain",
                task.context,
                ChainCosts(task.context, task.protocol, task.cut),
                std::make_unique<ChainKernel>(std::move(rings), task.cut.pieces));
}

KernelWay
MakeNvlsTreeWay(WayTask task)
{
    std::vector<MemberTree> trees = LayHeadTrees(task.placement);
    task.cut.lanes = static_cast<uint32_t>(trees.size());
    task.cut.pieces = task.PiecesFor(CountNvlsLoops(task.context.machine, task.cut.size).count,
                                     2 * task.placement.NodeCount() * task.cut.lanes);
    return Join("nvls-tree",
                task.context,
                NvlsTreeCosts(task.context, task.cut),
                std::make_unique<TreeKernel>(std::move(trees), task.cut.pieces));
}

} // namespace

bool
IsAroundRings(const Kernel& kernel, CollectiveType type)
{
    return kernel.algorithm == KernelAlgorithm::Ring && type != CollectiveType::Broadcast &&
           type != CollectiveType::Reduce;
}

KernelWay
MakeKernelWay(const Kernel& kernel,
              const CostContext& context,
              const Placement& placement,
              uint64_t bytes,
              uint32_t messages)
{
    NADI_CHECK(kernel.algorithm != KernelAlgorithm::Nvls);
    const auto size = static_cast<double>(bytes);
    const KernelCut cut{.size = size,
                        .channels =
                            UsedChannels(context.machine, kernel.algorithm, kernel.protocol, size)};
    const WayTask task{kernel.protocol, context, placement, cut, messages};
    switch (kernel.algorithm)
    {
    case KernelAlgorithm::Tree:
        return MakeTreeWay(task);
    case KernelAlgorithm::NvlsTree:
        return MakeNvlsTreeWay(task);
    default:
        return IsAroundRings(kernel, context.type) ? MakeRingWay(task) : MakeChainWay(task);
    }
}

KernelWay
MakeExchangeWay(const CostContext& context, const Placement& placement, uint32_t channels)
{
    // Without other nodes no part leaves the node. Without other members in the node nobody could
    // pass a part on.
    const bool isLocalOnly = placement.NodeCount() == 1 || context.machine.Local() == 1;
    const bool isAllToAll = context.type == CollectiveType::AllToAll;
    if (isAllToAll && context.usesRails && !isLocalOnly && placement.IsRegular())
    {
        auto exchange = std::make_unique<RailExchange>(placement, context.hardware.NpusPerNic());
        // On one rail alone nobody passes anything on.
        if (exchange->PassesOn())
        {
            return Join(
                "rail-exchange", context, AllToAllCosts(context, channels), std::move(exchange));
        }
    }
    // Nodes of unequal numbers of members have no rounds by node and place. The library then goes
    // by rank, as `direct` does.
    std::unique_ptr<CollectiveAlgorithm> planner =
        isAllToAll && placement.IsRegular()
            ? std::make_unique<NodeExchange>(placement)
            : Registry<CollectiveAlgorithm>::Instance().Make({"direct"});
    KernelWay way =
        Join("peer-to-peer", context, AllToAllCosts(context, channels), std::move(planner));
    way.lanesAtOnce = PEERS_AT_ONCE;
    return way;
}

} // namespace nadi::nccl
