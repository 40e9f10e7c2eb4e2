// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/process-groups.h"

#include "common/error.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/json-nesting.h"
#include "workload/trace/repeated-member.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

namespace nadi
{

namespace
{

using nlohmann::json;

/// One group of a groups file. Throws ConfigError without a place.
std::vector<uint32_t>
ReadRanks(const std::string& name, const json& list, uint32_t rankCount)
{
    // In ProcessGroups an empty list means all ranks; in a file it is rather a mistake.
    if (!list.is_array() || list.empty())
    {
        throw ConfigError("",
                          fmt::format("group \"{}\" is not a list of ranks; "
                                      "write \"{}\": [0, 1]",
                                      name,
                                      name));
    }
    std::vector<uint32_t> ranks;
    std::set<uint32_t> seen;
    for (const json& rank : list)
    {
        if (!rank.is_number_unsigned() || rank.get<uint64_t>() >= rankCount)
        {
            throw ConfigError("",
                              fmt::format("group \"{}\" names rank {}; the job has ranks 0..{}",
                                          name,
                                          rank.dump(),
                                          rankCount - 1));
        }
        ranks.push_back(rank.get<uint32_t>());
        if (!seen.insert(ranks.back()).second)
        {
            throw ConfigError(
                "",
                fmt::format("group \"{}\" names rank {} twice; name it once", name, ranks.back()));
        }
    }
    return ranks;
}

ProcessGroups
ReadGroups(const json& groups, uint32_t rankCount)
{
    if (!groups.is_object())
    {
        throw ConfigError("", "is no table of groups; write {\"1\": [0, 1], \"2\": [2, 3]}");
    }
    ProcessGroups result;
    for (const auto& [name, list] : groups.items())
    {
        std::vector<uint32_t> ranks = ReadRanks(name, list, rankCount);
        // Nodes that name such a group mean all ranks, so another list would have no effect.
        if (MeansAllRanks(name) && ranks.size() != rankCount)
        {
            throw ConfigError("",
                              fmt::format("group \"{}\" always means all {} ranks, but {} are "
                                          "listed; give the group another name",
                                          name,
                                          rankCount,
                                          ranks.size()));
        }
        result.emplace(name, std::move(ranks));
    }
    return result;
}

/// Undoes the escapes of a Python string within quotes.
std::string
RemoveEscapes(std::string_view text)
{
    std::string plain;
    for (size_t at = 0; at < text.size(); ++at)
    {
        const bool isEscape = text[at] == '\\' && at + 1 < text.size() &&
                              (text[at + 1] == '\\' || text[at + 1] == '\'');
        at += isEscape ? 1 : 0;
        plain += text[at];
    }
    return plain;
}

bool
IsRank(const json& value)
{
    return value.is_number_unsigned() &&
           value.get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
}

/// Adds one entry of a process-group list, and returns whether its ranks are ranks. Throws
/// json::exception when it is no entry.
bool
AddProcessGroup(const json& entry, ProcessGroups& groups)
{
    const json& name = entry.at("pg_name");
    const json& ranks = entry.at("ranks");
    if (!std::all_of(ranks.begin(), ranks.end(), IsRank))
    {
        return false;
    }
    groups[name.is_string() ? name.get<std::string>() : name.dump()] =
        ranks.get<std::vector<uint32_t>>();
    return true;
}

} // namespace

bool
MeansAllRanks(const std::string& name)
{
    return name.empty() || name == "0" || name == "0.0";
}

ProcessGroups
ReadGroupsFile(const std::string& path, uint32_t rankCount)
{
    const std::string contents = ReadFileContents(path);
    CheckJsonNesting(contents, path);
    try
    {
        const json groups = json::parse(contents);
        if (const std::optional<RepeatedMember> repeated = FindRepeatedMember(contents))
        {
            throw ConfigError(
                "", fmt::format("group \"{}\" is there twice; write it once", repeated->name));
        }
        return ReadGroups(groups, rankCount);
    }
    catch (const json::exception& error)
    {
        throw ConfigError(path,
                          fmt::format("is not JSON ({}); write {{\"1\": [0, 1]}}", error.what()));
    }
    catch (const ConfigError& error)
    {
        throw ConfigError(path, error.Problem());
    }
}

std::optional<std::string>
FindGroupsBeside(const std::string& trace)
{
    const std::filesystem::path beside =
        std::filesystem::path(trace).replace_filename("groups.json");
    std::error_code unknown;
    const bool isThere = !trace.empty() && std::filesystem::exists(beside, unknown);
    return isThere ? std::optional(beside.string()) : std::nullopt;
}

std::optional<ProcessGroups>
ParseProcessGroups(std::string_view inputValues)
{
    // ['[{"pg_name": "0", ...}]'], with either kind of quotes outside.
    // The outer brackets are Python's, the next ones those of the JSON array.
    const size_t begin = inputValues.find('[', 1);
    const size_t end = inputValues.rfind(']', inputValues.rfind(']') - 1);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    {
        return std::nullopt;
    }
    const std::string list = RemoveEscapes(inputValues.substr(begin, end + 1 - begin));
    if (FindDeepJson(list))
    {
        return std::nullopt;
    }
    try
    {
        ProcessGroups groups;
        for (const json& entry : json::parse(list))
        {
            if (!AddProcessGroup(entry, groups))
            {
                return std::nullopt;
            }
        }
        return groups;
    }
    // What cannot be read is no error here: the assembler tells of it, and a groups file can take
    // its place.
    catch (const json::exception&)
    {
        return std::nullopt;
    }
}

} // namespace nadi
