// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/nvls-ways.h"

#include "common/registry.h"
#include "system/library/nccl/channels.h"
#include "system/library/nccl/nvls-kernel.h"
#include "system/library/nccl/nvls-protocol.h"
#include "system/library/nccl/nvls-tree-kernel.h"
#include "system/library/nccl/switched-protocol.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>

namespace nadi::nccl
{

namespace
{

/// Of NVLSTree over switches that compute, for each level of its trees: a loop fills one of the
/// slots of a channel's buffer.
constexpr uint32_t LOOPS_OF_LEVEL = 8;

/// Of NVLS without messages: a bound on the events of calls of many GB. Below it, a turn is a loop,
/// so that a large call keeps a small one waiting no longer than a loop.
constexpr double MOST_TURNS = 4096;

} // namespace

KernelWay
MakeNvlsWay(const CostContext& context, uint64_t bytes, NvlsPorts& ports)
{
    const auto size = static_cast<double>(bytes);
    const KernelCut cut{.size = size,
                        .channels = NVLS_CHANNELS,
                        .pieces = static_cast<uint32_t>(
                            std::min(CountNvlsLoops(context.machine, size).count, MOST_TURNS))};
    return {.name = "nvls",
            .planner = std::make_unique<NvlsKernel>(cut.pieces),
            .protocol = std::make_unique<NvlsProtocol>(NvlsCosts(context, cut),
                                                       ComputeNvlsTimes(context, cut),
                                                       context.seats,
                                                       context.payloadShare,
                                                       ports)};
}

/// As much as a loop moves is under way, in slices small enough that pulls and pushes overlap. Of
/// switches that all members hang on, that of the node has the lowest number.
KernelWay
MakeSwitchedNvlsWay(const CostContext& context,
                    uint64_t bytes,
                    uint32_t messages,
                    const TreeTable& trees)
{
    constexpr uint64_t unit = 16; // bytes of a load or store
    const uint32_t ranks = context.machine.ranks;
    const uint32_t messagesOfOne = 2 * ranks * (ranks + 1); // a slice of each rank, up and down
    const auto size = static_cast<double>(bytes);
    const double most = std::max(1.0, std::floor(double(messages) / messagesOfOne));
    const double wanted = NVLS_SLICES_OF_LOOP * CountNvlsLoops(context.machine, size).count;
    const KernelCut cut{.size = size,
                        .channels = NVLS_CHANNELS,
                        .pieces = static_cast<uint32_t>(std::min(wanted, most))};
    // A slice is a multiple of `unit`. It is rounded up, so that there are no more pieces than
    // `cut.pieces`.
    const uint64_t parts = unit * ranks * cut.pieces;
    const uint64_t slice = unit * std::max<uint64_t>(1, (bytes + parts - 1) / parts);
    const uint64_t window = slice * ranks * NVLS_SLICES_OF_LOOP;
    return {.name = "nvls",
            .planner = Registry<CollectiveAlgorithm>::Instance().Make(
                {"nvls",
                 {{"slice", std::to_string(slice) + " B"},
                  {"window", std::to_string(window) + " B"},
                  {"trees", "1"}}}),
            .protocol = std::make_unique<SwitchedProtocol>(
                NvlsSwitchCosts(context, cut), context.seats, context.payloadShare, trees)};
}

/// A piece is at least a loop, as in the model without messages.
KernelWay
MakeSwitchedNvlsTreeWay(const CostContext& context,
                        const Placement& placement,
                        uint64_t bytes,
                        uint32_t messages,
                        const TreeTable& trees)
{
    const Machine& machine = context.machine;
    const uint32_t lanes = 2 * machine.Local();
    // To the switch of each node and from it, and up and down the trees.
    const uint32_t messagesOfOne =
        lanes * (machine.nodes * 2 * (machine.Local() + 1) + 2 * (machine.nodes - 1));
    const auto size = static_cast<double>(bytes);
    // Fewer would not fill the trees, whatever the bound on messages.
    constexpr double least = 16;
    const double most = std::max(least, std::floor(double(messages) / messagesOfOne));
    const double pieces = std::min(CountNvlsLoops(machine, size).count, most);
    const uint32_t levels = std::bit_width(machine.nodes - 1);
    const KernelCut cut{.size = size,
                        .channels = NVLS_CHANNELS,
                        .lanes = lanes,
                        .pieces = static_cast<uint32_t>(pieces)};
    return {.name = "nvls-tree",
            .planner =
                std::make_unique<NvlsTreeKernel>(placement, cut.pieces, levels * LOOPS_OF_LEVEL),
            .protocol = std::make_unique<SwitchedProtocol>(
                NvlsTreeSwitchCosts(context, cut), context.seats, context.payloadShare, trees)};
}

} // namespace nadi::nccl
