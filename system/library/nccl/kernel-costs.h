// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/node-hardware.h"
#include "system/collective-type.h"
#include "system/library/nccl/choice.h"
#include "system/library/nccl/cost-parameters.h"
#include "system/library/nccl/costed-protocol.h"
#include "system/library/nccl/machine.h"

#include <cstdint>

namespace nadi::nccl
{

/// How many GPUs a process of the job drives; it decides the least time of a call.
enum class Launch : uint8_t
{
    ProcessPerGpu,
    ProcessPerNode,
    Unknown, ///< the floor lies between those of both
};

/// What is measured of calls that follow each other.
enum class Calls : uint8_t
{
    Single,     ///< each call from its begin until the last rank has ended
    BackToBack, ///< the mean of many: ranks of a chain work on different calls at the same time
};

/// Whom the costs are for.
struct CostContext
{
    const CostParameters& values;
    NodeHardware hardware;
    Machine machine;
    CollectiveType type = CollectiveType::AllReduce;
    Launch launch = Launch::ProcessPerGpu;
    Calls calls = Calls::Single;
    bool isBlocking = false;
    bool usesRails = false;      ///< messages between rails go by a GPU of the right rail (PXN)
    double payloadShare = 1;     ///< of a full frame on the wire
    bool asksForConsent = false; ///< messages of LL beyond 4 KiB, as libfabric does
};

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
KernelCosts AllToAllCosts(const CostContext& context);

/// Loops in which NVLS or NVLSTree moves `size` bytes, and the bytes of one.
struct NvlsLoops
{
    double count = 1;
    double bytes = 0;
};

NvlsLoops CountNvlsLoops(const Machine& machine, double size);

/// The part of the rate of a node's links that rings get with the protocol.
double LinkShare(const CostParameters& values, KernelProtocol protocol);

/// The same of NICs.
double NicShare(const CostParameters& values, KernelProtocol protocol);

} // namespace nadi::nccl
