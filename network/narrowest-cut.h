// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/cut-graph.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// The cut with the smallest rate that has the member `root` inside and another member outside:
/// what limits a broadcast, since all that the root sends must cross it. Its load is 1. Exact: one
/// flow for each member. Nothing where `root` is the only member.
std::optional<LoadedCut> FindNarrowestCut(const CutGraph& graph, uint32_t root);

} // namespace nadi
