// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>

namespace nadi
{

constexpr SimTime
Ns(int64_t ns)
{
    return SimTime::FromNs(ns);
}

constexpr SimTime
Us(int64_t us)
{
    return SimTime::FromUs(us);
}

constexpr SimTime
Ms(int64_t ms)
{
    return SimTime::FromUs(1000 * ms);
}

} // namespace nadi
