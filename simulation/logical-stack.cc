// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/logical-stack.h"

#include "common/error.h"
#include "common/rate-texts.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "configuration/algorithm-settings.h"
#include "configuration/topology-section.h"
#include "network/neighbour-rates.h"
#include "network/shape.h"
#include "network/stack-topology.h"
#include "simulation/node-parts.h"
#include "simulation/planned-dimension.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace nadi
{

namespace
{

/// How the job uses the nodes of the network. None where it uses unequal parts of them, and where
/// the network has none.
std::optional<NodeParts>
FindParts(const Config& config, const RankPlacement& placement, uint32_t ranks)
{
    const std::vector<uint32_t> nodeStack = FindNodeStack(config.network);
    return nodeStack.empty() ? std::nullopt : FindNodeParts(placement, ranks, nodeStack.front());
}

void
CheckProduct(const Config& config, uint32_t ranks)
{
    const std::vector<uint32_t>& sizes = config.system.dimensions;
    uint64_t product = 1;
    for (const uint32_t size : sizes)
    {
        // Cut off at the largest 32-bit number, so that the next product still fits into 64 bits.
        // No job has so many ranks, and the comparison fails as it should.
        product = std::min<uint64_t>(product * size, UINT32_MAX);
    }
    if (!sizes.empty() && product != ranks)
    {
        throw ConfigError(config.system.dimensionsWhere,
                          fmt::format("system.dimensions: [{}] holds {}, but the job has {}; "
                                      "write sizes whose product is {}",
                                      fmt::join(sizes, ", "),
                                      CountText(product, "rank"),
                                      ranks,
                                      ranks));
    }
}

std::vector<Dimension>
PlanStack(std::vector<Dimension> dimensions, const PacketOptions& packet)
{
    for (Dimension& dimension : dimensions)
    {
        dimension = PlanOverLinks(dimension, packet);
    }
    return dimensions;
}

/// Of a stack over a topology without dimensions, whose first size is `first`. One list goes over
/// routes of all kinds, and a dimension of one member over none.
std::vector<ComponentChoice>
FindShapes(const Config& config, uint32_t first, bool isOneList)
{
    std::vector<ComponentChoice> shapes = FindStackShapes(config);
    if (isOneList || first == 1)
    {
        shapes.front() = ComponentChoice(ROUTES);
    }
    return shapes;
}

std::string
DescribeUnequal(size_t dimension, const NeighbourRates& rates)
{
    const std::vector<std::string> texts = ToTextsInOneUnit({rates.least, rates.most});
    return fmt::format("dimension {} of the logical stack has members that reach their neighbours "
                       "at {}, others at {}; schedules count with {}",
                       dimension,
                       texts[0],
                       texts[1],
                       texts[0]);
}

/// Where nobody said how the ranks lie: the slowest way sets the pace of the one ring.
std::string
DescribeUndivided(uint32_t ranks, const NeighbourRates& rates)
{
    const std::vector<std::string> texts = ToTextsInOneUnit({rates.least, rates.most});
    return fmt::format("a collective of all ranks runs over one list of {}, in which neighbours "
                       "reach each other at {} to {}: the slowest sets the pace; write "
                       "system.dimensions: [<ranks of a node or group>, <how many of these>] to "
                       "use the faster ways",
                       ranks,
                       texts[0],
                       texts[1]);
}

std::string
DescribeUnequalWays(const Config& config, const UnequalWays& ways)
{
    const char* const what = config.network.generator
                                 ? "the slower ones set the pace"
                                 : "put a switch between each NPU and its slower links, so that "
                                   "the faster way is shorter and is preferred";
    const std::vector<std::string> texts = ToTextsInOneUnit({ways.slow, ways.fast});
    return fmt::format("routing uses ways to another rank over links of {} and of {} equally, as "
                       "both have as many links; {}",
                       texts[0],
                       texts[1],
                       what);
}

/// Without a placement the ranks fill all nodes but the last.
std::string
DescribeUnequalParts(const RankPlacement& placement, uint32_t ranks, uint32_t npusPerNode)
{
    const std::string remedy =
        placement.IsLinear() ? fmt::format("workload.ranks as a multiple of {}", npusPerNode)
                             : "a workload.placement with as many ranks on each node that it uses";
    return fmt::format("{} ranks use unequal parts of nodes of {} NPUs: a collective of all ranks "
                       "runs over one list; write {}, or system.dimensions",
                       ranks,
                       npusPerNode,
                       remedy);
}

/// Of messages to the next rank of a dimension; else of others, where it is quickly told.
std::optional<UnequalWays>
FindUnequalWaysOfRanks(const Topology& topology,
                       const Routing& routing,
                       uint32_t ranks,
                       const std::vector<NeighbourRates>& rates)
{
    for (const NeighbourRates& dimension : rates)
    {
        if (dimension.unequalWays)
        {
            return dimension.unequalWays;
        }
    }
    return FindUnequalWaysOverSwitches(topology, routing, ranks); // rank r is on NPU r
}

/// What holds for collectives.
std::vector<std::string>
FindStackNotes(const Config& config,
               const RankPlacement& placement,
               uint32_t ranks,
               const std::vector<NeighbourRates>& rates,
               bool isOneList)
{
    const std::vector<uint32_t> nodeStack = FindNodeStack(config.network);
    // This sentence says why there is one list of all ranks, which explains unequal rates, too.
    if (isOneList && !nodeStack.empty())
    {
        return {DescribeUnequalParts(placement, ranks, nodeStack.front())};
    }
    std::vector<std::string> notes;
    for (size_t dimension = 0; dimension < rates.size(); ++dimension)
    {
        if (!rates[dimension].AreEqual())
        {
            notes.push_back(isOneList ? DescribeUndivided(ranks, rates[dimension])
                                      : DescribeUnequal(dimension, rates[dimension]));
        }
    }
    return notes;
}

/// As the public one, over a topology without dimensions, of which the job uses those parts.
std::vector<uint32_t>
FindStackSizes(const Config& config, const std::optional<NodeParts>& parts, uint32_t ranks)
{
    if (!config.system.dimensions.empty())
    {
        return config.system.dimensions;
    }
    if (FindNodeStack(config.network).empty())
    {
        return {};
    }
    if (parts)
    {
        return {parts->npusPerNode, parts->nodes};
    }
    // A second dimension of size 1 changes no schedule. It is there so that a list of two
    // algorithms in `system.collectives` fits this job as it fits one in equal parts of nodes.
    return {ranks, 1};
}

} // namespace

std::vector<uint32_t>
FindStackSizes(const Config& config, const RankPlacement& placement, uint32_t ranks)
{
    const std::vector<Dimension> dimensions = FindDimensions(config.network);
    return dimensions.empty() ? FindStackSizes(config, FindParts(config, placement, ranks), ranks)
                              : SizesOf(dimensions);
}

LogicalStack
MakeLogicalStack(const Config& config,
                 const Topology& topology,
                 const Routing& routing,
                 uint32_t ranks)
{
    if (!topology.Dimensions().empty())
    {
        return {.dimensions = PlanStack(topology.Dimensions(), config.network.packet),
                .places = topology.Placement(),
                .mixesWays = false,
                .isUndivided = false,
                .notes = {},
                .collectiveNotes = {}};
    }
    CheckProduct(config, ranks);
    const std::optional<NodeParts> parts = FindParts(config, topology.Placement(), ranks);
    std::vector<uint32_t> sizes = FindStackSizes(config, parts, ranks);
    // Where nothing tells the sizes, the list is empty and becomes one dimension of all ranks.
    sizes.resize(std::max<size_t>(1, sizes.size()), ranks);
    const bool hasOwnSizes = !config.system.dimensions.empty();
    const bool isOneList = !hasOwnSizes && !parts; // nothing tells how the ranks lie
    const std::vector<ComponentChoice> shapes = FindShapes(config, sizes.front(), isOneList);
    LogicalStack stack;
    // In a stack of nodes a rank stands where its NPU does. In `system.dimensions`, and in a single
    // list of all ranks, rank r has place r.
    stack.places =
        !hasOwnSizes && parts ? PlaceOnUsedNpus(topology.Placement(), ranks) : RankPlacement();
    const PacketOptions& packet = config.network.packet;
    const std::vector<NeighbourRates> rates =
        FindNeighbourRates(topology, routing, {sizes, stack.places}, packet);
    for (size_t dimension = 0; dimension < sizes.size(); ++dimension)
    {
        stack.dimensions.push_back(
            PlanOverRoutes(sizes[dimension], shapes[dimension], rates[dimension], packet));
    }
    // Kept apart from the notes: the reading of a run (GatherFacts) must not advise a stack where
    // routes mix the ways, since a stack would not keep bytes on the fast ones.
    const std::optional<UnequalWays> ways = FindUnequalWaysOfRanks(topology, routing, ranks, rates);
    stack.mixesWays = ways.has_value();
    stack.isUndivided = isOneList && !stack.mixesWays && !rates.front().AreEqual();
    if (ways) // a note for all messages
    {
        stack.notes.push_back(DescribeUnequalWays(config, *ways));
    }
    stack.collectiveNotes = FindStackNotes(config, topology.Placement(), ranks, rates, isOneList);
    return stack;
}

} // namespace nadi
