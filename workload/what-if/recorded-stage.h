// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/host/recorded-host.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
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

    bool IsInLayer() const
    {
        return part == Part::Layer || part == Part::Extra;
    }

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

    /// Whose operators are no tasks of the stage.
    const RecordedHost& Host() const
    {
        return m_host;
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

    /// What a task depends on, apart from the host.
    const std::vector<uint32_t>& ParentsOf(uint32_t node) const
    {
        return m_parents[node];
    }

    /// The same by node.
    const std::vector<std::vector<uint32_t>>& Parents() const
    {
        return m_parents;
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

    /// Whether the only recorded micro-batch is both the first and the last.
    bool HasOnlyMicroBatch() const
    {
        return m_microBatches == 1;
    }

    /// The recorded pass that one of `microBatches` micro-batches is like: of the same direction
    /// and chunk; that of the last micro-batch, which sums the gradients, for the last alone, and
    /// that of the first one for the first alone, if there are others. A forward pass with others
    /// before it is not like the first one of all, if there are others.
    ///
    /// Throws ConfigError where there is none of its direction and chunk.
    size_t FindPattern(const PipelinePass& wanted, uint32_t microBatches, bool isFirstOfAll) const;

    /// Whether a task sums gradients over copies, or parts of them.
    bool IsGradientSum(uint32_t node) const;

    /// Whether it gathers parameters of which each copy has a shard.
    bool IsParameterGather(uint32_t node) const;

    /// Whether gradients are summed after every micro-batch, as where parameters are gathered for
    /// each pass.
    bool SumsEachMicroBatch() const
    {
        return m_sumsEachMicroBatch;
    }

    /// Whether what stands there in backward passes of a chunk adds to the gradients of the
    /// micro-batch before, as a recorded pass does. Of a single micro-batch, what is summed or
    /// updated once it is there.
    bool IsAccumulating(uint32_t chunk, const PassSlot& slot) const
    {
        return m_accumulating.contains({chunk, slot});
    }

    /// Whether a node waits for another task of the pass of one that it waits for, or for what it
    /// receives.
    bool HasOtherInput(uint32_t node, uint32_t parent) const;

    /// Whether a node adds gradients to those of the micro-batch before, which the parent has.
    bool IsAddedTo(uint32_t node, uint32_t parent) const;

  private:
    void AddPlaces(size_t pass, PassSlot::Part part, uint32_t position, const TaskList& tasks);
    TaskList SumsBehind(size_t pass, const TaskList& after) const;
    void FindAccumulating();
    void AddAccumulatingOf(uint32_t node);
    bool IsCallOfCopies(uint32_t node) const;
    bool HasForwardGather() const;
    std::vector<size_t> PassesLike(const PipelinePass& wanted) const;

    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    RecordedHost m_host;
    uint32_t m_microBatches = 0;
    std::vector<PipelinePass> m_passes;
    bool m_sumsEachMicroBatch = false;
    std::vector<std::vector<uint32_t>> m_parents;           // by node
    std::vector<std::optional<Place>> m_places;             // by node
    std::vector<std::map<PassSlot, uint32_t>> m_tasks;      // by pass
    std::vector<bool> m_isOfCopies;                         // by group: it sums gradients
    std::set<std::pair<uint32_t, PassSlot>> m_accumulating; // by chunk
};

} // namespace nadi
