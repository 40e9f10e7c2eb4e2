// SPDX-License-Identifier: GPL-2.0-only
#include "cli/run-input.h"

#include "cli/backend-notes.h"
#include "cli/config/config-file.h"
#include "cli/input-notes.h"
#include "cli/job-size.h"
#include "cli/logical-stack.h"
#include "common/error.h"
#include "network/make-routing.h"
#include "workload/generators/collective-workload.h"
#include "workload/generators/flows-workload.h"
#include "workload/trace/trace-set.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nadi
{

namespace
{

Workload
GenerateWorkload(const Config& config, uint32_t ranks)
{
    const WorkloadConfig& workload = config.workload;
    try
    {
        return MakeWorkloadModel(*workload.generate)->Make({ranks, FindStackSizes(config, ranks)});
    }
    catch (const ConfigError& error)
    {
        const std::string at = error.Where().empty() ? ": " : ".";
        throw ConfigError(workload.where, "workload.generate" + at + error.what());
    }
}

Workload
MakeWorkload(const Config& config, const Topology& topology)
{
    const WorkloadConfig& workload = config.workload;
    const uint32_t ranks = CountRanks(config, topology);
    if (workload.generate)
    {
        return GenerateWorkload(config, ranks);
    }
    if (workload.collective)
    {
        return MakeCollectiveWorkload({.where = workload.where,
                                       .ranks = ranks,
                                       .elementSize = workload.elementSize,
                                       .steps = *workload.collective});
    }
    if (workload.flows)
    {
        return MakeFlowsWorkload(
            {.where = workload.where, .ranks = ranks, .flows = *workload.flows});
    }
    return ReadTraces({.pattern = workload.trace.value(),
                       .groupsFile = workload.groups,
                       .ranks = ranks,
                       .npuCount = topology.NpuCount(),
                       .elementSize = workload.elementSize,
                       .dependencies = workload.dependencies});
}

void
CheckStragglers(const Config& config, uint32_t ranks)
{
    const auto& factors = config.system.compute.perRank;
    if (!factors.empty() && factors.rbegin()->first >= ranks)
    {
        throw ConfigError(config.system.perRankWhere.at(factors.rbegin()->first),
                          fmt::format("system.compute.per-rank: there is no rank {}; write ranks "
                                      "below {}",
                                      factors.rbegin()->first,
                                      ranks));
    }
}

/// What the NPU with the fastest links can send before the clock ends.
uint64_t
FindMostBytes(const Topology& topology, uint32_t ranks)
{
    double fastest = 0; // bits per second
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        double sum = 0;
        for (const LinkId link : topology.LinksFrom(VertexId{rank}))
        {
            sum += static_cast<double>(topology.Link(link).bandwidth.BitsPerSecond());
        }
        fastest = std::max(fastest, sum);
    }
    constexpr double psPerSecond = 1e12;
    const double seconds = static_cast<double>(std::numeric_limits<int64_t>::max()) / psPerSecond;
    const double bytes = fastest * seconds / 8;
    constexpr auto most = std::numeric_limits<int64_t>::max();
    return bytes < static_cast<double>(most) ? static_cast<uint64_t>(bytes) : most;
}

/// A message that cannot end would be cut into frames until memory ends.
void
CheckMessageSizes(const Config& config, const Topology& topology, const Workload& workload)
{
    const uint64_t most = FindMostBytes(topology, workload.RankCount()) /
                          static_cast<uint64_t>(workload.elementSize.Count());
    for (const ExecutionGraph& graph : workload.graphs)
    {
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            const ExecutionNode& node = graph.Node(index);
            if (node.type == NodeType::Send && !node.isCpu && node.size > most)
            {
                throw ConfigError(config.workload.trace ? graph.Source() : config.workload.where,
                                  fmt::format("node {} \"{}\" sends {}, more than the links of an "
                                              "NPU carry until the clock ends after 106 days; "
                                              "write a smaller size",
                                              node.id,
                                              graph.Name(index),
                                              node.size));
            }
        }
    }
}

} // namespace

RunInput::RunInput(const std::filesystem::path& file,
                   const std::vector<std::string>& settings,
                   std::optional<uint64_t> scrambleSeed)
    : m_config(ReadConfig(file, settings))
    , m_topology(MakeTopology(m_config))
    , m_routing(MakeRouting(m_topology))
    , m_faults(ResolveFaults(m_topology, m_config.network.faults))
    , m_captures(ResolveCaptures(m_topology, m_config.output.pcap))
    , m_workload(MakeWorkload(m_config, m_topology))
    , m_notes(m_workload.notes)
{
    const uint32_t ranks = m_workload.RankCount();
    CheckStragglers(m_config, ranks);
    CheckMessageSizes(m_config, m_topology, m_workload);
    m_config.workload.ranks = ranks;
    m_config.network.packet.scrambleSeed = scrambleSeed;
    LogicalStack stack = MakeLogicalStack(m_config, m_topology, *m_routing, ranks);
    m_stack = std::move(stack.dimensions);
    AddNotes(stack.notes);
}

void
RunInput::AddNotes(const std::vector<std::string>& stackNotes)
{
    const auto add = [&](const std::vector<std::string>& notes)
    { m_notes.insert(m_notes.end(), notes.begin(), notes.end()); };
    add(FindInputNotes(m_config, m_topology, m_workload));
    add(stackNotes);
    add(FindBackendNotes(m_config));
    if (m_config.network.backend == BackendKind::Packet)
    {
        add(FindNetworkNotes(m_config.network.packet, m_topology, *m_routing));
    }
}

} // namespace nadi
