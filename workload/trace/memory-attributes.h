// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/memory-location.h"
#include "workload/execution-graph.h"
#include "workload/trace/node-record.h"

#include <string>
#include <string_view>

namespace nadi
{

/// What a memory node of a trace moves, and where: attribute tensor_loc, and those of the proposal
/// `chakra.mem` (mem_op, src_tier, dst_tier, bytes).
///
/// Fills in size, isRemote, isLocationOpen and, where mem_op says it, the type. Tier G1 is local
/// memory, any other is remote. Where neither the location nor a tier is said, `defaultLocation`
/// holds. A copy into G1 is a load and one out of it a store. ALLOC, FREE and MISS move nothing:
/// such a node becomes one that takes no time.
///
/// Throws NodeError: an unknown mem_op, tier or location; a copy that does not say both tiers, or
/// between two remote ones.
void ReadMemoryAttributes(const std::string& source,
                          const NodeRecord& record,
                          MemoryLocation defaultLocation,
                          ExecutionNode& node);

/// Whether it is a word that mem_op, src_tier or dst_tier may have.
bool IsMemoryWord(std::string_view text);

} // namespace nadi
