// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/node-hardware.h"
#include "system/collective-type.h"
#include "system/library/nccl/cost-parameters.h"
#include "system/library/nccl/machine.h"
#include "system/library/nccl/node-seats.h"

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
    const NodeSeats& seats; ///< outlives what is made for the context
    Machine machine;
    CollectiveType type = CollectiveType::AllReduce;
    Launch launch = Launch::ProcessPerGpu;
    Calls calls = Calls::Single;
    bool isBlocking = false;
    bool usesRails = false;      ///< messages between rails go by a GPU of the right rail (PXN)
    double payloadShare = 1;     ///< of a full frame on the wire
    bool asksForConsent = false; ///< messages of LL beyond 4 KiB, as libfabric does
};

} // namespace nadi::nccl
