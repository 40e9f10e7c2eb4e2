// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

namespace nadi
{

/// What a test sets that needs an endpoint delay and no particular one.
inline constexpr SimTime ENDPOINT_DELAY = SimTime::FromNs(10);

} // namespace nadi
