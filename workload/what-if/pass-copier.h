// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
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

/// Writes the graph of one rank with other passes (ChangePasses). Every new pass has a recorded one
/// as its pattern.
class PassCopier
{
  public:
    using Passes = std::vector<PipelinePass>;

    /// The order of the stage, as recorded and as it is to be. The references outlive it.
    PassCopier(const ExecutionGraph& graph,
               const RankStructure& rank,
               const Passes& recorded,
               const Passes& wanted);

    /// Throws ConfigError for dependencies that have no such pattern. Once only.
    ExecutionGraph Run();

  private:
    /// A task of the new graph. Its id is its place among them.
    struct NewTask
    {
        uint32_t source = 0;
        std::optional<size_t> pass; ///< of those wanted
    };

    struct TaskPlace
    {
        size_t pass = 0; ///< of those recorded
        PassSlot slot;
    };

    void FindPlaces();
    void AddPlaces(size_t pass, PassSlot::Part part, uint32_t position, const TaskList& tasks);
    void ChoosePatterns();
    size_t ChoosePattern(const PipelinePass& wanted) const;
    void ListTasks();
    std::vector<uint64_t> FindDependencies(const NewTask& task) const;
    void AddOfPass(const NewTask& task, uint32_t parent, std::vector<uint64_t>& ids) const;
    size_t FindAt(const NewTask& task, size_t like, uint32_t before) const;
    bool IsAddedTo(const NewTask& task, const TaskPlace& from) const;
    bool HasOtherInput(uint32_t node, uint32_t parent) const;
    uint32_t LastKernelOf(size_t pass) const;
    void AddOutside(uint32_t node, const TaskPlace& from, std::vector<uint64_t>& ids) const;
    uint64_t IdAt(uint32_t node, size_t pass, const PassSlot& slot) const;
    [[noreturn]] void FailAt(uint32_t node) const;

    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    const Passes& m_recorded;
    const Passes& m_wanted;
    std::vector<std::vector<uint32_t>> m_parents;       // by node
    std::vector<std::optional<TaskPlace>> m_places;     // by node
    std::vector<std::map<PassSlot, uint32_t>> m_nodeAt; // by recorded pass
    std::vector<size_t> m_patterns;                     // of those wanted: recorded ones
    std::vector<NewTask> m_tasks;
    std::vector<std::map<PassSlot, uint64_t>> m_idAt; // by wanted pass
    std::vector<uint64_t> m_idOfNode;                 // outside of passes
    ExecutionGraphBuilder m_builder;
};

} // namespace nadi
