// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Whether a pattern names a file for each rank ("mlp.{rank}.et") and not one for all.
bool HasRankPlace(const std::string& pattern);

/// The pattern with the rank in place of every `{rank}`.
std::string FillRank(const std::string& pattern, uint32_t rank);

/// The files of a pattern, by rank: ranks 0, 1, ... as far as there are files, or the one file of
/// a pattern without `{rank}`.
///
/// Throws ConfigError when there is none, naming a pattern that fits files nearby; and when a rank
/// is missing below one that is there.
std::vector<std::string> FindRankFiles(const std::string& pattern);

} // namespace nadi
