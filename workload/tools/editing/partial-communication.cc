// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/slice-selection.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// What the parts of one message or one collective on its ranks have in common, and no others do:
/// sends and receives meet by source, destination and tag, calls of a group by their order, both
/// in the static order of each rank.
struct MeetingKey
{
    uint32_t source = 0; ///< or the communicator
    uint32_t destination = 0;
    uint64_t tag = 0;
    uint32_t occurrence = 0;

    auto operator<=>(const MeetingKey&) const = default;
};

/// The part of one rank in a message or collective.
struct MeetingPart
{
    MeetingKey key;
    uint32_t rank = 0;
    uint32_t node = 0;

    auto operator<=>(const MeetingPart&) const = default;
};

/// Collects the parts of all ranks, and takes back those of which a part is missing.
class MeetingChecker
{
  public:
    MeetingChecker(const TraceJob& job, SliceSelection& selection)
        : m_job(job)
        , m_selection(selection)
    {
    }

    uint64_t Check()
    {
        for (uint32_t rank = 0; rank < m_job.RankCount(); ++rank)
        {
            if (!m_selection.keep[rank].empty())
            {
                Collect(rank);
            }
        }
        // One pass is enough: a node is part of one meeting only, so what is taken back makes no
        // other meeting partial.
        return DropPartial(m_messages) + DropPartial(m_collectives);
    }

  private:
    void Collect(uint32_t rank)
    {
        const ExecutionGraph& graph = m_job.GraphOf(rank);
        // Sends and receives of one key are counted apart: the first send meets the first receive.
        std::map<std::pair<NodeType, MeetingKey>, uint32_t> occurrences;
        // Calls that are not kept are counted too: calls meet by their numbers in the whole traces.
        for (const uint32_t index : graph.TopologicalOrder())
        {
            const ExecutionNode& node = graph.Node(index);
            const bool isMessage = node.type == NodeType::Send || node.type == NodeType::Receive;
            if (!isMessage && node.type != NodeType::Collective && !node.isOfGroup)
            {
                continue;
            }
            MeetingKey key = isMessage ? KeyOfMessage(rank, node) : KeyOfCollective(rank, node);
            // Loads and stores of a group are calls of one kind.
            const NodeType kind = node.isOfGroup ? NodeType::MemoryLoad : node.type;
            key.occurrence = occurrences[{kind, key}]++;
            (isMessage ? m_messages : m_collectives)
                .push_back({.key = key, .rank = rank, .node = index});
        }
    }

    static MeetingKey KeyOfMessage(uint32_t rank, const ExecutionNode& node)
    {
        const bool isSend = node.type == NodeType::Send;
        return {.source = isSend ? rank : node.peer,
                .destination = isSend ? node.peer : rank,
                .tag = node.tag};
    }

    MeetingKey KeyOfCollective(uint32_t rank, const ExecutionNode& node) const
    {
        return {.source = m_job.workload.communicatorOfGroup[rank][node.group].value,
                // Collectives and accesses to memory of a group are numbered apart.
                .tag = node.isOfGroup ? uint64_t{1} : 0};
    }

    bool IsKept(const MeetingPart& part) const
    {
        return m_selection.keep[part.rank][part.node];
    }

    /// Takes back meetings of which some parts are kept and others not. Returns how many parts were
    /// kept of these.
    uint64_t DropPartial(std::vector<MeetingPart>& parts)
    {
        // Sorted, so that the parts of one message or collective stand side by side.
        std::sort(parts.begin(), parts.end());
        uint64_t dropped = 0;
        for (auto first = parts.begin(); first != parts.end();)
        {
            const auto last =
                std::find_if(first,
                             parts.end(),
                             [first](const MeetingPart& part) { return part.key != first->key; });
            // A message to or from a rank that is cut off has one part here, so it is not partial.
            // RenameRanks refuses it.
            const auto kept = std::count_if(
                first, last, [this](const MeetingPart& part) { return IsKept(part); });
            if (kept != 0 && kept != last - first)
            {
                dropped += static_cast<uint64_t>(kept);
                std::for_each(first,
                              last,
                              [this](const MeetingPart& part)
                              { m_selection.keep[part.rank][part.node] = false; });
            }
            first = last;
        }
        return dropped;
    }

    const TraceJob& m_job;
    SliceSelection& m_selection;
    std::vector<MeetingPart> m_messages;
    std::vector<MeetingPart> m_collectives;
};

} // namespace

uint64_t
DropPartialCommunication(const TraceJob& job, SliceSelection& selection)
{
    return MeetingChecker(job, selection).Check();
}

} // namespace nadi
