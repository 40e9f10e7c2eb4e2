// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/place-ranks.h"

#include "common/check.h"
#include "common/error.h"
#include "common/text.h"
#include "configuration/placement-codec.h"
#include "network/attach-memories.h"
#include "network/rank-placement.h"
#include "network/stack-topology.h"
#include "simulation/job-size.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace nadi
{

namespace
{

using Kind = PlacementChoice::Kind;

/// Checks what the codec could not know: how many ranks and NPUs there are.
void
CheckNpus(const NpuList& list, const std::string& where, uint32_t npus, uint32_t ranks)
{
    if (list.npus.size() != ranks)
    {
        throw ConfigError(where,
                          fmt::format("{} for a job of {}; write one NPU for each rank",
                                      CountText(list.npus.size(), "NPU"),
                                      CountText(ranks, "rank")));
    }
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        if (list.npus[rank] >= npus)
        {
            throw ConfigError(
                where,
                fmt::format("there is no npu{} for rank {}: the network has {}; write "
                            "numbers below {}",
                            list.npus[rank],
                            rank,
                            CountText(npus, "NPU"),
                            npus));
        }
    }
}

/// As the user gave it; all of them, the innermost first, unless he did.
std::vector<uint32_t>
FindOrder(const PlacementChoice& choice, uint32_t dimensions)
{
    std::vector<uint32_t> all(dimensions);
    std::iota(all.begin(), all.end(), 0);
    if (choice.order.empty())
    {
        return all;
    }
    std::vector<uint32_t> sorted = choice.order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != all)
    {
        throw ConfigError(choice.where,
                          fmt::format("a snake goes along each dimension of the network once; "
                                      "write each of the numbers 0 to {} once, the fastest first",
                                      dimensions - 1));
    }
    return choice.order;
}

std::vector<uint32_t>
PlaceAlongSnake(const PlacementChoice& choice, const Topology& topology, uint32_t ranks)
{
    if (topology.Dimensions().empty())
    {
        throw ConfigError(choice.where,
                          "a snake needs a network of dimensions, and this network has none; "
                          "write linear, random or a list of NPUs, or give network.dimensions");
    }
    const RankGrid grid(SizesOf(topology.Dimensions()));
    return MakeSnake(grid, FindOrder(choice, grid.DimensionCount()), ranks);
}

/// The NPUs of the ranks in order. Requires: the placement is not linear.
std::vector<uint32_t>
FindNpus(const Config& config, const Topology& topology, uint32_t ranks)
{
    const PlacementChoice& choice = config.workload.placement;
    if (choice.kind == Kind::Snake)
    {
        return PlaceAlongSnake(choice, topology, ranks);
    }
    if (choice.kind == Kind::Random)
    {
        return DrawNpus(config.seed, topology.NpuCount(), ranks);
    }
    const bool isFile = choice.kind == Kind::File;
    const NpuList list = isFile ? ReadPlacementFile(choice.file, choice.where) : choice.list;
    CheckNpus(list, isFile ? list.where : choice.where, topology.NpuCount(), ranks);
    return list.npus;
}

/// Instances have the NPUs that they name, the others the next ones that nobody names.
std::vector<uint32_t>
FindNpusOfInstances(const ServeOptions& serve, uint32_t npuCount, uint32_t ranks)
{
    std::vector<bool> isNamed(npuCount, false);
    for (const InstanceOptions& instance : serve.instances)
    {
        // How many NPUs there must be was checked when the instances were read. Which NPUs exist is
        // known only here, with the network.
        const NpuList list{.npus = instance.npus.value_or(std::vector<uint32_t>()), .where = ""};
        CheckNpus(
            list, instance.where + ".npus", npuCount, static_cast<uint32_t>(list.npus.size()));
        for (const uint32_t npu : list.npus)
        {
            isNamed[npu] = true;
        }
    }
    std::vector<uint32_t> npus;
    uint32_t next = 0;
    for (const InstanceOptions& instance : serve.instances)
    {
        for (uint64_t rank = 0; rank < instance.RanksOfOne() * instance.count; ++rank)
        {
            // Stays within the network, since CountRanks has checked that there is an NPU for each
            // rank.
            while (!instance.npus && isNamed[next])
            {
                ++next;
            }
            npus.push_back(instance.npus ? (*instance.npus)[rank] : next++);
        }
    }
    NADI_CHECK(npus.size() == ranks);
    return npus;
}

bool
HasNamedNpus(const WorkloadConfig& workload)
{
    return workload.serve && std::ranges::any_of(workload.serve->instances,
                                                 [](const InstanceOptions& instance)
                                                 { return instance.npus.has_value(); });
}

std::optional<std::vector<uint32_t>>
FindPlacedNpus(const Config& config, const Topology& topology)
{
    const WorkloadConfig& workload = config.workload;
    // Without a placement ranks stand on the NPUs of their numbers, and no vertex is renumbered.
    const bool isPlaced = workload.placement.kind != Kind::Linear;
    if (!isPlaced && !HasNamedNpus(workload))
    {
        return std::nullopt;
    }
    const uint32_t ranks = CountRanks(config, topology);
    if (!HasNamedNpus(workload))
    {
        return FindNpus(config, topology, ranks);
    }
    if (isPlaced)
    {
        throw ConfigError(workload.placement.where,
                          "instances name their NPUs; remove workload.placement, or npus");
    }
    return FindNpusOfInstances(*workload.serve, topology.NpuCount(), ranks);
}

/// Bounds and libraries add up what the links of a vertex carry, many of them during a run only. So
/// the sums are made once before it, for their errors.
void
CheckRateSums(const Topology& topology)
{
    for (uint32_t vertex = 0; vertex < topology.VertexCount(); ++vertex)
    {
        Bandwidth out;
        Bandwidth in;
        for (const LinkId id : topology.LinksFrom(VertexId{vertex}))
        {
            const TopologyLink& link = topology.Link(id);
            out = out + link.bandwidth;
            in = in + topology.Link(link.reverse).bandwidth;
        }
    }
}

} // namespace

/// Any form of placement is first turned into a list of NPUs by rank. The vertices of the NPUs are
/// then renumbered by that list, so that from here on rank r stands at vertex r.
Topology
MakePlacedTopology(const Config& config)
{
    Topology topology = MakeTopology(config);
    // Memories come before ranks are placed: `attach` means NPUs by the numbers that the network
    // gives them.
    AttachMemories(topology, config.network.memories);
    CheckRateSums(topology);
    if (const std::optional<std::vector<uint32_t>> npus = FindPlacedNpus(config, topology))
    {
        topology.PlaceRanks(RankPlacement(*npus, topology.NpuCount()));
    }
    return topology;
}

} // namespace nadi
