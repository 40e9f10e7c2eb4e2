// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-type.h"

#include <cstdint>

namespace nadi
{

/// What the busiest NPU of a line of `ranks` sends in one phase of an algorithm without
/// helpers, or receives if that is more. With
/// n = `held`, the bytes that an NPU (scatter: the root) holds when the phase begins:
///   reduce-scatter, all-to-all, scatter: n (p-1)/p     all-reduce: twice that
///   all-gather, gather: n (p-1)                        broadcast, reduce: n
/// A fraction of a byte counts as one.
Bytes PhaseTraffic(CollectiveType type, Bytes held, uint32_t ranks);

} // namespace nadi
