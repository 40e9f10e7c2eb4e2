// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TIME_H
#define FABRIC_TIME_H

#include <cstdint>
#include <limits>

namespace ns3
{

/// \ingroup fabric
/// The last picosecond of the clock, after 106 days. Sums of times stop there instead of wrapping,
/// so a time that is too late compares as late, and never as the past. Nothing that would happen
/// then happens; one less than the largest number, because that stands for "never".
constexpr int64_t FABRIC_CLOCK_END = std::numeric_limits<int64_t>::max() - 1;

/// \ingroup fabric
/// time + span, at most FABRIC_CLOCK_END. Requires: span >= 0.
inline int64_t
FabricAddTime(int64_t time, int64_t span)
{
    int64_t sum = 0;
    return __builtin_add_overflow(time, span, &sum) || sum > FABRIC_CLOCK_END ? FABRIC_CLOCK_END
                                                                              : sum;
}

/// \ingroup fabric
/// count x span, at most FABRIC_CLOCK_END. Requires: span >= 0.
inline int64_t
FabricMultiplyTime(uint64_t count, int64_t span)
{
    uint64_t product = 0;
    const bool wraps = __builtin_mul_overflow(count, static_cast<uint64_t>(span), &product);
    return wraps || product > static_cast<uint64_t>(FABRIC_CLOCK_END)
               ? FABRIC_CLOCK_END
               : static_cast<int64_t>(product);
}

/// \ingroup fabric
/// A real number of picoseconds as a time, at most FABRIC_CLOCK_END. Requires: picoseconds >= 0.
inline int64_t
FabricToTime(double picoseconds)
{
    return picoseconds < static_cast<double>(FABRIC_CLOCK_END) ? static_cast<int64_t>(picoseconds)
                                                               : FABRIC_CLOCK_END;
}

} // namespace ns3

#endif /* FABRIC_TIME_H */
