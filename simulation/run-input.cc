// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/run-input.h"

#include "common/error.h"
#include "configuration/config-file.h"
#include "configuration/topology-section.h"
#include "network/backend-kind.h"
#include "network/make-routing.h"
#include "simulation/file-programs.h"
#include "simulation/job-size.h"
#include "simulation/logical-stack.h"
#include "simulation/notes/backend-notes.h"
#include "simulation/notes/input-notes.h"
#include "simulation/notes/listed-groups.h"
#include "simulation/notes/serving-notes.h"
#include "simulation/place-ranks.h"
#include "simulation/what-if-workload.h"
#include "system/collective-plan.h"
#include "system/library/communication-library.h"
#include "workload/engine/compute-work.h"
#include "workload/engine/node-route.h"
#include "workload/generators/collective-workload.h"
#include "workload/generators/flows-workload.h"
#include "workload/job-limits.h"
#include "workload/serving/serving-workload.h"
#include "workload/trace/trace-set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// The model gets the sizes of the logical stack, so that it can lay its groups along dimensions.
Workload
GenerateWorkload(const Config& config, const RankPlacement& placement, uint32_t ranks)
{
    const WorkloadConfig& workload = config.workload;
    try
    {
        return Registry<WorkloadModel>::Instance()
            .Make(*workload.generate)
            ->Make({ranks, FindStackSizes(config, placement, ranks)});
    }
    catch (const ConfigError& error)
    {
        // The model names only its parameter. The file and line of the key are known here.
        const std::string at = error.Where().empty() ? ": " : ".";
        throw ConfigError(workload.where, "workload.generate" + at + error.what());
    }
}

/// Kernels of a pass have operations and bytes; what they take must be said.
void
CheckServingCompute(const Config& config)
{
    if (config.system.compute.model != ComputeOptions::Model::Roofline)
    {
        throw ConfigError(config.workload.where,
                          "workload.serve needs system.compute: {model: roofline, ...}; without it "
                          "no kernel would take any time");
    }
}

std::optional<ServingInput>
MakeServing(const Config& config)
{
    if (!config.workload.serve)
    {
        return std::nullopt;
    }
    CheckServingCompute(config);
    // The names need the number of ranks: MakeWorkload fills them in.
    return ServingInput{MakeServingInstances(*config.workload.serve, config.seed), nullptr};
}

Workload
MakeWorkload(const Config& config,
             const Topology& topology,
             std::optional<ServingInput>& serving,
             WorkProgress* progress)
{
    const WorkloadConfig& workload = config.workload;
    const uint32_t ranks = CountRanks(config, topology);
    // Before the run a cluster that serves has only ranks and their groups, and no nodes: its
    // graphs are submitted as requests come.
    if (serving)
    {
        ServingWorkload made = MakeServingWorkload(serving->instances, ranks);
        serving->names = made.names;
        return std::move(made.workload);
    }
    // A what-if comes before models and traces, as it has one of them too.
    if (workload.whatIf)
    {
        return MakeWhatIfWorkload(workload, config.system.memory.defaultLocation);
    }
    if (workload.generate)
    {
        return GenerateWorkload(config, topology.Placement(), ranks);
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
                       .dependencies = workload.dependencies,
                       .defaultLocation = config.system.memory.defaultLocation,
                       .progress = progress});
}

Workload
MakeJob(const Config& config,
        const Topology& topology,
        std::optional<ServingInput>& serving,
        WorkProgress* progress)
{
    Workload job = MakeWorkload(config, topology, serving, progress);
    CheckNodesOfRanks(job, config.workload.where);
    job.replaysCommunication = config.workload.replaysCommunication;
    job.kindsOfTags = config.workload.streams;
    return job;
}

void
CheckStragglers(const Config& config, uint32_t ranks)
{
    const auto& factors = config.system.compute.perRank;
    // The factors are a map by rank, so the last one is that of the highest rank.
    if (!factors.empty() && factors.rbegin()->first >= ranks)
    {
        throw ConfigError(config.system.perRankWhere.at(factors.rbegin()->first),
                          fmt::format("system.compute.per-rank: there is no rank {}; write ranks "
                                      "below {}",
                                      factors.rbegin()->first,
                                      ranks));
    }
}

/// A kernel outside the table is told before the run; those of a cluster that serves are not known
/// yet.
void
CheckKernelTimes(const Workload& workload, const ComputeModel& compute)
{
    if (compute.Table() == nullptr)
    {
        return;
    }
    for (const ExecutionGraph& graph : workload.graphs)
    {
        for (const ExecutionNode& node : graph.Nodes())
        {
            // Called only for its error: a kernel that the table lacks would otherwise end the run
            // when its turn comes. Any rank will do, as the factor of the rank comes after the look
            // into the table.
            if (IsKernel(FindRoute(node)))
            {
                compute.ComputeDuration(DescribeWork(workload, graph, node, RankId{0}));
            }
        }
    }
}

/// A library that reads the hardware of nodes finds none in other networks.
void
CheckLibrary(const Config& config)
{
    const SystemOptions& options = config.system.options;
    if (MakeLibrary(options)->NeedsNodes() && !FindNodes(config.network))
    {
        throw ConfigError(config.system.libraryWhere,
                          "system.library: " + options.library.name +
                              " needs a network whose NPUs stand in nodes; write network.topology "
                              "with the generator nodes or rail, or dragonfly with npus-per-node");
    }
}

/// Those that the nodes of the traces call.
std::set<CollectiveType>
FindCalledTypes(const Workload& workload)
{
    std::set<CollectiveType> types;
    for (const ExecutionGraph& graph : workload.graphs)
    {
        for (const ExecutionNode& node : graph.Nodes())
        {
            if (node.type == NodeType::Collective)
            {
                types.insert(node.collective);
            }
        }
    }
    return types;
}

/// Whether the choice runs along the dimensions of the stack: neither over one flat list of ranks,
/// nor as programs that are made for whole groups.
bool
RunsAlongStack(const AlgorithmChoice& choice)
{
    const auto takesDimension = [](const ComponentChoice& algorithm)
    {
        return algorithm.name == BY_SIZE ||
               Registry<CollectiveAlgorithm>::Instance().Make(algorithm)->Programs() == nullptr;
    };
    return !choice.isFlat && std::ranges::any_of(choice.perDimension, takesDimension);
}

/// Of a job without collectives, true: which ones come is not known where it serves.
/// A library that decides itself looks at no dimension.
bool
MayLookAtStack(const SystemOptions& options, const Workload& workload)
{
    if (MakeLibrary(options)->DecidesItself())
    {
        return false;
    }
    const auto runsAlong = [](const auto& choice) { return RunsAlongStack(choice.second); };
    if (std::ranges::all_of(options.algorithms, runsAlong))
    {
        return true; // whatever is called: the nodes need not be looked at
    }
    const std::set<CollectiveType> called = FindCalledTypes(workload);
    const auto isAlong = [&options](CollectiveType type)
    { return RunsAlongStack(options.algorithms.at(type)); };
    return called.empty() || std::ranges::any_of(called, isAlong);
}

} // namespace

RunInput::RunInput(const std::filesystem::path& file,
                   const std::vector<std::string>& settings,
                   const TestModes& modes,
                   WorkProgress* progress)
    : m_config(ReadConfig(file, settings))
    , m_compute(m_config.system.compute)
    , m_topology(MakePlacedTopology(m_config))
    , m_routing(MakeRouting(m_topology))
    , m_faults(ResolveFaults(m_topology, m_config.network.faults))
    , m_topologyAtBegin(RatedTopology::AtBegin(m_topology, m_faults))
    , m_captures(ResolveCaptures(m_topology, m_config.output.pcap))
    , m_filePrograms(ReadFilePrograms(m_config))
    , m_serving(MakeServing(m_config))
    , m_workload(MakeJob(m_config, m_topology, m_serving, progress))
    , m_notes(m_workload.notes)
{
    // From here on the configuration is the effective one, which the config.yaml of the results
    // repeats: the number of ranks is in it even where it came from the traces.
    const uint32_t ranks = m_workload.RankCount();
    CheckStragglers(m_config, ranks);
    CheckLibrary(m_config);
    CheckKernelTimes(m_workload, m_compute);
    m_config.workload.ranks = ranks;
    m_config.network.packet.scrambleSeed = modes.scrambleSeed;
    m_config.network.packet.memoInterrupt = modes.memoInterrupt;
    m_config.network.packet.memoWords = modes.memoWords.value_or(m_config.network.packet.memoWords);
    LogicalStack stack = MakeLogicalStack(m_config, m_topology, *m_routing, ranks);
    m_stack = std::move(stack.dimensions);
    m_places = std::move(stack.places);
    m_mixesWays = stack.mixesWays;
    m_plansByDimensions = MayLookAtStack(m_config.system.options, m_workload);
    m_isUndivided = stack.isUndivided && m_plansByDimensions && PassesDataOverUnequalWays(*this);
    AddNotes(stack);
}

void
RunInput::AddNotes(const LogicalStack& stack)
{
    const auto add = [&](const std::vector<std::string>& notes)
    { m_notes.insert(m_notes.end(), notes.begin(), notes.end()); };
    add(FindInputNotes(m_config, m_topology, m_workload));
    if (m_serving)
    {
        add(FindServingNotes(*m_config.workload.serve, *m_serving));
    }
    add(stack.notes);
    // A job without collectives does not use the stack, so its layout does not concern the user.
    // Nor does that of a list where no data would take faster ways in another stack.
    if (m_plansByDimensions && !stack.collectiveNotes.empty() &&
        stack.isUndivided == m_isUndivided && (m_serving || !FindCalledTypes(m_workload).empty()))
    {
        add(stack.collectiveNotes);
    }
    add(FindListedGroupNotes(*this));
    add(FindBackendNotes(m_config));
    if (HasFrames(m_config.network.backend))
    {
        add(FindNetworkNotes({m_config.network.packet, m_topology, *m_routing, m_faults}));
    }
}

} // namespace nadi
