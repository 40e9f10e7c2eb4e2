// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What one call asks of one dimension of the logical stack.
struct DimensionDemand
{
    uint32_t members = 1; ///< different coordinates that the members have there
    /// What the busiest NPU sends or receives there; with `direct` on a ring or a mesh, what its
    /// links carry, with what it passes on for others.
    Bytes bytes;
    uint32_t links = 0;  ///< of the NPU's links there that the algorithm drives; 0: none
    uint32_t steps = 0;  ///< message steps of a chunk that follow one another
    SimTime stepLatency; ///< of each of them

    auto operator<=>(const DimensionDemand&) const = default;
};

/// What one call of a rank asks of the network. Equal ones are one kind of calls.
struct CallDemand
{
    std::string type;                        ///< "all-reduce", ..., or "point-to-point"
    Bytes size;                              ///< that the call names
    uint32_t ranks = 1;                      ///< members of the communicator; 2 for point-to-point
    std::vector<DimensionDemand> dimensions; ///< by dimension of the stack

    auto operator<=>(const CallDemand&) const = default;
};

} // namespace nadi
