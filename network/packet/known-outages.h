// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/link-fault.h"

#include <optional>
#include <vector>

namespace nadi
{

/// A time in which routes avoid a link.
struct KnownOutage
{
    LinkId link;
    SimTime from;                 ///< included
    std::optional<SimTime> until; ///< not included; none: forever

    bool operator==(const KnownOutage&) const = default;
};

/// What the routing knows of links that are down, if it needs `delay` to learn of a change: it
/// thinks a link down, or up again, once that has been so for `delay` without a break. So what is
/// over within `delay` is never known. Ordered by link and time; outages of one link do not touch.
///
/// Example with a delay of 10: down in [0, 5) is never known. Down in [8, 30) is known in [18, 40).
/// Down in [0, 20) and in [25, 30): the first end would be known at 30, but the link has failed
/// again by then, so routes avoid it in [10, 40).
std::vector<KnownOutage> FindKnownOutages(const std::vector<LinkFault>& faults, SimTime delay);

} // namespace nadi
