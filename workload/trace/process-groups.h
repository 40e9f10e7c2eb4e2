// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// Ranks of each named group, in the order of the list; an empty list means all ranks.
using ProcessGroups = std::map<std::string, std::vector<uint32_t>>;

/// Whether a group of this name always has all ranks: "", "0" or "0.0".
bool MeansAllRanks(const std::string& name);

/// Reads a groups file, `{"1": [0, 1], "2": [2, 3]}`, for a job of `rankCount` ranks.
///
/// Throws ConfigError for a file of another form, an empty group, a rank outside the job or twice
/// in a group, and for a group "", "0" or "0.0" (they mean all ranks) that lists anything else.
ProcessGroups ReadGroupsFile(const std::string& path, uint32_t rankCount);

/// `groups.json` in the folder of a trace, where commands that make traces put it; nothing where
/// there is none.
std::optional<std::string> FindGroupsBeside(const std::string& trace);

/// The groups that a node `process_group:init` of a PyTorch trace defines, from its inputs: the
/// Python text of a list that holds one string, which is a JSON array. Nothing when it is not.
std::optional<ProcessGroups> ParseProcessGroups(std::string_view inputValues);

} // namespace nadi
