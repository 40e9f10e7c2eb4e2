// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/host/host-weaver.h"

#include "workload/execution-graph-builder.h"
#include "workload/what-if/graph-copy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace nadi
{

namespace
{

/// Of operators behind all tasks.
constexpr size_t NO_BLOCK = SIZE_MAX;

/// Walks over the new order twice: tasks, and around each of them copies of the operators of its
/// original. The first walk gives ids, the second writes nodes with what they wait for.
///
/// An operator may wait for one that stands behind it, as that of another thread, so ids come
/// first. Queues grow in the second walk alone: they hold what was issued before the node that
/// asks.
class HostWeaver
{
  public:
    HostWeaver(const ExecutionGraph& tasks,
               const std::vector<TaskOrigin>& origins,
               const RecordedHost& last)
        : m_tasks(tasks)
        , m_parents(FindParents(tasks))
        , m_origins(origins)
        , m_last(last)
        , m_builder(tasks.Source())
    {
    }

    ExecutionGraph Run()
    {
        AddGroups(m_tasks, m_builder);
        ForEach([this](const Place& place) { Number(place); });
        m_next = 0;
        ForEach([this](const Place& place) { Write(place); });
        return m_builder.Build();
    }

  private:
    /// An operator of a source, or a task, whose source may be none.
    struct Place
    {
        TaskOrigin origin;
        std::optional<uint32_t> task; ///< of the new graph
    };

    /// Calls `visit` with each task and operator, in their new order.
    template <class Visit>
    void ForEach(const Visit& visit) const
    {
        for (uint32_t task = 0; task < m_tasks.NodeCount(); ++task)
        {
            const TaskOrigin& origin = m_origins[task];
            VisitOperators(origin, &RecordedHost::LeadOf, visit);
            visit(Place{origin, task});
            VisitOperators(origin, &RecordedHost::TrailOf, visit);
        }
        for (const uint32_t node : m_last.Tail())
        {
            visit(Place{{&m_last, node, NO_BLOCK}, std::nullopt});
        }
    }

    template <class Visit>
    static void VisitOperators(const TaskOrigin& origin,
                               const TaskList& (RecordedHost::*operators)(uint32_t task) const,
                               const Visit& visit)
    {
        if (origin.source != nullptr)
        {
            for (const uint32_t node : (origin.source->*operators)(origin.node))
            {
                visit(Place{{origin.source, node, origin.block}, std::nullopt});
            }
        }
    }

    void Number(const Place& place)
    {
        if (place.task)
        {
            m_idOfTask.push_back(m_next);
        }
        if (place.origin.source != nullptr)
        {
            // If a source has a node twice in a block, the first copy stands for it.
            m_copies[place.origin.source][place.origin.block].emplace(place.origin.node, m_next);
        }
        ++m_next;
    }

    void Write(const Place& place)
    {
        NodeCopy copy = place.task ? CopyNode(m_tasks, *place.task)
                                   : CopyNode(place.origin.source->Graph(), place.origin.node);
        copy.node.id = m_next;
        std::vector<uint64_t> ids;
        for (const uint32_t parent : place.task ? m_parents[*place.task] : TaskList())
        {
            ids.push_back(m_idOfTask[parent]);
        }
        if (place.origin.source != nullptr)
        {
            FollowOrigin(place, ids);
        }
        m_queues[QueueOf(copy.node)].push_back(m_next);
        AddCopy(std::move(copy), ids, m_builder);
        ++m_next;
    }

    /// Among tasks of the accelerator, the new graph knows what waits for what.
    void FollowOrigin(const Place& place, std::vector<uint64_t>& ids) const
    {
        const RecordedHost& source = *place.origin.source;
        // An operator that was the first of its thread waited for nothing there. Its copy may stand
        // behind others, and has to wait for the one before, as a thread does one thing at a time.
        // A task of the accelerator has the waits of its stream in the new graph already.
        const bool goesOn = place.task || !source.IsFirstOfQueue(place.origin.node);
        for (const uint32_t parent : source.ParentsOf(place.origin.node))
        {
            // Of a task, only the operators that it waits for are followed here.
            if (!place.task || source.Graph().Node(parent).isCpu)
            {
                AddOnce(Follow(place.origin, parent), ids);
            }
        }
        if (!goesOn)
        {
            AddOnce(FindInQueue(source.Graph().Node(place.origin.node), 0), ids);
        }
    }

    std::optional<uint64_t> Follow(const TaskOrigin& origin, uint32_t parent) const
    {
        const auto& copies = m_copies.at(origin.source).at(origin.block);
        const auto copy = copies.find(parent);
        if (copy != copies.end())
        {
            return copy->second;
        }
        return FindInQueue(origin.source->Graph().Node(parent),
                           origin.source->IssuedBetween(parent, origin.node));
    }

    static std::pair<bool, uint32_t> QueueOf(const ExecutionNode& node)
    {
        return {node.isCpu, node.stream};
    }

    /// What stands so far back in the queue of a node. Nothing: the queue has no more.
    std::optional<uint64_t> FindInQueue(const ExecutionNode& node, uint32_t back) const
    {
        const auto queue = m_queues.find(QueueOf(node));
        if (queue == m_queues.end() || queue->second.size() <= back)
        {
            return std::nullopt;
        }
        return queue->second[queue->second.size() - 1 - back];
    }

    static void AddOnce(std::optional<uint64_t> id, std::vector<uint64_t>& ids)
    {
        if (id && std::ranges::find(ids, *id) == ids.end())
        {
            ids.push_back(*id);
        }
    }

    const ExecutionGraph& m_tasks;
    std::vector<std::vector<uint32_t>> m_parents; // by task
    const std::vector<TaskOrigin>& m_origins;
    const RecordedHost& m_last;
    ExecutionGraphBuilder m_builder;
    uint64_t m_next = 0; ///< the id of the next copy
    std::vector<uint64_t> m_idOfTask;
    /// By source, block and its node.
    std::map<const RecordedHost*, std::map<size_t, std::unordered_map<uint32_t, uint64_t>>>
        m_copies;
    /// Ids by host or not, and stream.
    std::map<std::pair<bool, uint32_t>, std::vector<uint64_t>> m_queues;
};

} // namespace

ExecutionGraph
WeaveHost(const ExecutionGraph& tasks,
          const std::vector<TaskOrigin>& origins,
          const RecordedHost& last)
{
    return HostWeaver(tasks, origins, last).Run();
}

} // namespace nadi
