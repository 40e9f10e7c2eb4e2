// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/in-network/tree-table.h"
#include "system/library/nccl/kernel-way.h"
#include "system/library/nccl/nvls-protocol.h"

#include <cstdint>

namespace nadi::nccl
{

/// The way of NVLS without messages: each member works for the time of the loops. `ports` outlives
/// the way.
KernelWay MakeNvlsWay(const CostContext& context, uint64_t bytes, NvlsPorts& ports);

/// The way of NVLS where the network computes: its messages go to the switch of the node and come
/// from it. `messages` as in MakeKernelWay. `trees` outlives the way.
KernelWay MakeSwitchedNvlsWay(const CostContext& context,
                              uint64_t bytes,
                              uint32_t messages,
                              const TreeTable& trees);

/// The same of NVLSTree: NVLS on the switch of each node, and messages between the nodes.
KernelWay MakeSwitchedNvlsTreeWay(const CostContext& context,
                                  const Placement& placement,
                                  uint64_t bytes,
                                  uint32_t messages,
                                  const TreeTable& trees);

} // namespace nadi::nccl
