// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// The trace of one rank of a job.
struct RankFile
{
    uint32_t rank = 0;
    std::string file;
};

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

/// The same where some ranks have no file: those that have one, by rank.
///
/// Throws ConfigError when there is none.
std::vector<RankFile> FindRecordedRankFiles(const std::string& pattern);

/// The file of a rank; nothing where it has none.
using FileOfRank = std::function<std::optional<std::string>(uint32_t rank)>;

/// All files, by rank, as far as no more than `ranksLookedPast` ranks in a row have none.
std::vector<RankFile> ListRankFiles(const FileOfRank& fileOfRank, uint32_t ranksLookedPast);

/// The paths of the files of a pattern, which are of all ranks from 0. Throws ConfigError where a
/// rank has none, while one above it has.
std::vector<std::string> PathsOfAllRanks(const std::vector<RankFile>& files,
                                         const std::string& pattern);

} // namespace nadi
