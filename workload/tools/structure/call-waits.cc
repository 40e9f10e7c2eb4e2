// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/call-waits.h"

#include "common/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// A call of a rank that has a recorded duration.
struct RecordedCall
{
    uint32_t rank = 0;
    uint32_t node = 0;
    uint64_t nanos = 0;
    std::optional<uint64_t> waitNanos = {}; ///< nothing: the trace does not say it

    /// Requires: it says its wait.
    uint64_t WithoutWait() const
    {
        return nanos - std::min(nanos, *waitNanos);
    }
};

bool
AreWaitsKnown(const std::vector<RecordedCall>& members)
{
    return std::ranges::all_of(members,
                               [](const RecordedCall& call) { return call.waitNanos.has_value(); });
}

/// First the calls of all ranks are listed by communicator and number. Then a communicator with
/// several recorded callers compares them call by call, and one with a single caller compares its
/// calls of one kind with each other.
class WaitSeparation
{
  public:
    WaitSeparation(const Workload& workload, const std::vector<RecordedOrder>& orders)
        : m_workload(workload)
    {
        for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
        {
            ReadRank(rank, rank < orders.size() ? orders[rank] : RecordedOrder());
        }
    }

    CallWaits Separate()
    {
        m_result.ofRank.resize(m_workload.RankCount());
        for (const auto& [id, calls] : m_calls)
        {
            if (m_callers[id].size() > 1)
            {
                AddMet(calls);
            }
            else
            {
                AddAlone(calls);
            }
        }
        for (std::vector<CallTime>& calls : m_result.ofRank)
        {
            std::ranges::sort(calls, {}, &CallTime::node);
        }
        if (m_alone > 0)
        {
            m_result.notes.push_back(fmt::format(
                "{} calls were recorded on one member of their group: the low decile of calls of "
                "equal type and size stands for their transfer.",
                m_alone));
        }
        return std::move(m_result);
    }

  private:
    /// By number of the call on its communicator: those of the members.
    using Calls = std::map<uint64_t, std::vector<RecordedCall>>;

    void ReadRank(uint32_t rank, const RecordedOrder& order)
    {
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
        std::map<CommunicatorId, uint64_t> numbers;
        for (const uint32_t index : OrderTasks(graph, order))
        {
            const ExecutionNode& node = graph.Node(index);
            if (!IsCollectiveTask(node))
            {
                continue;
            }
            const CommunicatorId id = m_workload.communicatorOfGroup[rank][node.group];
            // Calls without a duration are counted too, or those after them would meet the wrong
            // calls of other ranks.
            const uint64_t number = numbers[id]++;
            if (node.durationPs > 0)
            {
                // Recorded durations are whole nanoseconds; the graph keeps picoseconds.
                const auto nanos = static_cast<uint64_t>(node.durationPs / 1000);
                m_calls[id][number].push_back({rank, index, nanos, FindWait(graph, index)});
                m_callers[id].insert(rank);
            }
        }
    }

    static std::optional<uint64_t> FindWait(const ExecutionGraph& graph, uint32_t index)
    {
        const std::optional<SimTime> wait = graph.WaitOf(index);
        return wait ? std::optional(static_cast<uint64_t>(wait->Ps() / 1000)) : std::nullopt;
    }

    /// Order: called for each member before the transfer of the call is added to the list, as the
    /// size of the list is taken for the index of the transfer.
    void Add(const RecordedCall& call, uint64_t transfer)
    {
        const uint64_t nanos = std::min(transfer, call.nanos);
        m_result.ofRank[call.rank].push_back(
            {call.node, m_result.transfers.size(), nanos, call.nanos - nanos});
    }

    void AddKnown(const std::vector<RecordedCall>& members)
    {
        uint64_t longest = 0;
        for (const RecordedCall& member : members)
        {
            Add(member, member.WithoutWait());
            longest = std::max(longest, member.WithoutWait());
        }
        m_result.transfers.push_back(longest);
    }

    /// Members for which no duration of the call was recorded are not compared. Where only one
    /// member has a duration, all of it counts as transfer.
    void AddMet(const Calls& calls)
    {
        for (const auto& [number, members] : calls)
        {
            if (AreWaitsKnown(members))
            {
                AddKnown(members);
                continue;
            }
            const uint64_t least =
                std::ranges::min_element(members, {}, &RecordedCall::nanos)->nanos;
            for (const RecordedCall& member : members)
            {
                Add(member, least);
            }
            m_result.transfers.push_back(least);
        }
    }

    /// One rank has made all calls here, so each number has one member. Calls of a type and size
    /// are taken to transfer equally long, and the quickest of them to have waited for nobody. Of
    /// more than ten calls that is not the least one, so that a single odd duration does not
    /// decide.
    void AddAlone(const Calls& calls)
    {
        std::map<std::pair<CollectiveType, uint64_t>, std::vector<uint64_t>> durations;
        const auto keyOf = [this](const RecordedCall& call)
        {
            const ExecutionNode& node = m_workload.GraphOf(RankId{call.rank}).Node(call.node);
            return std::pair(node.collective, node.size);
        };
        for (const auto& [number, members] : calls)
        {
            durations[keyOf(members.front())].push_back(members.front().nanos);
        }
        for (const auto& [number, members] : calls)
        {
            if (AreWaitsKnown(members))
            {
                AddKnown(members);
                continue;
            }
            const RecordedCall& call = members.front();
            const uint64_t decile = FindLowDecile(durations[keyOf(call)]);
            Add(call, decile);
            m_result.transfers.push_back(std::min(decile, call.nanos));
            ++m_alone;
        }
    }

    const Workload& m_workload;
    std::map<CommunicatorId, Calls> m_calls;
    std::map<CommunicatorId, std::set<uint32_t>> m_callers;
    CallWaits m_result;
    uint64_t m_alone = 0;
};

} // namespace

uint64_t
FindLowDecile(std::vector<uint64_t> values)
{
    NADI_CHECK(!values.empty());
    std::ranges::sort(values);
    return values[(values.size() - 1) / 10];
}

CallWaits
SeparateWaits(const Workload& workload, const std::vector<RecordedOrder>& orders)
{
    return WaitSeparation(workload, orders).Separate();
}

} // namespace nadi
