// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/library/msccl-file/msccl-algorithm.h"
#include "workload/workload.h"

namespace nadi
{

/// The largest buffer that a step can move as many chunks of as a file may name.
inline constexpr Bytes LARGEST_MSCCL_BUFFER{int64_t{1} << 38};

/// The job that runs a collective algorithm once, a rank for each GPU. Every step becomes a node
/// for each thing it does, in this order: a receive, a compute node that adds or copies, a send.
///
/// Of `size` bytes of the collective's buffer (MscclAlgorithm::chunks says which one) a step of n
/// chunks moves ceil(size n / chunks). A compute node has the bytes that it reads and writes as its
/// memory, and an operation for each element of 4 bytes that it adds; under a roofline these make
/// its time, else it takes none.
///
/// A node depends on the last one of the step before in its thread block, and on that of the step
/// that it waits for. A send is done once it is delivered, as in all traces: so a thread block
/// waits longer than one of MSCCL, which goes on once its message is in a buffer of the channel.
/// Steps of type nop have no nodes: what waits for them waits for what they wait for. The tag of a
/// message is its channel. A node depends on nodes with smaller ids only.
///
/// Requires: `size` is at most LARGEST_MSCCL_BUFFER.
Workload MakeMscclWorkload(const MscclAlgorithm& algorithm, Bytes size);

} // namespace nadi
