// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace nadi
{

/// Where a task stands in its pass.
struct PassSlot
{
    enum class Part : uint8_t
    {
        Before,
        Layer,
        Extra,
        After,
    };

    Part part = Part::Before;
    uint32_t position = 0; ///< of the layer
    bool isKernel = false;
    uint32_t index = 0; ///< among kernels, or among messages and collectives, of this part

    auto operator<=>(const PassSlot&) const = default;
};

/// The passes of one rank of a recording, and where each of its tasks stands in them.
class RecordedStage
{
  public:
    struct Place
    {
        size_t pass = 0; ///< index into Passes()
        PassSlot slot;
    };

    /// The references outlive it.
    /// Throws ConfigError where passes have different numbers of layers.
    RecordedStage(const ExecutionGraph& graph, const RankStructure& rank);

    const ExecutionGraph& Graph() const
    {
        return m_graph;
    }

    const RankStructure& Rank() const
    {
        return m_rank;
    }

    const std::vector<PipelinePass>& Passes() const
    {
        return m_passes;
    }

    /// Nothing: the node is in no pass.
    const std::optional<Place>& PlaceOf(uint32_t node) const
    {
        return m_places[node];
    }

    /// What a node depends on.
    const std::vector<uint32_t>& ParentsOf(uint32_t node) const
    {
        return m_parents[node];
    }

    const std::map<PassSlot, uint32_t>& TasksOf(size_t pass) const
    {
        return m_tasks[pass];
    }

    /// For which the next pass waits.
    uint32_t LastKernelOf(size_t pass) const;

    bool IsOfLastMicroBatch(size_t pass) const
    {
        return m_passes[pass].microBatch + 1 == m_microBatches;
    }

    /// The recorded pass that one of `microBatches` micro-batches is like: of the same direction
    /// and chunk; that of the last micro-batch, which sums the gradients, for the last alone, and
    /// that of the first one for the first alone, if there are others.
    ///
    /// Throws ConfigError where a single micro-batch was recorded.
    size_t FindPattern(const PipelinePass& wanted, uint32_t microBatches) const;

    /// Whether a node waits for another task of the pass of one that it waits for.
    bool HasOtherInput(uint32_t node, uint32_t parent) const;

    /// Whether a node adds gradients to those of the micro-batch before, which the parent has.
    bool IsAddedTo(uint32_t node, uint32_t parent) const;

  private:
    void AddPlaces(size_t pass, PassSlot::Part part, uint32_t position, const TaskList& tasks);

    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    uint32_t m_microBatches = 0;
    std::vector<PipelinePass> m_passes;
    std::vector<std::vector<uint32_t>> m_parents;      // by node
    std::vector<std::optional<Place>> m_places;        // by node
    std::vector<std::map<PassSlot, uint32_t>> m_tasks; // by pass
};

} // namespace nadi
