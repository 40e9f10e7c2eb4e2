// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/algorithm-settings.h"

#include "common/error.h"
#include "common/text.h"
#include "configuration/algorithm-codec.h"
#include "configuration/node-algorithms.h"
#include "configuration/topology-section.h"
#include "network/shape.h"
#include "network/stack-topology.h"
#include "system/collective-plan.h"
#include "system/scheduling/inter-dimension-policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nadi
{

namespace
{

/// The key of one type. It writes what ResolveAlgorithms has chosen.
Field
MakeTypeField(SystemConfig& system, CollectiveType type)
{
    const Codec<AlgorithmSetting> codec = MakeAlgorithmSettingCodec(type);
    Field field;
    field.name = ToText(type);
    field.help =
        fmt::format("The algorithms of {}: {}.", ToText(type), JoinWithOr(AlgorithmsFor(type)));
    field.schema = codec.schema;
    field.read = [&system, type, codec](const ConfigNode& node)
    { system.collectives[type] = codec.read(node); };
    field.write = [&system, type, codec]() -> std::optional<Json>
    {
        // Before ResolveAlgorithms, as when the schema is made, there is no choice: the default
        // follows from the shapes of the network.
        const auto found = system.options.algorithms.find(type);
        return found == system.options.algorithms.end()
                   ? std::nullopt
                   : std::optional<Json>(codec.write({.choice = found->second, .where = ""}));
    };
    return field;
}

/// The default algorithm of each dimension, with all parameters. An effective configuration writes
/// them out, so it keeps its meaning when defaults change.
AlgorithmChoice
MakeDefaultChoice(CollectiveType type, const std::vector<ComponentChoice>& shapes)
{
    AlgorithmChoice choice;
    for (const ComponentChoice& shape : shapes)
    {
        choice.perDimension.push_back(
            CompleteAlgorithm(DefaultAlgorithm(type, *MakeShape(shape, "network.dimensions"))));
    }
    return choice;
}

AlgorithmChoice
Resolve(CollectiveType type, const AlgorithmSetting& setting, size_t dimensions)
{
    AlgorithmChoice choice = setting.choice;
    if (setting.isList && choice.perDimension.size() != dimensions)
    {
        throw ConfigError(setting.where,
                          fmt::format("system.collectives.{}: lists {} algorithms for a stack of "
                                      "{}; write one for each dimension, or one name for all",
                                      ToText(type),
                                      choice.perDimension.size(),
                                      dimensions));
    }
    if (!setting.isList && !choice.isFlat)
    {
        // From here on the choice has one entry for each dimension. "ring" for a stack of three is
        // the same as [ring, ring, ring], and the effective configuration has it so.
        choice.perDimension.resize(dimensions, choice.perDimension.front());
    }
    return choice;
}

bool
CanRun(CollectiveType type, const ComponentChoice& algorithm)
{
    const std::vector<std::string> able = AlgorithmsFor(type);
    return std::find(able.begin(), able.end(), algorithm.name) != able.end();
}

bool
CanRun(CollectiveType type, const AlgorithmChoice& choice)
{
    return std::all_of(choice.perDimension.begin(),
                       choice.perDimension.end(),
                       [&](const ComponentChoice& algorithm) { return CanRun(type, algorithm); });
}

/// The sizes of the logical stack's dimensions as far as the configuration says them. One that it
/// leaves to the number of ranks is taken as large as it can be.
std::vector<uint32_t>
FindLargestSizes(const Config& config)
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
    std::vector<uint32_t> sizes = FindNodeStack(config.network);
    // Ranks of one node have no line between nodes; those that do not fill nodes are one list. With
    // a placement either may use equal parts of several nodes.
    const std::optional<uint32_t> ranks = config.workload.ranks;
    const bool isLinear = config.workload.placement.kind == PlacementChoice::Kind::Linear;
    if (!sizes.empty() && isLinear && ranks &&
        (*ranks == sizes.front() || *ranks % sizes.front() != 0))
    {
        sizes.back() = 1;
    }
    return sizes;
}

/// Those along which something is sent.
std::vector<size_t>
FindUsedDimensions(const Config& config)
{
    const std::vector<uint32_t> sizes = FindLargestSizes(config);
    std::vector<size_t> used;
    for (size_t dimension = 0; dimension < sizes.size(); ++dimension)
    {
        if (sizes[dimension] > 1)
        {
            used.push_back(dimension);
        }
    }
    return used;
}

/// An all-reduce over a stack scatters along all dimensions but the last of a chunk's order, and
/// gathers on the way back; only a policy of a fixed order fixes which one is the last.
void
CheckScatterGather(const AlgorithmSetting& setting, const Config& config)
{
    const SystemOptions& options = config.system.options;
    const AlgorithmChoice& choice = options.algorithms.at(CollectiveType::AllReduce);
    const SchedulingOptions& scheduling = options.scheduling;
    const std::vector<size_t> used = FindUsedDimensions(config);
    if (choice.isFlat || used.size() < 2 || scheduling.perDimension)
    {
        return;
    }
    // Under a fixed order the last dimension is the last of every chunk, and an algorithm that can
    // only all-reduce will do there. Under other orders a dimension that is the last of one chunk
    // is an earlier one of another, so all are judged.
    const auto policy = Registry<InterDimensionPolicy>::Instance().Make(scheduling.interDimension);
    const size_t fixedLast = policy->HasFixedOrder() ? 1 : 0;
    for (size_t index = 0; index + fixedLast < used.size(); ++index)
    {
        const ComponentChoice& algorithm = choice.perDimension[used[index]];
        if (!CanRun(CollectiveType::ReduceScatter, algorithm) ||
            !CanRun(CollectiveType::AllGather, algorithm))
        {
            throw ConfigError(
                setting.where,
                fmt::format("system.collectives.all-reduce: {} cannot scatter and gather along "
                            "dimension {} "
                            "of the stack; write {}, {{flat: {}}}, or hierarchy: per-dimension",
                            algorithm.name,
                            used[index],
                            JoinWithOr(AlgorithmsFor(CollectiveType::ReduceScatter)),
                            algorithm.name));
        }
    }
}

} // namespace

Field
MakeAlgorithmsField(SystemConfig& system)
{
    Section section;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        section.push_back(MakeTypeField(system, type));
    }
    section.push_back(MakeNodeAlgorithmsField(system));
    return MakeSectionField(
        "collectives",
        std::move(section),
        "The algorithms by type of collective: one for all dimensions, a list of one for each, or "
        "{flat: one} for all ranks at once. The defaults follow the shapes of the dimensions.");
}

void
ResolveAlgorithms(Config& config)
{
    const std::vector<ComponentChoice> shapes = FindStackShapes(config);
    SystemConfig& system = config.system;
    auto& algorithms = system.options.algorithms;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const auto given = system.collectives.find(type);
        algorithms[type] = given == system.collectives.end()
                               ? MakeDefaultChoice(type, shapes)
                               : Resolve(type, given->second, shapes.size());
    }
    const auto allReduce = system.collectives.find(CollectiveType::AllReduce);
    if (allReduce != system.collectives.end())
    {
        CheckScatterGather(allReduce->second, config);
    }
    // A barrier that nobody chose for follows the choice for all-reduce. Where one of those
    // algorithms cannot run a barrier, it keeps its own default.
    const bool isBarrierGiven = system.collectives.contains(CollectiveType::Barrier);
    if (!isBarrierGiven && CanRun(CollectiveType::Barrier, algorithms[CollectiveType::AllReduce]))
    {
        algorithms[CollectiveType::Barrier] = algorithms[CollectiveType::AllReduce];
    }
}

namespace
{

/// Of `system.dimensions`, which may cut the ranks in any way, across nodes too. So its dimensions
/// have the shape ROUTES, which promises nothing but that there are routes. Only a first dimension
/// that cuts nodes into equal parts stays within them, and has the links that are there.
std::vector<ComponentChoice>
FindGivenShapes(const Config& config)
{
    const std::vector<uint32_t>& sizes = config.system.dimensions;
    std::vector<ComponentChoice> shapes(sizes.size(), ComponentChoice(ROUTES));
    const std::vector<uint32_t> nodeStack = FindNodeStack(config.network);
    const bool isLinear = config.workload.placement.kind == PlacementChoice::Kind::Linear;
    if (isLinear && !nodeStack.empty() && nodeStack.front() % sizes.front() == 0)
    {
        shapes.front() = FindNodeShapes(config.network).front();
    }
    return shapes;
}

} // namespace

std::vector<ComponentChoice>
FindStackShapes(const Config& config)
{
    std::vector<ComponentChoice> shapes;
    for (const Dimension& dimension : FindDimensions(config.network))
    {
        shapes.push_back(dimension.shape);
    }
    if (shapes.empty())
    {
        shapes = config.system.dimensions.empty() ? FindNodeShapes(config.network)
                                                  : FindGivenShapes(config);
    }
    if (shapes.empty())
    {
        shapes.emplace_back(ROUTES);
    }
    return shapes;
}

} // namespace nadi
