// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-node.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// One step of a path of keys: into a mapping by name, or into a list by index.
struct KeyStep
{
    std::string name;
    uint32_t index = 0;
    bool isIndex = false;

    bool operator==(const KeyStep&) const = default;
};

/// "network.dimensions[0].bandwidth" in steps. Throws ConfigError at `where` when it is no path.
std::vector<KeyStep> ParseKeyPath(const std::string& path, const std::string& where);

/// Puts `value` at `path` below `root`: replaces what is there, or adds the key (and the mappings
/// on the way). The items of a list can be replaced, not added.
///
/// Throws ConfigError at `value`'s place when the path runs into something else.
void SetAtPath(ConfigNode& root, const std::string& path, ConfigNode value);

} // namespace nadi
