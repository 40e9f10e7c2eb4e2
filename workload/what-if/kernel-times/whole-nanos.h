// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cmath>
#include <cstdint>

namespace nadi
{

/// A duration in picoseconds, in nanoseconds.
inline double
ToNanos(int64_t ps)
{
    return static_cast<double>(ps) / 1000;
}

/// A duration in picoseconds: whole nanoseconds, rounded to the nearest, as traces have them.
inline int64_t
FromNanos(double nanos)
{
    return std::llround(nanos) * 1000;
}

} // namespace nadi
