// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/memory-options.h"
#include "network/topology.h"

#include <vector>

namespace nadi
{

/// Adds the memories of `groups` to a topology, each with its one link, in the order of the groups:
/// memory i of a group is `<name><i>`.
///
/// Throws ConfigError at the group: a pattern of `attach` fits no NPU and no switch; there is such
/// a name already; too many vertices.
/// Requires: `topology` is complete but for memories, and its ranks are not placed yet: patterns
/// mean the NPUs in the order of their own numbers.
void AttachMemories(Topology& topology, const std::vector<MemoryGroup>& groups);

} // namespace nadi
