// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/analysis/memory-use.h"

#include <algorithm>

namespace nadi
{

namespace
{

void
AddLevel(uint64_t nanos, int64_t allocated, int64_t reserved, MemoryUse& use)
{
    use.nanos.push_back(nanos);
    use.allocatedBytes.push_back(allocated);
    use.reservedBytes.push_back(reserved);
}

/// What the allocator had at the begin; `first` is the first event after it.
void
AddFirstLevel(const RecordedMemory& memory, size_t first, MemoryUse& use)
{
    if (first > 0)
    {
        AddLevel(0, memory.allocatedBytes[first - 1], memory.reservedBytes[first - 1], use);
        return;
    }
    // The first event says what was allocated after it, and by how much it changed that.
    AddLevel(0, memory.allocatedBytes[0] - memory.changeBytes[0], memory.reservedBytes[0], use);
}

void
SumUp(uint64_t total, MemoryUse& use)
{
    const auto peak = std::ranges::max_element(use.allocatedBytes);
    use.peakBytes = *peak;
    use.peakNanos = use.nanos[static_cast<size_t>(peak - use.allocatedBytes.begin())];
    use.reservedPeakBytes = *std::ranges::max_element(use.reservedBytes);
    double sum = 0;
    for (size_t at = 0; at < use.nanos.size(); ++at)
    {
        // A level lasts until the next event, the last one until the end.
        const uint64_t until = at + 1 < use.nanos.size() ? use.nanos[at + 1] : total;
        sum += static_cast<double>(use.allocatedBytes[at]) *
               static_cast<double>(until - use.nanos[at]);
    }
    use.meanBytes = sum / static_cast<double>(total);
}

} // namespace

MemoryUse
FindMemoryUse(const RecordedMemory& memory, int64_t begin, int64_t end)
{
    MemoryUse use;
    const auto first =
        static_cast<size_t>(std::ranges::upper_bound(memory.nanos, begin) - memory.nanos.begin());
    AddFirstLevel(memory, first, use);
    // Events at `begin` itself are in the first level already, as `first` is after them.
    for (size_t at = first; at < memory.nanos.size() && memory.nanos[at] <= end; ++at)
    {
        AddLevel(static_cast<uint64_t>(memory.nanos[at] - begin),
                 memory.allocatedBytes[at],
                 memory.reservedBytes[at],
                 use);
    }
    SumUp(static_cast<uint64_t>(end - begin), use);
    return use;
}

} // namespace nadi
