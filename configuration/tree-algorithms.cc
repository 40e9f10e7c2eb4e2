// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/tree-algorithms.h"

#include "common/error.h"
#include "common/registry.h"
#include "network/shape.h"
#include "system/collective-plan.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>

namespace nadi
{

namespace
{

/// None: the algorithm does without switches.
std::optional<TreeDemand>
FindDemand(const ComponentChoice& algorithm)
{
    return algorithm.name == BY_SIZE
               ? std::nullopt
               : Registry<CollectiveAlgorithm>::Instance().Make(algorithm)->NeedsTrees();
}

/// A switch reduces whole elements, so a slice that cuts one in two could not be summed.
void
CheckSlice(const std::string& where, const TreeDemand& demand, uint32_t elementBytes)
{
    const int64_t slice = demand.slice.Count();
    if (slice % elementBytes != 0)
    {
        throw ConfigError(where,
                          fmt::format("slice: {} B does not hold whole elements of {} B; write a "
                                      "multiple, such as {} B",
                                      slice,
                                      elementBytes,
                                      (slice / elementBytes + 1) * elementBytes));
    }
}

/// A choice of several algorithms has one for each dimension of the stack.
void
CheckDimension(const std::string& where,
               const std::string& algorithm,
               const std::vector<Dimension>& stack,
               size_t index)
{
    const Dimension& dimension = stack[index];
    if (!MakeShape(dimension.shape, where)->HasSwitch(dimension.size))
    {
        throw ConfigError(
            where,
            fmt::format("{} needs a switch, and dimension {} of the network, a {}, has "
                        "none; write {} in dimensions of shape switch only, such as "
                        "[{}, ring]",
                        algorithm,
                        index,
                        dimension.shape.name,
                        algorithm,
                        algorithm));
    }
}

void
CheckChoice(const Config& config,
            const std::string& where,
            const AlgorithmChoice& choice,
            const std::vector<Dimension>& stack)
{
    for (size_t index = 0; index < choice.perDimension.size(); ++index)
    {
        const ComponentChoice& algorithm = choice.perDimension[index];
        const std::optional<TreeDemand> demand = FindDemand(algorithm);
        if (!demand)
        {
            continue;
        }
        CheckSlice(where, *demand, config.system.options.elementBytes);
        if (!config.network.inNetwork)
        {
            throw ConfigError(where,
                              algorithm.name + " needs switches that compute; write "
                                               "network.in-network: on");
        }
        if (choice.isFlat && stack.size() > 1)
        {
            throw ConfigError(where,
                              algorithm.name +
                                  " cannot run over all dimensions of a stack at once: only NPUs "
                                  "join the switches of two dimensions, and a tree leads over "
                                  "switches alone; write one algorithm for each dimension");
        }
        // Without dimensions nothing can be said of switches here. PrepareCalls finds out whether
        // trees reach the ranks, when the calls are known.
        if (!stack.empty())
        {
            CheckDimension(where, algorithm.name, stack, index);
        }
    }
}

} // namespace

/// Only choices that somebody made are looked at: no default needs switches.
void
CheckTreeAlgorithms(const Config& config, const std::vector<Dimension>& stack)
{
    for (const auto& [type, setting] : config.system.collectives)
    {
        CheckChoice(config,
                    fmt::format("{}: system.collectives.{}", setting.where, ToText(type)),
                    config.system.options.algorithms.at(type),
                    stack);
    }
}

} // namespace nadi
