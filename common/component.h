// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// Something that a configuration can name: a collective algorithm, a congestion control, a
/// generator of topologies.
struct ComponentInfo
{
    std::string name;
    std::string help; ///< one sentence
    std::vector<ParameterSpec> parameters;
};

/// A component by its name, with values for its parameters, as texts with unit. What is absent has
/// its default.
struct ComponentChoice
{
    ComponentChoice() = default;

    ComponentChoice(std::string component, std::map<std::string, std::string> values = {})
        : name(std::move(component))
        , parameters(std::move(values))
    {
    }

    ComponentChoice(const char* component)
        : name(component)
    {
    }

    bool operator==(const ComponentChoice&) const = default;

    std::string name;
    std::map<std::string, std::string> parameters;
    /// Where the values come from that were not given; of kinds that have presets.
    std::string preset = "none";
};

/// The choice with every parameter. Throws ConfigError as CompleteParameters does.
ComponentChoice CompleteChoice(const ComponentInfo& info, ComponentChoice choice);

/// The values of all parameters of `info`: those of `choice`, and defaults. Throws ConfigError,
/// with the name of the parameter as its place.
Parameters ParseChoice(const ComponentInfo& info, const ComponentChoice& choice);

} // namespace nadi
