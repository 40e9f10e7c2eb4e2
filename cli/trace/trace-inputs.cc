// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/trace-inputs.h"

#include "common/error.h"
#include "workload/trace/rank-files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace nadi
{

namespace
{

constexpr const char* DIGITS = "0123456789";

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
        numbers.emplace_back(end - first, name.substr(first, end - first));
        at = name.find_first_of(DIGITS, end);
    }
    return numbers;
}

/// Whether a name fits a pattern with `*`.
bool
Matches(std::string_view name, std::string_view pattern)
{
    const size_t star = pattern.find('*');
    if (star == std::string_view::npos)
    {
        return name == pattern;
    }
    if (!name.starts_with(pattern.substr(0, star)))
    {
        return false;
    }
    const std::string_view rest = pattern.substr(star + 1);
    for (size_t skipped = star; skipped <= name.size(); ++skipped)
    {
        if (Matches(name.substr(skipped), rest))
        {
            return true;
        }
    }
    return false;
}

std::vector<std::string>
FindMatches(const std::string& pattern)
{
    const std::filesystem::path path(pattern);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::vector<std::string> files;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    {
        if (Matches(entry.path().filename().string(), path.filename().string()))
        {
            files.push_back((path.parent_path() / entry.path().filename()).string());
        }
    }
    if (files.empty())
    {
        throw ConfigError(pattern, "fits no file; look at the folder and the pattern");
    }
    std::sort(files.begin(),
              files.end(),
              [](const std::string& left, const std::string& right)
              { return std::pair(NumbersOf(left), left) < std::pair(NumbersOf(right), right); });
    return files;
}

/// The name without folder, endings and places of numbers: "mlp" of "a/mlp.{rank}.et.gz".
std::string
StemOf(const std::string& trace)
{
    std::string name = std::filesystem::path(trace).filename().string();
    for (const char* const ending : {".gz", ".json", ".et", ".eg"})
    {
        if (name.ends_with(ending))
        {
            name.resize(name.size() - std::string_view(ending).size());
        }
    }
    const size_t place = name.find_first_of("{*");
    name.resize(std::min(place, name.size()));
    if (place == std::string::npos)
    {
        const size_t digits = name.find_last_not_of(DIGITS);
        name.resize(digits == std::string::npos ? 0 : digits + 1);
    }
    const size_t last = name.find_last_not_of("._-");
    name.resize(last == std::string::npos ? 0 : last + 1);
    return name.empty() ? "trace" : name;
}

} // namespace

TraceInputs
FindTraceInputs(const std::vector<std::string>& traces)
{
    if (traces.size() != 1)
    {
        return {traces, StemOf(traces.front())};
    }
    const std::string& pattern = traces.front();
    const bool isGlob = pattern.find('*') != std::string::npos && !HasRankPlace(pattern);
    return {isGlob ? FindMatches(pattern) : FindRankFiles(pattern), StemOf(pattern)};
}

} // namespace nadi
