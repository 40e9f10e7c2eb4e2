// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
#include "workload/execution-graph.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/group-origins.h"
#include "workload/what-if/host/host-weaver.h"
#include "workload/what-if/new-stage.h"
#include "workload/what-if/stage-tasks.h"
#include "workload/what-if/stage-waits.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Writes the graph of a stage (ChangePipeline). Every new pass has a recorded one as its pattern.
class StageCopier
{
  public:
    /// The references outlive it. Groups that the base does not have are added to `groups`.
    /// Throws ConfigError as StageTasks.
    StageCopier(const NewStage& stage, GroupOrigins& groups);

    /// Throws ConfigError for dependencies that have no pattern. Once only.
    ExecutionGraph Run();

    /// Of each of its tasks. Those that a pass has of a recorded one are a block, and those outside
    /// of passes are.
    std::vector<TaskOrigin> Origins() const;

  private:
    void Write(uint64_t id);
    NodeCopy Make(const NewTask& task);
    NodeCopy MakeMessage(const NewTask& task) const;
    NodeCopy MakeSumOfEnds();
    NodeCopy MakeCopy(const NewTask& task);
    uint32_t GroupOf(const NewTask& task, const ExecutionNode& node);
    void ResizeForCopy(const NewTask& task, ExecutionNode& node) const;
    std::string NameOf(const NewTask& task) const;
    void PointMessage(const NewTask& task, ExecutionNode& node) const;
    void SetPeer(size_t pass, ExecutionNode& node) const;

    const NewStage& m_stage;
    const RecordedStage& m_base;
    GroupOrigins& m_groups;
    StageTasks m_tasks;
    StageWaits m_waits;
    std::vector<bool> m_isOptimizer; // by node of the base
    ExecutionGraphBuilder m_builder;
};

} // namespace nadi
