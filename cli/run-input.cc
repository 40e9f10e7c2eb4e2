// SPDX-License-Identifier: GPL-2.0-only
#include "cli/run-input.h"

#include "cli/backend-notes.h"
#include "cli/config/config-file.h"
#include "cli/input-notes.h"
#include "cli/job-size.h"
#include "common/error.h"
#include "network/make-routing.h"
#include "workload/generators/collective-workload.h"
#include "workload/generators/flows-workload.h"
#include "workload/trace/trace-set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

/// The sizes of the dimensions that collectives are laid out in, where the configuration says them.
std::vector<uint32_t>
FindStackSizes(const Config& config, const Topology& topology)
{
    std::vector<uint32_t> sizes = config.system.dimensions;
    for (const Dimension& dimension : topology.Dimensions())
    {
        sizes.push_back(dimension.size);
    }
    return sizes;
}

Workload
GenerateWorkload(const Config& config, const Topology& topology, uint32_t ranks)
{
    const WorkloadConfig& workload = config.workload;
    try
    {
        return MakeWorkloadModel(*workload.generate)
            ->Make({ranks, FindStackSizes(config, topology)});
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
        return GenerateWorkload(config, topology, ranks);
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

/// The least that an NPU of a topology without dimensions can send: all its links together, at the
/// largest latency of one.
LinkRate
FindNpuRate(const Topology& topology, uint32_t ranks)
{
    LinkRate least{Bandwidth{}, SimTime{}};
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        Bandwidth sum;
        for (const LinkId link : topology.LinksFrom(VertexId{rank}))
        {
            sum = sum + topology.Link(link).bandwidth;
            least.latency = std::max(least.latency, topology.Link(link).latency);
        }
        least.bandwidth = rank == 0 ? sum : std::min(least.bandwidth, sum);
    }
    return least;
}

/// Every dimension of a logical stack is a set of ports, all alike: those of the NPU.
std::vector<Dimension>
MakeLogicalStack(const Config& config, const Topology& topology, uint32_t ranks)
{
    const std::vector<uint32_t>& sizes = config.system.dimensions;
    uint64_t product = 1;
    for (const uint32_t size : sizes)
    {
        product = std::min<uint64_t>(product * size, UINT32_MAX);
    }
    if (!sizes.empty() && product != ranks)
    {
        throw ConfigError(config.system.dimensionsWhere,
                          fmt::format("system.dimensions: [{}] holds {} ranks, but the job has {}; "
                                      "write sizes whose product is {}",
                                      fmt::join(sizes, ", "),
                                      product,
                                      ranks,
                                      ranks));
    }
    const LinkRate rate = FindNpuRate(topology, ranks);
    std::vector<Dimension> stack;
    for (const uint32_t size : sizes.empty() ? std::vector<uint32_t>{ranks} : sizes)
    {
        stack.push_back({"switch", size, rate.bandwidth, rate.latency});
    }
    return stack;
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
    m_stack = m_topology.Dimensions().empty() ? MakeLogicalStack(m_config, m_topology, ranks)
                                              : m_topology.Dimensions();
    AddNotes();
}

void
RunInput::AddNotes()
{
    const auto add = [&](const std::vector<std::string>& notes)
    { m_notes.insert(m_notes.end(), notes.begin(), notes.end()); };
    add(FindInputNotes(m_config, m_topology, m_workload));
    add(FindBackendNotes(m_config));
    if (m_config.network.backend == BackendKind::Packet)
    {
        add(FindNetworkNotes(m_config.network.packet, m_topology, *m_routing));
    }
}

} // namespace nadi
