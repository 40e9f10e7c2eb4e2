// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/topology.h"

namespace nadi
{

/// Whether messages may cross NPUs that are neither their source nor their destination, while no
/// link has failed.
///
/// Holds: if not, a link at an NPU carries only what this NPU sends or receives. So it is in a
/// stack of one dimension on switches or with all NPUs joined, and elsewhere where switches alone
/// join all NPUs, or links all pairs of them. In rings, tori and meshes NPUs
/// forward, and wherever memories hang on NPUs.
bool MayCrossNpus(const Topology& topology);

} // namespace nadi
