// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Something that is wrong with some links for a while; an entry of `network.faults`.
/// Holds: exactly one of isDown, loss > 0 and bandwidth.
struct LinkFault
{
    SimTime at;                         ///< from then on, included
    std::optional<SimTime> until;       ///< not included, later than `at`; none: forever
    std::vector<LinkId> links;          ///< directions; both of each link that was named
    bool isDown = false;                ///< what is on the link at `at` is lost
    double loss = 0;                    ///< probability for each frame, control frames too
    std::optional<Bandwidth> bandwidth; ///< of frames that start meanwhile
    std::string where;                  ///< its place, for errors
};

} // namespace nadi
