// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/rank-files.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace nadi
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view PLACE = "{rank}";
constexpr uint32_t RANKS_LOOKED_PAST = 1024; // for files behind a gap

bool
IsFile(const std::string& path)
{
    std::error_code error;
    return fs::is_regular_file(path, error);
}

/// A file name with its rank, a number between dots or before the end ("mlp.3.et"), replaced by
/// the place; nothing when it has none.
std::optional<std::string>
ReplaceRank(const std::string& name)
{
    // From the right, as other numbers stand further left: "run.2.mlp.3.et".
    size_t dot = name.rfind('.');
    while (dot != std::string::npos)
    {
        const size_t start = dot + 1;
        const size_t end = std::min(name.find_first_not_of("0123456789", start), name.size());
        if (end > start && (end == name.size() || name[end] == '.'))
        {
            return name.substr(0, start) + std::string(PLACE) + name.substr(end);
        }
        dot = dot == 0 ? std::string::npos : name.rfind('.', dot - 1);
    }
    return std::nullopt;
}

/// The part of a file name before its first dot or the place.
std::string
StemOf(const std::string& name)
{
    return name.substr(0, std::min(name.find('.'), name.find(PLACE)));
}

bool
IsTraceName(const std::string& name)
{
    return name.find(".et") != std::string::npos || name.find(".eg") != std::string::npos ||
           name.ends_with(".json");
}

/// "; did you mean "mlp.{rank}.et"?" for files in the folder, those of the stem before others.
std::string
SuggestPattern(const fs::path& folder, const std::string& stem)
{
    std::optional<std::string> best;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; entry != end; entry.increment(error))
    {
        const std::string name = entry->path().filename().string();
        const std::optional<std::string> pattern =
            IsTraceName(name) ? ReplaceRank(name) : std::nullopt;
        if (!pattern)
        {
            continue;
        }
        // False sorts before true, so equal stems come first. Then the name decides: a folder lists
        // its files in any order.
        const auto worth = [&stem](const std::string& text) { return StemOf(text) != stem; };
        if (!best || std::pair(worth(*pattern), *pattern) < std::pair(worth(*best), *best))
        {
            best = pattern;
        }
    }
    return best ? fmt::format("; did you mean \"{}\"?", (folder / *best).string()) : "";
}

/// The path of rank 0 without the folders that all ranks share.
std::string
NameOfFirst(const std::string& pattern)
{
    const size_t slash = pattern.substr(0, pattern.find(PLACE)).rfind('/');
    return FillRank(slash == std::string::npos ? pattern : pattern.substr(slash + 1), 0);
}

[[noreturn]] void
ThrowNotFound(const std::string& pattern)
{
    const fs::path path(pattern);
    std::error_code error;
    if (fs::is_directory(path, error))
    {
        const std::string hint = SuggestPattern(path, "");
        throw ConfigError(pattern,
                          "is a folder; name the trace files in it" +
                              (hint.empty() ? ", as in \"mlp.{rank}.et\"" : hint));
    }
    if (fs::exists(FillRank(pattern, 0), error))
    {
        throw ConfigError(
            FillRank(pattern, 0),
            "is no regular file, but a device, a pipe or a folder; name a trace file");
    }
    if (fs::is_symlink(FillRank(pattern, 0), error))
    {
        throw ConfigError(FillRank(pattern, 0),
                          "is a symbolic link to a file that is not there; name a trace file");
    }
    const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
    const std::string hint = SuggestPattern(folder, StemOf(path.filename().string()));
    const std::string problem =
        HasRankPlace(pattern)
            ? fmt::format("there is no trace file for rank 0, \"{}\"", NameOfFirst(pattern))
            : "there is no such trace file";
    throw ConfigError(pattern,
                      problem + (hint.empty() ? "; files are named by rank, from 0, as in "
                                                "\"mlp.{rank}.et\""
                                              : hint));
}

} // namespace

bool
HasRankPlace(const std::string& pattern)
{
    return pattern.find(PLACE) != std::string::npos;
}

std::string
FillRank(const std::string& pattern, uint32_t rank)
{
    std::string path;
    size_t copied = 0;
    for (size_t place = pattern.find(PLACE); place != std::string::npos;
         place = pattern.find(PLACE, copied))
    {
        path += pattern.substr(copied, place - copied) + std::to_string(rank);
        copied = place + PLACE.size();
    }
    return path + pattern.substr(copied);
}

std::vector<RankFile>
ListRankFiles(const FileOfRank& fileOfRank, uint32_t ranksLookedPast)
{
    std::vector<RankFile> files;
    for (uint32_t rank = 0, end = ranksLookedPast; rank < end; ++rank)
    {
        if (std::optional<std::string> file = fileOfRank(rank))
        {
            files.push_back({rank, *std::move(file)});
            // Each file that is found extends the search.
            end = rank + 1 + ranksLookedPast;
        }
    }
    return files;
}

std::vector<std::string>
PathsOfAllRanks(const std::vector<RankFile>& files, const std::string& pattern)
{
    std::vector<std::string> paths;
    for (uint32_t rank = 0; rank < files.size(); ++rank)
    {
        // Files stand in the order of ranks, so the first rank that differs is the first gap.
        if (files[rank].rank != rank)
        {
            throw ConfigError(FillRank(pattern, rank),
                              fmt::format("is missing, while the file of rank {} is there; traces "
                                          "are needed of all ranks from 0",
                                          files[rank].rank));
        }
        paths.push_back(files[rank].file);
    }
    return paths;
}

// Tries the ranks one after the other and lists no folder, so {rank} may stand in the name of a
// folder too.
std::vector<RankFile>
FindRecordedRankFiles(const std::string& pattern)
{
    const auto fileOfRank = [&pattern](uint32_t rank) -> std::optional<std::string>
    {
        std::string path = FillRank(pattern, rank);
        return IsFile(path) ? std::optional(std::move(path)) : std::nullopt;
    };
    std::vector<RankFile> files;
    if (HasRankPlace(pattern))
    {
        files = ListRankFiles(fileOfRank, RANKS_LOOKED_PAST);
    }
    else if (IsFile(pattern))
    {
        files.push_back({0, pattern});
    }
    if (files.empty())
    {
        ThrowNotFound(pattern);
    }
    return files;
}

std::vector<std::string>
FindRankFiles(const std::string& pattern)
{
    return PathsOfAllRanks(FindRecordedRankFiles(pattern), pattern);
}

} // namespace nadi
