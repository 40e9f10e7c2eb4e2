// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/library/nccl/choice.h"
#include "system/library/nccl/costed-protocol.h"
#include "system/library/nccl/kernel-costs.h"
#include "system/library/nccl/placement.h"

#include <cstdint>
#include <memory>
#include <string>

namespace nadi::nccl
{

/// Every lane of a plan runs at once.
inline constexpr uint32_t ALL_LANES = uint32_t{1} << 24;

/// How one kernel runs on a communicator: its plans, and what its messages and calls cost.
struct KernelWay
{
    std::string name; ///< "ring", "tree", "chain", "nvls", "nvls-tree", "peer-to-peer"
    std::unique_ptr<CollectiveAlgorithm> planner;
    std::unique_ptr<CostedProtocol> protocol;
    uint32_t lanesAtOnce = ALL_LANES;
};

/// The way of a kernel for a call of `bytes`. One collective is simulated with at most about
/// `messages` messages: rings get messages for several steps, trees and chains fewer pieces.
/// Requires: not NVLS (MakeNvlsWay).
KernelWay MakeKernelWay(const Kernel& kernel,
                        const CostContext& context,
                        const Placement& placement,
                        uint64_t bytes,
                        uint32_t messages);

/// All-to-all: sends and receives between all pairs, a few peers at a time; on rails by PXN. Gather
/// and scatter: those of the root with each other member. `channels` as in AllToAllCosts.
KernelWay
MakeExchangeWay(const CostContext& context, const Placement& placement, uint32_t channels);

/// Whether the kernel of a type runs around whole rings, so that its way depends on the size only
/// by the number of channels.
bool IsAroundRings(const Kernel& kernel, CollectiveType type);

} // namespace nadi::nccl
