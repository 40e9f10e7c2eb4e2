// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

namespace nadi
{

/// A link of 50 GB/s, for tests that need one and no particular one.
inline constexpr Bandwidth RATE = Bandwidth::FromBitsPerSecond(400'000'000'000);
inline constexpr SimTime LATENCY = SimTime::FromNs(500);

} // namespace nadi
