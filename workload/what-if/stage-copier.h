// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
#include "workload/execution-graph.h"
#include "workload/models/pipeline-schedule.h"
#include "workload/what-if/parameter-share.h"
#include "workload/what-if/recorded-stage.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What a stage of a new job is made of. The references outlive it.
struct NewStage
{
    const RecordedStage& base; ///< whose tasks it has
    /// Of a stage between others that no recording has: `base` is the last stage, which receives as
    /// it does, and this the first one, which sends as it does. Else null.
    const RecordedStage* first = nullptr;
    std::vector<bool> dropped = {};        ///< with it: groups of `base` that it is not in
    ParameterShare share = {};             ///< with it: for kernels of the optimizer
    std::vector<PipelinePass> passes;      ///< in its order
    uint32_t microBatches = 1;             ///< among them
    std::vector<uint32_t> firstLayers;     ///< by chunk: the number of its first layer in the model
    std::optional<uint32_t> nextPeer = {}; ///< `peer` of messages to the next stage; the one after
                                           ///< it is the stage before. Nothing: they stay
};

/// Writes the graph of a stage (ChangeStages). Every new pass has a recorded one as its pattern.
class StageCopier
{
  public:
    explicit StageCopier(const NewStage& stage);

    /// Throws ConfigError for dependencies that have no pattern. Once only.
    ExecutionGraph Run();

  private:
    /// A task of the new graph. Its id is its place among them.
    struct NewTask
    {
        const RecordedStage* source = nullptr;
        uint32_t node = 0;
        std::optional<size_t> pass; ///< of the new stage
    };

    const RecordedStage& SourceOf(size_t pass, PassSlot::Part part) const;
    const RecordedStage& PatternOf(size_t pass, const PassSlot& slot) const;
    size_t RecordedPass(const RecordedStage& stage, size_t pass) const;
    bool IsDropped(uint32_t node) const;
    void ListTasks();
    void AddPass(size_t pass);
    void AddParts(size_t pass, const RecordedStage& source, std::vector<PassSlot::Part> parts);
    void NumberTasks();
    void Write(uint64_t id);
    std::string NameOf(const NewTask& task) const;
    void PointMessage(const NewTask& task, ExecutionNode& node) const;
    std::vector<uint64_t> DependenciesOf(const NewTask& task) const;
    std::vector<uint64_t> DependenciesInPass(const NewTask& task) const;
    void AddOfPass(const RecordedStage& pattern,
                   uint32_t node,
                   uint32_t parent,
                   size_t pass,
                   std::vector<uint64_t>& ids) const;
    void AddOutside(uint32_t node, std::vector<uint64_t>& ids) const;
    void AddEndOfPasses(uint32_t node, uint32_t parent, std::vector<uint64_t>& ids) const;
    bool IsAfterEach(uint32_t node, const RecordedStage::Place& from) const;
    size_t FindPass(const PipelinePass& pass) const;
    uint64_t
    IdAt(const RecordedStage& stage, uint32_t node, size_t pass, const PassSlot& slot) const;
    [[noreturn]] static void FailAt(const RecordedStage& stage, uint32_t node);

    const NewStage& m_stage;
    const RecordedStage& m_base;
    std::vector<bool> m_isOptimizer; // by node of the base
    std::vector<NewTask> m_tasks;
    std::vector<std::map<PassSlot, uint64_t>> m_idAt; // by pass
    std::vector<uint64_t> m_lastKernel;               // by pass
    std::vector<uint64_t> m_idOfNode;                 // of the base, outside of passes
    ExecutionGraphBuilder m_builder;
};

} // namespace nadi
