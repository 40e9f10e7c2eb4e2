// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/logical-stack.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "configuration/topology-section.h"
#include "network/neighbour-rates.h"
#include "network/shape.h"
#include "network/stack-topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// Whether the ranks are all NPUs of some nodes.
bool
FillNodes(uint32_t ranks, const std::vector<uint32_t>& nodeStack)
{
    return ranks % nodeStack.front() == 0;
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
                          fmt::format("system.dimensions: [{}] holds {} ranks, but the job has {}; "
                                      "write sizes whose product is {}",
                                      fmt::join(sizes, ", "),
                                      product,
                                      ranks,
                                      ranks));
    }
}

/// The latency of a dimension is that of a link, and a way through a switch has two of them: up and
/// down. So a way of 1001 ns becomes two links of 500.5 ns; an odd picosecond is rounded up, so
/// that the way is never counted shorter than it is.
Dimension
MakeDimension(uint32_t size, const NeighbourRates& rates)
{
    const SimTime half = SimTime::FromPs((rates.latency.Ps() + 1) / 2);
    return {.shape = ROUTES, .size = size, .bandwidth = rates.least, .latency = half};
}

std::string
DescribeUnequal(size_t dimension, const NeighbourRates& rates)
{
    return fmt::format("dimension {} of the logical stack has members that reach their neighbours "
                       "at {}, others at {}; schedules count with {}",
                       dimension,
                       ToText(rates.least),
                       ToText(rates.most),
                       ToText(rates.least));
}

/// Where nobody said how the ranks lie: the slowest way sets the pace of the one ring.
std::string
DescribeUndivided(uint32_t ranks, const NeighbourRates& rates)
{
    return fmt::format("a collective of all ranks runs over one list of {}, in which neighbours "
                       "reach each other at {} to {}: the slowest sets the pace; write "
                       "system.dimensions: [<NPUs per node>, <nodes>] to use the faster ways",
                       ranks,
                       ToText(rates.least),
                       ToText(rates.most));
}

std::string
DescribePartNode(uint32_t ranks, const std::vector<uint32_t>& nodeStack)
{
    return fmt::format("{} ranks do not fill nodes of {} NPUs: a collective of all ranks runs over "
                       "one list; write workload.ranks as a multiple of {}, or system.dimensions",
                       ranks,
                       nodeStack.front(),
                       nodeStack.front());
}

std::vector<std::string>
FindStackNotes(const Config& config, uint32_t ranks, const std::vector<NeighbourRates>& rates)
{
    const bool isGiven = !config.system.dimensions.empty();
    const std::vector<uint32_t> nodeStack = FindNodeStack(config.network);
    if (!isGiven && !nodeStack.empty() && ranks > nodeStack.front() && !FillNodes(ranks, nodeStack))
    {
        return {DescribePartNode(ranks, nodeStack)};
    }
    std::vector<std::string> notes;
    for (size_t dimension = 0; dimension < rates.size(); ++dimension)
    {
        if (!rates[dimension].AreEqual())
        {
            notes.push_back(isGiven || rates.size() > 1
                                ? DescribeUnequal(dimension, rates[dimension])
                                : DescribeUndivided(ranks, rates[dimension]));
        }
    }
    return notes;
}

} // namespace

std::vector<uint32_t>
FindStackSizes(const Config& config, uint32_t ranks)
{
    const std::vector<Dimension> dimensions = FindDimensions(config.network);
    if (!dimensions.empty())
    {
        return SizesOf(dimensions);
    }
    if (!config.system.dimensions.empty())
    {
        return config.system.dimensions;
    }
    const std::vector<uint32_t> nodeStack = FindNodeStack(config.network);
    if (nodeStack.empty())
    {
        return {};
    }
    if (FillNodes(ranks, nodeStack))
    {
        return {nodeStack.front(), ranks / nodeStack.front()};
    }
    // A second dimension of size 1 changes no schedule. It is there so that a list of two
    // algorithms in `system.collectives` fits this job as it fits one that fills its nodes.
    return {ranks, 1};
}

LogicalStack
MakeLogicalStack(const Config& config,
                 const Topology& topology,
                 const Routing& routing,
                 uint32_t ranks)
{
    if (!topology.Dimensions().empty())
    {
        return {.dimensions = topology.Dimensions(), .notes = {}};
    }
    CheckProduct(config, ranks);
    std::vector<uint32_t> sizes = FindStackSizes(config, ranks);
    // Where nothing tells the sizes, the list is empty and becomes one dimension of all ranks.
    sizes.resize(std::max<size_t>(1, sizes.size()), ranks);
    const std::vector<NeighbourRates> rates =
        FindNeighbourRates(topology, routing, sizes, config.network.packet.switchLatency);
    LogicalStack stack;
    for (size_t dimension = 0; dimension < sizes.size(); ++dimension)
    {
        stack.dimensions.push_back(MakeDimension(sizes[dimension], rates[dimension]));
    }
    stack.notes = FindStackNotes(config, ranks, rates);
    return stack;
}

} // namespace nadi
