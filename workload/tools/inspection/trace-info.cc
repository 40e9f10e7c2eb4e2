// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/trace-info.h"

#include "workload/engine/node-route.h"
#include "workload/node-kind.h"
#include "workload/tools/inspection/critical-path.h"
#include "workload/tools/inspection/group-census.h"

#include <algorithm>

namespace nadi
{

namespace
{

constexpr int64_t NANO_IN_PS = 1000;

void
AddWork(WorkTotal& total, uint64_t nanos)
{
    ++total.nodes;
    total.nanos += nanos;
}

VolumeTotal&
VolumeOf(TraceTotals& totals, const ExecutionGraph& graph, const ExecutionNode& node)
{
    return totals.communication[{graph.GroupNames()[node.group], std::string(KindOf(node))}];
}

void
AddCall(VolumeTotal& volume, const ExecutionNode& node)
{
    ++volume.calls;
    volume.size += node.size;
    volume.recordedNanos += static_cast<uint64_t>(node.durationPs / NANO_IN_PS);
}

void
AddTimes(const ExecutionGraph& graph, const ExecutionNode& node, TraceTotals& totals)
{
    switch (FindRoute(node))
    {
    case NodeRoute::Cpu:
        return AddWork(totals.cpu, RecordedWork(node));
    case NodeRoute::ComputeEngine:
        return AddWork(totals.streams[std::nullopt], RecordedWork(node));
    case NodeRoute::Stream:
        // ExecutionNode::stream is one more than the number of the stream.
        return AddWork(totals.streams[node.stream - 1], RecordedWork(node));
    case NodeRoute::Memory:
        return AddWork(totals.memory, RecordedWork(node));
    case NodeRoute::Send:
    case NodeRoute::Receive:
    case NodeRoute::Collective:
        return AddCall(VolumeOf(totals, graph, node), node);
    // The former take no time. The latter are in no trace: only generators make them.
    case NodeRoute::Untimed:
    case NodeRoute::Delay:
        break;
    }
}

PathTotal
MeasurePath(const ExecutionGraph& graph)
{
    const CriticalPath path = FindCriticalPath(graph);
    PathTotal total{.nanos = path.nanos, .nodes = path.nodes.size()};
    for (const uint32_t node : path.nodes)
    {
        total.cpuNanos += graph.Node(node).isCpu ? RecordedWork(graph.Node(node)) : 0;
    }
    return total;
}

DependencyTotal
CountDependencies(const TraceFacts& facts)
{
    DependencyTotal total{.data = facts.dataDependencies,
                          .control = facts.controlDependencies,
                          .danglingData = facts.danglingData,
                          .danglingControl = facts.danglingControl};
    // Traces are read with DependencyPolicy::Auto, which leaves out all control dependencies or
    // nothing.
    if (facts.choice.kinds == DependencyKinds::Data)
    {
        total.ignored = total.control - total.danglingControl;
    }
    return total;
}

void
CountKinds(const ExecutionGraph& graph, std::map<std::string, uint64_t>& types)
{
    // Counted by views of the fixed names first, so that no text is made for each node.
    std::map<std::string_view, uint64_t> counts;
    for (const ExecutionNode& node : graph.Nodes())
    {
        ++counts[KindOf(node)];
    }
    for (const auto& [kind, count] : counts)
    {
        types.emplace(kind, count);
    }
}

TraceTotals
CountTrace(const TraceFile& trace)
{
    TraceTotals totals;
    totals.nodes = trace.graph.NodeCount();
    totals.dependencies = CountDependencies(trace.facts);
    totals.notes = trace.notes;
    CountKinds(trace.graph, totals.types);
    for (const ExecutionNode& node : trace.graph.Nodes())
    {
        // Only a roofline gives these kernels a duration, so the times of the trace lack them.
        const bool isUnrecorded = node.durationPs == 0 && node.operations > 0;
        totals.unrecordedKernels += isUnrecorded && IsKernel(FindRoute(node)) ? 1 : 0;
        AddTimes(trace.graph, node, totals);
    }
    totals.criticalPath = MeasurePath(trace.graph);
    return totals;
}

void
AddNotes(const std::vector<TraceNote>& notes, std::vector<TraceNote>& sum)
{
    for (const TraceNote& note : notes)
    {
        const auto known = std::ranges::find(sum, note.text, &TraceNote::text);
        if (known == sum.end())
        {
            sum.push_back(note);
        }
        else
        {
            known->count += note.count;
        }
    }
}

void
Add(const WorkTotal& work, WorkTotal& sum)
{
    sum.nodes += work.nodes;
    sum.nanos += work.nanos;
}

void
Add(const DependencyTotal& dependencies, DependencyTotal& sum)
{
    sum.data += dependencies.data;
    sum.control += dependencies.control;
    sum.danglingData += dependencies.danglingData;
    sum.danglingControl += dependencies.danglingControl;
    sum.ignored += dependencies.ignored;
}

void
Add(const TraceTotals& rank, TraceTotals& sum)
{
    sum.nodes += rank.nodes;
    for (const auto& [type, count] : rank.types)
    {
        sum.types[type] += count;
    }
    Add(rank.dependencies, sum.dependencies);
    for (const auto& [key, volume] : rank.communication)
    {
        AddVolume(volume, sum.communication[key]);
    }
    for (const auto& [stream, work] : rank.streams)
    {
        Add(work, sum.streams[stream]);
    }
    sum.unrecordedKernels += rank.unrecordedKernels;
    Add(rank.cpu, sum.cpu);
    Add(rank.memory, sum.memory);
    // Ranks run side by side, so their paths do not add up; the first of equal ones stays.
    if (sum.criticalPath.nodes == 0 || rank.criticalPath.nanos > sum.criticalPath.nanos)
    {
        sum.criticalPath = rank.criticalPath;
    }
    AddNotes(rank.notes, sum.notes);
}

} // namespace

JobInfo
InspectTraces(const std::vector<std::string>& files, const std::optional<std::string>& groupsFile)
{
    const auto rankCount = static_cast<uint32_t>(files.size());
    GroupCensus groups(rankCount,
                       groupsFile ? ReadGroupsFile(*groupsFile, rankCount) : ProcessGroups{});
    JobInfo info;
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        // One trace at a time is in memory. Ranks that share a file read it again, unlike in a run.
        const TraceFile trace = ReadTraceFile(files[rank], DependencyPolicy::Auto);
        info.ranks.push_back({.file = files[rank],
                              .schema = std::string(ToText(trace.facts.schema)),
                              .recordedSchema = trace.facts.metadata.schema,
                              .totals = CountTrace(trace)});
        groups.AddRank(rank, info.ranks.back().totals, trace.processGroups);
        Add(info.ranks.back().totals, info.total);
    }
    info.groups = groups.Take();
    return info;
}

} // namespace nadi
