// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/cost-context.h"
#include "system/library/nccl/costed-protocol.h"
#include "system/library/nccl/machine.h"
#include "system/library/nccl/nvls-protocol.h"

#include <cstdint>

namespace nadi::nccl
{

/// How a kernel is cut into messages.
struct KernelCut
{
    double size = 0;              ///< bytes of the call
    uint32_t channels = 1;        ///< that the library uses
    uint32_t lanes = 1;           ///< ways side by side: rings, and slices of them
    uint32_t pieces = 1;          ///< of a tree or chain, one behind the other
    uint32_t stepsPerMessage = 1; ///< of a ring
};

KernelCosts RingCosts(const CostContext& context, KernelProtocol protocol, const KernelCut& cut);
KernelCosts TreeCosts(const CostContext& context, KernelProtocol protocol, const KernelCut& cut);
KernelCosts ChainCosts(const CostContext& context, KernelProtocol protocol, const KernelCut& cut);
KernelCosts NvlsCosts(const CostContext& context, const KernelCut& cut);
KernelCosts NvlsTreeCosts(const CostContext& context, const KernelCut& cut);

/// What the members of NVLS do without messages, in `cut.pieces` turns.
NvlsTimes ComputeNvlsTimes(const CostContext& context, const KernelCut& cut);

/// Of grouped sends and receives: an all-to-all, a gather or a scatter. `channels` as
/// ChannelsOfSend has them for one send.
KernelCosts AllToAllCosts(const CostContext& context, uint32_t channels);

/// In so many slices, at least, NVLS moves what each GPU owns of a loop.
inline constexpr uint32_t NVLS_SLICES_OF_LOOP = 2;

/// Of NVLS on a switch that computes, for messages of members: each owns `cut.pieces` slices, of
/// which NVLS_SLICES_OF_LOOP are under way.
KernelCosts NvlsSwitchCosts(const CostContext& context, const KernelCut& cut);

/// Of NVLSTree on switches that compute: `cut.pieces` of each tree.
KernelCosts NvlsTreeSwitchCosts(const CostContext& context, const KernelCut& cut);

/// Loops in which NVLS or NVLSTree moves `size` bytes, and the bytes of one.
struct NvlsLoops
{
    double count = 1;
    double bytes = 0;
    double chunkShare = 1; ///< of the largest chunk, that the chunks have
};

NvlsLoops CountNvlsLoops(const Machine& machine, double size);

} // namespace nadi::nccl
