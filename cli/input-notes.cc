// SPDX-License-Identifier: GPL-2.0-only
#include "cli/input-notes.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

template <class Predicate>
uint64_t
CountNodes(const Workload& workload, const Predicate& isCounted)
{
    uint64_t count = 0;
    for (const ExecutionGraph& graph : workload.graphs)
    {
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            count += isCounted(graph.Node(index)) ? 1 : 0;
        }
    }
    return count;
}

/// A trace taken out of a larger job looks like a job: what it communicates would vanish silently.
void
NoteLonelyCollectives(const Workload& workload, std::vector<std::string>& notes)
{
    const auto isCollective = [](const ExecutionNode& node)
    { return node.type == NodeType::Collective && !node.isCpu; };
    const uint64_t count = workload.RankCount() == 1 ? CountNodes(workload, isCollective) : 0;
    if (count > 0)
    {
        notes.push_back(fmt::format("the job has one rank: its collectives ({}) take no time; a "
                                    "larger job needs the traces of its other ranks",
                                    count));
    }
}

/// Generated traces count operations and leave the durations to the simulator.
void
NoteUntimedCompute(const Config& config, const Workload& workload, std::vector<std::string>& notes)
{
    if (config.system.compute.model != ComputeOptions::Model::Trace)
    {
        return;
    }
    const auto isUntimed = [](const ExecutionNode& node)
    { return node.type == NodeType::Compute && node.durationPs == 0 && node.operations > 0; };
    const uint64_t count = CountNodes(workload, isUntimed);
    if (count > 0)
    {
        notes.push_back(fmt::format("{} compute nodes of the traces have operations but no "
                                    "duration and take no time; write system.compute: {{model: "
                                    "roofline, ...}} to time them",
                                    count));
    }
}

void
NoteUnusedNpus(uint32_t ranks, uint32_t npus, std::vector<std::string>& notes)
{
    if (ranks < npus)
    {
        notes.push_back(fmt::format("the job has {} rank{} on {} NPUs: the first {} used",
                                    ranks,
                                    ranks == 1 ? "" : "s",
                                    npus,
                                    ranks == 1 ? "is" : fmt::format("{} are", ranks)));
    }
}

} // namespace

std::vector<std::string>
FindInputNotes(const Config& config, const Topology& topology, const Workload& workload)
{
    std::vector<std::string> notes;
    NoteLonelyCollectives(workload, notes);
    NoteUntimedCompute(config, workload, notes);
    NoteUnusedNpus(workload.RankCount(), topology.NpuCount(), notes);
    return notes;
}

} // namespace nadi
