// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/recorded-memory.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The memory of an accelerator over the time of a recording.
///
/// Holds: as many times as values; the first time is 0.
struct MemoryUse
{
    std::vector<uint64_t> nanos;         ///< since the begin; what follows holds from then on
    std::vector<int64_t> allocatedBytes; ///< what tensors have
    std::vector<int64_t> reservedBytes;  ///< what the allocator has of the device
    int64_t peakBytes = 0;               ///< the most that was allocated
    uint64_t peakNanos = 0;              ///< when that was so first
    double meanBytes = 0;                ///< allocated, over the whole time
    int64_t reservedPeakBytes = 0;
};

/// The use from `begin` to `end`, two instants on the clock of the recording. What was allocated
/// before is known from the last event before the begin, else from the first one after it.
///
/// Requires: begin < end; at least one event.
MemoryUse FindMemoryUse(const RecordedMemory& memory, int64_t begin, int64_t end);

} // namespace nadi
