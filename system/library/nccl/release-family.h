// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/machine.h"

#include <array>
#include <limits>

namespace nadi::nccl
{

/// A figure for each of LL, LL128 and Simple.
using ByProtocol = std::array<double, 3>;

/// What the library's own estimate of a time adds up, in us. It changed with the releases, so that
/// the same call runs differently under two of them.
///
/// Source: NCCL, src/graph/tuning.cc at the tags from v2.4 to v2.29.
struct ReleaseFamily
{
    static constexpr double NEVER = std::numeric_limits<double>::infinity();

    Release first; ///< with which these figures came
    ByProtocol treeBase;
    ByProtocol ringBase;
    ByProtocol treeLink; ///< a hop inside a node
    ByProtocol ringLink;
    ByProtocol treeNet; ///< a hop between nodes
    ByProtocol ringNet;
    double nvlsBase = NEVER;
    double nvlsNet = NEVER;
    double ringPlateau = 1; ///< factor on the latency of a Simple ring between nodes
};

/// Requires: ParseRelease gave it.
const ReleaseFamily& FamilyOf(Release release);

} // namespace nadi::nccl
