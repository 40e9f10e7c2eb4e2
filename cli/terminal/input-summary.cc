// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/input-summary.h"

#include "cli/terminal/fabric-summary.h"
#include "common/rate-texts.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "network/longest-paths.h"
#include "simulation/called-algorithms.h"
#include "workload/node-kind.h"
#include "workload/serving/rank-memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

// Paths are measured to so many NPUs, fewer in large networks: a link is looked at once for each.
constexpr uint32_t DESTINATIONS = 256;
constexpr uint32_t LINKS_LOOKED_AT = 8'000'000;
constexpr size_t GROUPS_SHOWN = 8;

std::string
Line(const std::string& title, const std::string& text)
{
    return fmt::format("{:<12}{}\n", title, text);
}

/// How many nodes of each type the job has, over all ranks; collectives by what they are.
std::map<std::string, uint64_t>
CountNodes(const Workload& workload)
{
    // Each graph is looked at once, and counts for every rank that shares it.
    std::vector<uint64_t> ranksOfGraph(workload.graphs.size());
    for (const uint32_t graph : workload.graphOfRank)
    {
        ++ranksOfGraph[graph];
    }
    std::map<std::string, uint64_t> counts;
    for (size_t id = 0; id < workload.graphs.size(); ++id)
    {
        const ExecutionGraph& graph = workload.graphs[id];
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            const ExecutionNode& node = graph.Node(index);
            counts[std::string(KindOf(node))] += ranksOfGraph[id];
        }
    }
    return counts;
}

std::string
DescribeNodes(const Workload& workload)
{
    std::string text;
    uint64_t total = 0;
    for (const auto& [type, count] : CountNodes(workload))
    {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, type);
        total += count;
    }
    return Line("nodes", fmt::format("{} over all ranks: {}", total, text));
}

/// What lies in the memory of the fullest rank of a stage of an instance.
std::string
DescribeMemory(const ServingInstance& instance, uint32_t stage, const BatchingOptions& batching)
{
    const auto text = [](uint64_t bytes)
    { return ToRoundedText(Bytes(static_cast<int64_t>(bytes))); };
    const RankMemory memory = FindFullestRank(instance, stage, batching);
    // Ranks of experts alone keep no keys and values.
    const std::string keysAndValues =
        instance.Role() == ServingRole::Ffn
            ? ""
            : fmt::format("{} of keys and values, ", text(memory.keysAndValues));
    const std::string place =
        instance.Model().pipeline > 1 ? fmt::format(" of stage {}", stage) : "";
    return fmt::format("a rank{} holds {} of weights, {}{} of activations, {} in all; it has {}",
                       place,
                       text(memory.weights),
                       keysAndValues,
                       text(memory.activations),
                       text(memory.Sum()),
                       ToRoundedText(instance.Memory()));
}

/// Which ranks each instance of a cluster has, and how its weights and keys and values fit.
std::string
DescribeInstances(const ServingInput& serving, const BatchingOptions& batching)
{
    std::string text;
    for (const ServingInstance& instance : serving.instances)
    {
        // The ranks of an instance follow each other.
        const uint32_t first = instance.RankAt(0, 0, 0).value;
        const std::string blocks = instance.Role() == ServingRole::Ffn
                                       ? ""
                                       : fmt::format(", {} of {} a replica",
                                                     CountText(instance.Blocks(), "KV block"),
                                                     CountText(batching.block, "token"));
        text += Line(text.empty() ? "instances" : "",
                     fmt::format("{}: ranks {} to {}{}",
                                 instance.Name(),
                                 first,
                                 first + instance.RankCount() - 1,
                                 blocks));
        for (uint32_t stage = 0; stage < instance.Model().pipeline; ++stage)
        {
            text += Line("", "  " + DescribeMemory(instance, stage, batching));
        }
    }
    return text;
}

/// The nodes of the traces; a cluster that serves has none before it runs.
std::string
DescribeWork(const RunInput& input)
{
    return input.Serving() == nullptr
               ? DescribeNodes(input.Workload())
               : DescribeInstances(*input.Serving(), input.Config().workload.serve->batching);
}

std::string
DescribeRankList(const std::vector<RankId>& ranks)
{
    constexpr size_t shown = 8;
    std::string text;
    for (size_t i = 0; i < std::min(ranks.size(), shown); ++i)
    {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i].value);
    }
    return "{" + text + (ranks.size() > shown ? ", ..." : "") + "}";
}

std::string
DescribeGroups(const Workload& workload)
{
    std::string text = Line("groups", fmt::format("{}", workload.communicators.size()));
    for (size_t i = 0; i < std::min(workload.communicators.size(), GROUPS_SHOWN); ++i)
    {
        const Communicator& group = workload.communicators[i];
        text += Line("",
                     fmt::format("{} {}",
                                 CountText(group.ranks.size(), "rank"),
                                 DescribeRankList(group.ranks)));
    }
    if (workload.communicators.size() > GROUPS_SHOWN)
    {
        text +=
            Line("", fmt::format("... and {} more", workload.communicators.size() - GROUPS_SHOWN));
    }
    return text;
}

/// A topology may have a generator, a stack of dimensions, or both; one from a file has neither.
std::string
DescribeTopology(const RunInput& input)
{
    const Topology& topology = input.Topology();
    const auto& generator = input.Config().network.generator;
    std::string stack = generator ? generator->name : "";
    const char* separator = generator ? ", " : "";
    for (const Dimension& dimension : topology.Dimensions())
    {
        stack += fmt::format("{}{}({})", separator, dimension.shape.name, dimension.size);
        separator = " x ";
    }
    return Line("topology",
                fmt::format("{}{}, {}{}",
                            stack.empty() ? "" : stack + ": ",
                            CountText(topology.NpuCount(), "NPU"),
                            CountText(topology.SwitchCount(), "switch"),
                            topology.MemoryCount() == 0
                                ? ""
                                : ", " + CountText(topology.MemoryCount(), "memory")));
}

/// Where the ranks stand, unless each has the NPU of its own number.
std::string
DescribePlacement(const RunInput& input)
{
    constexpr uint32_t shown = 8;
    const RankPlacement& placement = input.Topology().Placement();
    if (placement.IsLinear())
    {
        return "";
    }
    const uint32_t ranks = input.Workload().RankCount();
    std::string npus;
    for (uint32_t rank = 0; rank < std::min(ranks, shown); ++rank)
    {
        npus += fmt::format("{}{}", rank == 0 ? "" : ", ", placement.PlaceOf(rank));
    }
    return Line(
        "placement",
        fmt::format(
            "ranks 0 to {} on the NPUs {}{}", ranks - 1, npus, ranks > shown ? ", ..." : ""));
}

std::string
DescribeLinks(const Topology& topology)
{
    std::map<LinkRate, uint32_t> counts;
    for (uint32_t link = 0; link < topology.LinkCount(); ++link)
    {
        const TopologyLink& found = topology.Link(LinkId{link});
        ++counts[{found.bandwidth, found.latency}];
    }
    std::string text =
        Line("links", fmt::format("{}, each direction counted", topology.LinkCount()));
    std::vector<Bandwidth> bandwidths;
    for (const auto& [rate, count] : counts)
    {
        bandwidths.push_back(rate.bandwidth);
    }
    const std::vector<std::string> texts = ToTextsInOneUnit(bandwidths);
    auto bandwidth = texts.begin();
    for (const auto& [rate, count] : counts)
    {
        text += Line("", fmt::format("{} of {}, {}", count, *bandwidth++, ToText(rate.latency)));
    }
    return text;
}

std::string
DescribePath(const RunInput& input, const PathExample& path)
{
    return fmt::format("{} -> {}: {}, {}",
                       input.Topology().Vertex(path.source).name,
                       input.Topology().Vertex(path.destination).name,
                       CountText(path.hops, "link"),
                       ToText(path.latency));
}

/// To find the ways to all NPUs takes time in proportion to links x NPUs. So only the ways to some
/// NPUs of a large network are looked at, and the text says so.
std::string
DescribePaths(const RunInput& input)
{
    const uint32_t links = std::max(input.Topology().LinkCount(), 1U);
    const uint32_t destinations = std::clamp(LINKS_LOOKED_AT / links, 1U, DESTINATIONS);
    const auto longest = FindLongestPaths(input.Topology(),
                                          input.Routing(),
                                          input.Config().network.packet.switchLatency,
                                          destinations);
    if (!longest)
    {
        return "";
    }
    // The way with most hops need not be the one with most latency.
    const std::string byHops = DescribePath(input, longest->byHops);
    const std::string byLatency = DescribePath(input, longest->byLatency);
    return Line("longest way", byHops) + (byLatency == byHops ? "" : Line("", byLatency)) +
           (longest->isSampled ? Line("", "among the ways to some of the NPUs") : "");
}

/// "ring (LL128)", and on how many communicators where the type has other algorithms besides.
std::string
DescribeAlgorithm(const CalledAlgorithm& algorithm, size_t communicators, bool isOnlyOne)
{
    return fmt::format("{}: {}{}{}{}",
                       ToText(algorithm.type),
                       algorithm.algorithm,
                       algorithm.protocol.empty() ? "" : fmt::format(" ({})", algorithm.protocol),
                       isOnlyOne ? "" : " on " + CountText(communicators, "communicator"),
                       algorithm.isUneven ? ", as ranks bring different sizes" : "");
}

/// One line for each algorithm that a type of collective will run; of a collective that crosses
/// dimensions, with those of the dimensions from the innermost on.
std::string
DescribeAlgorithms(const RunInput& input)
{
    const auto called = FindCalledAlgorithms(input);
    std::map<CollectiveType, uint32_t> algorithmsOfType;
    for (const auto& [algorithm, communicators] : called)
    {
        ++algorithmsOfType[algorithm.type];
    }
    std::string text;
    for (const auto& [algorithm, communicators] : called)
    {
        text +=
            Line(text.empty() ? "algorithms" : "",
                 DescribeAlgorithm(
                     algorithm, communicators.size(), algorithmsOfType.at(algorithm.type) == 1));
    }
    return text;
}

std::string
DescribeBounds(const RunInput& input)
{
    std::string text;
    for (const std::string& bound : DescribeFabricBounds(input))
    {
        text += Line(text.empty() ? "bounds" : "", bound);
    }
    return text;
}

} // namespace

std::string
DescribeInput(const RunInput& input)
{
    std::string text = Line("ranks", std::to_string(input.Workload().RankCount())) +
                       DescribeWork(input) + DescribeGroups(input.Workload()) +
                       DescribeAlgorithms(input) + DescribeTopology(input) +
                       DescribePlacement(input) + DescribeLinks(input.Topology()) +
                       DescribePaths(input) + DescribeBounds(input);
    for (const std::string& note : input.Notes())
    {
        text += "note: " + note + "\n";
    }
    return text;
}

} // namespace nadi
