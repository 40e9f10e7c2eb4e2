// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// What the host did in a recorded graph, dealt to the tasks of the accelerator that it led up to.
///
/// Tasks stand in the queue of their stream, and operators in that of their thread, in the order in
/// which the program issued them: operators when they began, tasks when they were launched.
class RecordedHost
{
  public:
    /// The reference outlives it.
    explicit RecordedHost(const ExecutionGraph& graph);

    const ExecutionGraph& Graph() const
    {
        return m_graph;
    }

    bool IsEmpty() const
    {
        return m_isEmpty;
    }

    /// The operators that led up to the launch of this task, with it as the last. None for tasks
    /// that were launched together with another one, or by nobody.
    const TaskList& LeadOf(uint32_t task) const
    {
        return m_leads[task];
    }

    /// The operators behind its launch that wait for what was issued until then, up to the last of
    /// them: a synchronisation ends what was before it. They lead up to no other launch.
    const TaskList& TrailOf(uint32_t task) const
    {
        return m_trails[task];
    }

    /// The other operators behind the last launch.
    const TaskList& Tail() const
    {
        return m_tail;
    }

    /// What a node depends on.
    const std::vector<uint32_t>& ParentsOf(uint32_t node) const
    {
        return m_parents[node];
    }

    /// How many were put into the queue of a node behind it, before `later` was issued. Requires:
    /// it is not empty.
    uint32_t IssuedBetween(uint32_t node, uint32_t later) const;

    /// Requires: likewise.
    bool IsFirstOfQueue(uint32_t node) const;

  private:
    using Issue = std::pair<uint32_t, uint32_t>; // when: the operator's place; then the node itself

    void FindIssues();
    void Deal();
    void Close(std::optional<uint32_t> task, TaskList& gap);
    bool IsEndOf(uint32_t launch, uint32_t node) const;
    const std::vector<Issue>& QueueOf(uint32_t node) const;

    const ExecutionGraph& m_graph;
    std::vector<std::vector<uint32_t>> m_parents;                     // by node
    std::vector<TaskList> m_leads;                                    // by node
    std::vector<TaskList> m_trails;                                   // by node
    std::vector<Issue> m_issues;                                      // by node
    std::map<std::pair<bool, uint32_t>, std::vector<Issue>> m_queues; // by host or not, and stream
    TaskList m_tail;
    bool m_isEmpty;
};

} // namespace nadi
