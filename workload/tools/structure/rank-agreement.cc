// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/rank-agreement.h"

#include "workload/tools/structure/task-order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace nadi
{

namespace
{

/// A call, as far as all members of its group must agree.
struct AgreedCall
{
    CollectiveType type = CollectiveType::AllReduce;
    uint64_t size = 0; ///< 0 where members may differ

    bool operator==(const AgreedCall&) const = default;
};

using AgreedCalls = std::vector<AgreedCall>;

/// Requires: the lists differ. Lengths are compared first, as one list may be the begin of the
/// other.
std::string
DescribeDifference(uint32_t rank,
                   const AgreedCalls& calls,
                   uint32_t other,
                   const AgreedCalls& others)
{
    if (calls.size() != others.size())
    {
        return fmt::format("rank {} calls {} collectives of a group, and rank {} of the same group "
                           "{}",
                           rank,
                           calls.size(),
                           other,
                           others.size());
    }
    const auto [one, two] = std::ranges::mismatch(calls, others);
    return fmt::format("call {} of a group is {} of {} bytes on rank {}, and {} of {} on rank {}",
                       one - calls.begin() + 1,
                       ToText(one->type),
                       one->size,
                       rank,
                       ToText(two->type),
                       two->size,
                       other);
}

/// Compares what the members of each communicator call on it.
class AgreementCheck
{
  public:
    explicit AgreementCheck(const Workload& workload)
        : m_workload(workload)
    {
        for (const ExecutionGraph& graph : workload.graphs)
        {
            m_ofGraph.push_back(ListCalls(graph));
        }
    }

    std::string Find()
    {
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            // Groups of different names on different ranks may be one communicator, so calls are
            // listed by its id.
            for (const auto& [id, calls] : CallsOf(rank))
            {
                m_callers[id].push_back({rank, calls});
            }
        }
        for (const auto& [id, callers] : m_callers)
        {
            const std::string difference = Compare(id, callers);
            if (!difference.empty())
            {
                return difference;
            }
        }
        return "";
    }

  private:
    struct Caller
    {
        uint32_t rank = 0;
        const AgreedCalls* calls = nullptr;
    };

    using ByGroup = std::map<uint32_t, AgreedCalls>;

    /// In the order of the program.
    static ByGroup ListCalls(const ExecutionGraph& graph)
    {
        ByGroup calls;
        for (const uint32_t index : FindProgramOrder(graph, {}))
        {
            const ExecutionNode& node = graph.Node(index);
            if (IsCollectiveTask(node))
            {
                calls[node.group].push_back(CallOf(node));
            }
        }
        return calls;
    }

    static AgreedCall CallOf(const ExecutionNode& node)
    {
        // Members of an all-to-all may send different amounts, as where tokens go to experts.
        const bool mayDiffer = node.collective == CollectiveType::AllToAll;
        return {node.collective, mayDiffer ? 0 : node.size};
    }

    /// The calls of a rank by communicator. Ranks that share a graph share the lists, unless two
    /// groups are one communicator.
    std::map<uint32_t, const AgreedCalls*> CallsOf(uint32_t rank)
    {
        const std::vector<CommunicatorId>& ids = m_workload.communicatorOfGroup[rank];
        std::map<uint32_t, const AgreedCalls*> calls;
        for (const auto& [group, own] : m_ofGraph[m_workload.graphOfRank[rank]])
        {
            // Two groups of the same ranks are one communicator. Their calls must be in the order
            // in which the rank makes them, and the lists by group do not tell that.
            if (!calls.try_emplace(ids[group].value, &own).second)
            {
                return JoinCalls(rank);
            }
        }
        return calls;
    }

    std::map<uint32_t, const AgreedCalls*> JoinCalls(uint32_t rank)
    {
        // Callers point to these lists, and a deque does not move what it holds when it grows.
        std::map<uint32_t, AgreedCalls>& joined = m_joined.emplace_back();
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
        for (const uint32_t index : FindProgramOrder(graph, {}))
        {
            const ExecutionNode& node = graph.Node(index);
            if (IsCollectiveTask(node))
            {
                joined[m_workload.communicatorOfGroup[rank][node.group].value].push_back(
                    CallOf(node));
            }
        }
        std::map<uint32_t, const AgreedCalls*> calls;
        for (const auto& [id, list] : joined)
        {
            calls.emplace(id, &list);
        }
        return calls;
    }

    std::string Compare(uint32_t id, const std::vector<Caller>& callers) const
    {
        // The calls of a member that makes none, which is not among the callers.
        static const AgreedCalls none;
        const Caller& first = callers.front();
        for (const Caller& caller : callers)
        {
            // Ranks that share a graph mostly share the list, and then two pointers are all that is
            // compared.
            if (caller.calls != first.calls && *caller.calls != *first.calls)
            {
                return DescribeDoubt(
                    DescribeDifference(first.rank, *first.calls, caller.rank, *caller.calls));
            }
        }
        for (const RankId member : m_workload.communicators[id].ranks)
        {
            // The count is compared first: a large group in which all members call needs no search.
            const bool isSilent =
                callers.size() < m_workload.communicators[id].ranks.size() &&
                std::ranges::find(callers, member.value, &Caller::rank) == callers.end();
            if (isSilent)
            {
                return DescribeDoubt(
                    DescribeDifference(first.rank, *first.calls, member.value, none));
            }
        }
        return "";
    }

    const Workload& m_workload;
    std::vector<ByGroup> m_ofGraph;
    std::map<uint32_t, std::vector<Caller>> m_callers; ///< by communicator
    std::deque<ByGroup> m_joined;                      ///< by communicator, of some ranks
};

} // namespace

std::string
DescribeDoubt(const std::string& difference)
{
    return fmt::format("The ranks do not fit together: {}. They may be recordings of different "
                       "jobs, or of different parts of one.",
                       difference);
}

std::string
FindDisagreement(const Workload& workload)
{
    return AgreementCheck(workload).Find();
}

} // namespace nadi
