// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/dropped-attributes.h"

#include "common/text.h"

#include <fmt/format.h>

#include <cstdint>

namespace nadi
{

namespace
{

/// In nodes.
struct DroppedAttributes
{
    uint64_t priorities = 0;
    uint64_t memoryGroups = 0;
    uint64_t kernels = 0;
    uint64_t waits = 0;
};

/// Nodes of a graph count for each rank that has it.
DroppedAttributes
CountDropped(const Workload& workload)
{
    DroppedAttributes dropped;
    for (const uint32_t graph : workload.graphOfRank)
    {
        const ExecutionGraph& recorded = workload.graphs[graph];
        for (uint32_t index = 0; index < recorded.NodeCount(); ++index)
        {
            const ExecutionNode& node = recorded.Node(index);
            dropped.priorities += node.priority != 0 ? 1 : 0;
            dropped.memoryGroups += node.isOfGroup ? 1 : 0;
            dropped.kernels += recorded.KernelsOf(node).empty() ? 0 : 1;
            dropped.waits += recorded.WaitOf(index) ? 1 : 0;
        }
    }
    return dropped;
}

void
AddNote(const char* attribute, uint64_t count, const char* effect, std::vector<std::string>& notes)
{
    if (count > 0)
    {
        notes.push_back(fmt::format(
            "the attribute {} of {} is not kept{}", attribute, CountText(count, "node"), effect));
    }
}

} // namespace

std::vector<std::string>
DescribeDropped(const Workload& recorded)
{
    const DroppedAttributes dropped = CountDropped(recorded);
    std::vector<std::string> notes;
    AddNote("comm_priority", dropped.priorities, "", notes);
    AddNote("pg_name",
            dropped.memoryGroups,
            ": each rank accesses remote memory by itself, where a group did it together",
            notes);
    AddNote("kernels",
            dropped.kernels,
            ": their times are the recorded ones, or follow from num_ops and tensor_size alone",
            notes);
    AddNote("waited_nanos",
            dropped.waits,
            ": with communication: recorded a call takes the least duration of its members",
            notes);
    return notes;
}

} // namespace nadi
