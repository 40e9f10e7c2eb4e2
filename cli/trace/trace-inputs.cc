// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/trace-inputs.h"

#include "cli/trace/edit-output.h"
#include "common/error.h"
#include "common/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace nadi
{

namespace
{

constexpr const char* DIGITS = "0123456789";
// Fewer than for patterns without a star (rank-files.cc), as each rank that is tried costs a look
// at all names of the folder.
constexpr uint32_t RANKS_LOOKED_PAST = 64; // for files behind a gap

/// The whole numbers in a name, as numbers, so that rank 10 comes after rank 9.
std::vector<std::pair<size_t, std::string>>
NumbersOf(const std::string& name)
{
    std::vector<std::pair<size_t, std::string>> numbers;
    size_t at = name.find_first_of(DIGITS);
    while (at != std::string::npos)
    {
        const size_t end = std::min(name.find_first_not_of(DIGITS, at), name.size());
        const size_t first = std::min(name.find_first_not_of('0', at), end);
        // Without leading zeros a longer number is larger, and equally long ones compare as texts
        // do: numbers of any length are ordered.
        numbers.emplace_back(end - first, name.substr(first, end - first));
        at = name.find_first_of(DIGITS, end);
    }
    return numbers;
}

/// The files that fit a pattern with `*` in its last part, in no order.
std::vector<std::string>
ListMatches(const std::string& pattern)
{
    const std::filesystem::path path(pattern);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::vector<std::string> files;
    std::error_code missing;
    // A folder that cannot be read has no files here, and the callers say that the pattern fits
    // none.
    for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    {
        if (MatchesPattern(entry.path().filename().string(), path.filename().string()))
        {
            // Not entry.path(), which begins with "./" where the user wrote no folder.
            files.push_back((path.parent_path() / entry.path().filename()).string());
        }
    }
    return files;
}

std::vector<std::string>
FindMatches(const std::string& pattern)
{
    std::vector<std::string> files = ListMatches(pattern);
    if (files.empty())
    {
        throw ConfigError(pattern, "fits no file; look at the folder and the pattern");
    }
    // A folder lists its files in any order. Names with equal numbers go by their letters, so that
    // ranks have the same order on every machine.
    std::sort(files.begin(),
              files.end(),
              [](const std::string& left, const std::string& right)
              { return std::pair(NumbersOf(left), left) < std::pair(NumbersOf(right), right); });
    return files;
}

bool
HasStar(const std::string& pattern)
{
    return pattern.find('*') != std::string::npos;
}

/// The file of a rank; absent where none fits.
std::optional<std::string>
FindFileOfRank(const std::string& pattern, uint32_t rank)
{
    // The star may fit names of several recordings in one folder. To choose among them could mix
    // jobs, so this is an error.
    const std::vector<std::string> files = ListMatches(FillRank(pattern, rank));
    if (files.size() > 1)
    {
        throw ConfigError(pattern,
                          fmt::format("fits several files of rank {}, {} and {}; write more of "
                                      "their names",
                                      rank,
                                      files[0],
                                      files[1]));
    }
    return files.empty() ? std::nullopt : std::optional(files.front());
}

/// By rank, where each rank's name has something of its own besides the rank.
std::vector<RankFile>
FindStarredRankFiles(const std::string& pattern)
{
    std::vector<RankFile> files = ListRankFiles(
        [&pattern](uint32_t rank) { return FindFileOfRank(pattern, rank); }, RANKS_LOOKED_PAST);
    if (files.empty())
    {
        throw ConfigError(pattern, "fits no file of any rank; look at the folder and the pattern");
    }
    return files;
}

/// Files of ranks 0, 1, ...
std::vector<RankFile>
NumberFiles(const std::vector<std::string>& paths)
{
    std::vector<RankFile> files;
    for (const std::string& path : paths)
    {
        files.push_back({static_cast<uint32_t>(files.size()), path});
    }
    return files;
}

/// A directory stands for the traces in it.
std::string
PatternOf(const std::string& trace)
{
    return std::filesystem::is_directory(trace)
               ? (std::filesystem::path(trace) / "*.{rank}.et").string()
               : trace;
}

/// Ranks are told by `{rank}`, else by the order of the names that `*` fits.
std::vector<RankFile>
FindPatternFiles(const std::string& pattern)
{
    if (!HasStar(pattern))
    {
        return FindRecordedRankFiles(pattern);
    }
    return HasRankPlace(pattern) ? FindStarredRankFiles(pattern)
                                 : NumberFiles(FindMatches(pattern));
}

/// The name without folder, endings and places of numbers: "mlp" of "a/mlp.{rank}.et.gz".
std::string
StemOf(const std::string& trace)
{
    std::string name = std::filesystem::path(trace).filename().string();
    // The outermost ending comes first, as in "mlp.0.et.gz".
    for (const char* const ending : {".gz", ".json", ".et", ".eg"})
    {
        if (name.ends_with(ending))
        {
            name.resize(name.size() - std::string_view(ending).size());
        }
    }
    const size_t place = name.find_first_of("{*");
    name.resize(std::min(place, name.size()));
    // The name of a plain file ends with its rank, which is no part of the job's name. In a pattern
    // digits before the place of the rank belong to the job: "gpt3.{rank}.et" is of "gpt3".
    if (place == std::string::npos)
    {
        const size_t digits = name.find_last_not_of(DIGITS);
        name.resize(digits == std::string::npos ? 0 : digits + 1);
    }
    // The sign between name and rank is left over at the end.
    const size_t last = name.find_last_not_of("._-");
    name.resize(last == std::string::npos ? 0 : last + 1);
    return name.empty() ? "trace" : name;
}

/// Files of a list. A folder is none; what is missing beside one is said first, as the folder may
/// be right then.
std::vector<RankFile>
FindListedFiles(const std::vector<std::string>& traces)
{
    std::error_code unknown;
    const auto folder =
        std::ranges::find_if(traces,
                             [&unknown](const std::string& trace)
                             { return std::filesystem::is_directory(trace, unknown); });
    if (folder != traces.end())
    {
        const auto missing =
            std::ranges::find_if_not(traces,
                                     [&unknown](const std::string& trace)
                                     { return std::filesystem::exists(trace, unknown); });
        // Both calls are made for the error that they throw.
        FindRecordedRankFiles(missing == traces.end() ? *folder : *missing);
        FindRecordedRankFiles(*folder); // where what seemed to be missing is a pattern
    }
    return NumberFiles(traces);
}

} // namespace

std::vector<uint32_t>
RecordedInputs::Ranks() const
{
    std::vector<uint32_t> ranks;
    std::ranges::transform(files, std::back_inserter(ranks), &RankFile::rank);
    return ranks;
}

const std::string&
RecordedInputs::FileOf(uint32_t rank) const
{
    // Ranks may be missing, so a rank is no index.
    return std::ranges::find(files, rank, &RankFile::rank)->file;
}

RecordedInputs
FindRecordedInputs(const std::vector<std::string>& traces)
{
    // A list, such as the shell makes of a pattern: its order tells the ranks.
    if (traces.size() != 1)
    {
        return {FindListedFiles(traces), StemOf(traces.front())};
    }
    const std::string pattern = PatternOf(traces.front());
    RecordedInputs inputs{FindPatternFiles(pattern), StemOf(pattern)};
    if (pattern != traces.front())
    {
        // "gpt.0.et" is of "gpt".
        inputs.name = std::filesystem::path(inputs.files.front().file).stem().stem().string();
    }
    return inputs;
}

TraceInputs
FindTraceInputs(const std::vector<std::string>& traces)
{
    const RecordedInputs inputs = FindRecordedInputs(traces);
    // PathsOfAllRanks throws where a rank is missing. Only a pattern can lack one, as files of a
    // list are numbered without gaps.
    return {PathsOfAllRanks(inputs.files, PatternOf(traces.front())), inputs.name};
}

std::optional<std::string>
FindInputGroups(const std::vector<std::string>& traces, const std::string& groups)
{
    // This file exists only where the traces are named by their directory: there is nothing below a
    // file or a pattern.
    const std::filesystem::path beside = std::filesystem::path(traces.front()) / "groups.json";
    if (groups.empty() && traces.size() == 1 && std::filesystem::exists(beside))
    {
        return beside.string();
    }
    return FindGroupsFile(groups);
}

} // namespace nadi
