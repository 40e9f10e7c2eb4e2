// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/tools/structure/task-order.h"
#include "workload/tools/structure/task-signature.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// The kernels and messages of a rank. Layers are looked for among these alone: sums of gradients
/// come when a bucket is full, in the midst of layers.
struct TaskSpine
{
    std::vector<size_t> places; ///< in the list of tasks
    std::vector<TaskSignature> signatures;
    std::vector<bool> isKernel;   ///< else a message
    std::vector<bool> isBackward; ///< by scope or name
};

TaskSpine MakeSpine(const ExecutionGraph& graph,
                    const TaskList& tasks,
                    const std::vector<TaskSignature>& signatures,
                    const RecordedOrder& order);

/// One layer of a pass: a part of the spine.
struct LayerSpan
{
    size_t begin = 0;
    size_t end = 0;
    std::optional<uint32_t> number; ///< as names say it
};

/// The layers of one pass, which follow each other without a gap.
using PassSpans = std::vector<LayerSpan>;

/// What a layer consists of.
std::vector<TaskSignature> BlockOf(const TaskSpine& spine, const LayerSpan& span);

/// The number after "layer", "layers", "block", "blocks" or "h." in a name, as in "model.layers.12"
/// or "layer 3 attention"; nothing where there is none.
std::optional<uint32_t> FindLayerNumber(std::string_view name);

/// The name with another such number, or as it is where it has none.
std::string RenumberLayer(std::string_view name, uint32_t number);

/// The layer of a task, as its scope says, or else its name.
std::optional<uint32_t>
FindLayerOf(const ExecutionGraph& graph, const RecordedOrder& order, uint32_t task);

/// Passes by the numbers in scopes, else in names (FindTurns, JoinParts). Empty where less than
/// half of the spine has one. A sum of gradients, which autograd runs in no layer, belongs to
/// the layer before.
std::vector<PassSpans> FindScopedPasses(const ExecutionGraph& graph,
                                        const TaskList& tasks,
                                        const TaskSpine& spine,
                                        const RecordedOrder& order);

/// Whether passes have layers at all, and two of different numbers are equal: those of a multilayer
/// perceptron have numbers too, but a shape of their own each.
bool HaveEqualLayers(const TaskSpine& spine, const std::vector<PassSpans>& passes);

/// Passes by repetition. Runs that follow each other at once, of layers of different kinds, are
/// two entries. Those that hold less than one part in fifty of the spine in all their passes
/// together are left out.
std::vector<PassSpans> FindRepeatedPasses(const TaskSpine& spine);

/// What the layers of a job are known to consist of, from other ranks.
struct KnownLayer
{
    std::vector<TaskSignature> block; ///< of the spine
    bool isForward = true;
};

/// Passes by known layers: where one of them stands in the spine. A pass is of one direction.
std::vector<PassSpans> FindKnownPasses(const TaskSpine& spine,
                                       const std::vector<KnownLayer>& known);

/// Whether `block`, repeated, holds all of `part`, which is shorter: then it is no layer, but
/// something that has layers.
bool HoldsLayer(const std::vector<TaskSignature>& block, const std::vector<TaskSignature>& part);

} // namespace nadi
