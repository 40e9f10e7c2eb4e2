// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"

#include <compare>
#include <cstdint>

namespace nadi
{

/// The frames of one data priority on one direction of a link: what a pause stops, and what frames
/// wait for.
struct Channel
{
    LinkId link;
    uint8_t priority = 1; ///< of data, from 1

    constexpr auto operator<=>(const Channel&) const = default;
};

} // namespace nadi
