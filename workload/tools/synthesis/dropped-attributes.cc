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
};

/// Nodes of a graph count for each rank that has it.
DroppedAttributes
CountDropped(const Workload& workload)
{
    DroppedAttributes dropped;
    for (const uint32_t graph : workload.graphOfRank)
    {
        for (const ExecutionNode& node : workload.graphs[graph].Nodes())
        {
            dropped.priorities += node.priority != 0 ? 1 : 0;
            dropped.memoryGroups += node.isOfGroup ? 1 : 0;
            dropped.kernels += workload.graphs[graph].KernelsOf(node).empty() ? 0 : 1;
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
    return notes;
}

} // namespace nadi
