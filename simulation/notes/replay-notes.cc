// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/replay-notes.h"

#include "common/text.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace nadi
{

namespace
{

/// Collectives, or messages, and those of them whose recording does not say how long they waited. A
/// graph that several ranks share counts once.
struct ReplayedCalls
{
    uint64_t calls = 0;
    uint64_t untold = 0;
    uint64_t uneven = 0; ///< of the untold, those whose members need not end together
};

struct ReplayedKinds
{
    ReplayedCalls collectives;
    ReplayedCalls messages; ///< sends and receives
};

ReplayedKinds
CountReplayedCalls(const Workload& workload)
{
    ReplayedKinds kinds;
    for (const ExecutionGraph& graph : workload.graphs)
    {
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            const ExecutionNode& node = graph.Node(index);
            const NodeRoute route = FindRoute(node);
            const bool isCollective = route == NodeRoute::Collective;
            if (!isCollective && route != NodeRoute::Send && route != NodeRoute::Receive)
            {
                continue;
            }
            ReplayedCalls& kind = isCollective ? kinds.collectives : kinds.messages;
            const bool isUntold = !graph.WaitOf(index);
            const bool isUneven = HasRoot(node.collective) || node.hasSplits;
            kind.calls += 1;
            kind.untold += isUntold ? 1 : 0;
            kind.uneven += isUntold && isCollective && isUneven ? 1 : 0;
        }
    }
    return kinds;
}

/// Which time such a call takes.
std::string
TextOfTimes(const ReplayedCalls& kind)
{
    const std::string shortest = "the shortest of its ranks";
    const std::string own = "on each rank without its wait for others";
    if (kind.untold == 0 || kind.untold == kind.calls)
    {
        return kind.untold == 0 ? own : shortest;
    }
    return fmt::format("{}, but {} where the trace does not tell the wait ({} of {})",
                       own,
                       shortest,
                       kind.untold,
                       kind.calls);
}

std::string
TextOfTimes(const ReplayedKinds& kinds)
{
    const auto& [collectives, messages] = kinds;
    const std::string ofCollective = TextOfTimes(collectives);
    const std::string ofMessage = TextOfTimes(messages);
    if (collectives.calls == 0 || messages.calls == 0 || ofCollective == ofMessage)
    {
        return "of each call " + (collectives.calls == 0 ? ofMessage : ofCollective);
    }
    return "of each collective " + ofCollective + ", and of each message " + ofMessage;
}

} // namespace

void
NoteReplay(const Workload& workload, std::vector<std::string>& notes)
{
    if (!workload.replaysCommunication)
    {
        return;
    }
    const ReplayedKinds kinds = CountReplayedCalls(workload);
    std::string note = "communication takes the times that the traces recorded, " +
                       TextOfTimes(kinds) + "; the network carries none of it";
    if (kinds.collectives.uneven > 0)
    {
        note += fmt::format("; {} with a root or with parts that differ may be too short, as "
                            "their ranks need not end together",
                            CountText(kinds.collectives.uneven, "call"));
    }
    notes.push_back(std::move(note));
}

} // namespace nadi
