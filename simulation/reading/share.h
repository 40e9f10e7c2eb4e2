// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

namespace nadi
{

/// part / whole; 0 where the whole is 0.
inline double
ShareOf(SimTime part, SimTime whole)
{
    return whole == SimTime{} ? 0
                              : static_cast<double>(part.Ps()) / static_cast<double>(whole.Ps());
}

} // namespace nadi
