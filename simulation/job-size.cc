// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/job-size.h"

#include "common/error.h"
#include "common/text.h"
#include "configuration/topology-file.h"
#include "network/explicit-topology.h"
#include "network/stack-topology.h"
#include "simulation/at-trace-key.h"
#include "simulation/what-if-workload.h"
#include "workload/trace/trace-set.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// The place that says how many NPUs there are: the topology file, or else the configuration.
std::string
DescribeNetworkPlace(const Config& config)
{
    return config.network.topologyFile ? *config.network.topologyFile : config.network.where;
}

std::string
DescribeWork(const Config& config)
{
    return config.workload.trace ? "the trace " + *config.workload.trace : "the workload";
}

void
CheckRanks(const Config& config, uint32_t ranks, uint32_t npus)
{
    if (ranks > npus)
    {
        throw ConfigError(config.workload.where,
                          fmt::format("{} has {}, but the network ({}) has {}; write a "
                                      "larger network or fewer \"ranks\"",
                                      DescribeWork(config),
                                      CountText(ranks, "rank"),
                                      DescribeNetworkPlace(config),
                                      CountText(npus, "NPU")));
    }
}

void
CheckFlowRanks(const HighestRank& highest, uint32_t ranks)
{
    if (highest.rank >= ranks)
    {
        throw ConfigError(
            highest.where,
            fmt::format("there is no rank {}; the ranks are 0 to {}", highest.rank, ranks - 1));
    }
}

/// Each chunk that is under way on a rank takes some 800 B. Checked is what one collective of all
/// ranks would have in one dimension.
constexpr uint64_t MOST_CHUNKS_UNDER_WAY = uint64_t{1} << 23;

void
CheckChunks(const SchedulingOptions& scheduling, uint32_t ranks)
{
    // With `auto` there are few.
    const uint64_t onRank =
        std::min<uint64_t>(scheduling.chunks.value_or(1), scheduling.chunksInFlight);
    if (onRank * ranks > MOST_CHUNKS_UNDER_WAY)
    {
        throw ConfigError("system.chunks-in-flight",
                          fmt::format("{} chunks on each of {} ranks would be under way at once, "
                                      "more than {} in all; write less, or fewer chunks",
                                      onRank,
                                      ranks,
                                      MOST_CHUNKS_UNDER_WAY));
    }
}

/// Those of the instances. Effective configurations repeat the number.
uint32_t
CountServingRanks(const WorkloadConfig& workload)
{
    const auto ranks = static_cast<uint32_t>(workload.serve->RankCount());
    if (workload.ranks && *workload.ranks != ranks)
    {
        throw ConfigError(workload.where,
                          fmt::format("\"ranks\" is {}, but the instances have {}; remove it",
                                      *workload.ranks,
                                      ranks));
    }
    return ranks;
}

/// Where nothing says how many ranks there are, each of the `npus` NPUs hosts one.
uint32_t
FindRanks(const WorkloadConfig& workload, uint32_t npus)
{
    // A what-if comes first, as it has a trace or a model too, and may change the number of ranks.
    if (workload.whatIf)
    {
        return CountWhatIfRanks(workload);
    }
    if (workload.trace)
    {
        const TraceOptions options{
            .pattern = *workload.trace, .ranks = workload.ranks, .npuCount = npus};
        return AtTraceKey(workload, [&options] { return CountTraceRanks(options); });
    }
    // A number of ranks that the user gives is taken as it is. Whether it fits the model is checked
    // when the job is made.
    if (workload.generate && !workload.ranks)
    {
        const auto model = Registry<WorkloadModel>::Instance().Make(
            *workload.generate); // was checked when it was read
        return model->RankCount().value_or(npus);
    }
    if (workload.serve)
    {
        return CountServingRanks(workload);
    }
    return workload.ranks.value_or(npus);
}

} // namespace

/// Errors of the layer below name keys (`network.dimensions[0]`); the file is put before them.
Topology
MakeTopology(const Config& config)
{
    if (config.network.topologyFile)
    {
        return MakeExplicitTopology(
            ReadTopologyFile(*config.network.topologyFile, config.network.where));
    }
    if (config.network.generator)
    {
        return GenerateTopology(*config.network.generator); // was checked when it was read
    }
    try
    {
        return MakeStackTopology(config.network.dimensions);
    }
    catch (const ConfigError& error)
    {
        throw ConfigError(config.network.where, error.what());
    }
}

uint32_t
CountRanks(const Config& config, const Topology& topology)
{
    const uint32_t ranks = FindRanks(config.workload, topology.NpuCount());
    CheckRanks(config, ranks, topology.NpuCount());
    if (config.workload.flows)
    {
        CheckFlowRanks(config.workload.highestRank, ranks);
    }
    else // flows are not cut
    {
        CheckChunks(config.system.options.scheduling, ranks);
    }
    return ranks;
}

} // namespace nadi
