// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-document.h"

namespace nadi
{

/// The quantity of `document` that is furthest from what real clusters have: the longest time, the
/// slowest rate, the largest size. Of no account are `at` and `until`, and what stands in `output`.
/// Null where every time is below 1000 s, every rate above 1 Mb/s
/// (or 1 MFLOP/s) and every size below 1 PB.
const ConfigNode* FindExtremeValue(const ConfigDocument& document);

/// The highest rate of bits in `document`; null where there is none.
const ConfigNode* FindHighestRate(const ConfigDocument& document);

} // namespace nadi
