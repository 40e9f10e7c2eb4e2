// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/layer-spans.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// By place in the spine: whether a pass begins there that goes on with the layer before it.
///
/// Without a head, a pass backward begins with the layer that the pass forward ends with, and
/// without an embedding, the next pass forward with the layer that this one ends with. The numbers
/// of the layers rise and fall then with nothing between. Where a pass backward computes its layers
/// again, its first layer begins behind as many kernels as the layer before that one has forward.
/// Passes of a single layer have no numbers that rise or fall (FindPassesOfLoneLayers).
///
/// `numbers`: of the layers, by place; nothing for what is in none.
std::vector<bool> FindTurns(const ExecutionGraph& graph,
                            const TaskList& tasks,
                            const TaskSpine& spine,
                            const std::vector<std::optional<uint32_t>>& numbers);

/// Joins passes that are parts of one, as where a model has stages of blocks, each of which numbers
/// its blocks from 0. These follow each other without a gap in one direction, go through different
/// numbers of layers, and no layer of the one is equal to one of the next. Joined layers get
/// numbers of their own, in the order of a pass forward.
std::vector<PassSpans> JoinParts(const TaskSpine& spine, std::vector<PassSpans> passes);

} // namespace nadi
