// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/group-programs.h"

#include "common/unit-parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

/// The keys of dimensions and chunks that the user chose, with their values.
std::map<std::string, std::string>
ChosenKeys(const SchedulingOptions& options)
{
    const SchedulingOptions usual;
    std::map<std::string, std::string> keys;
    // Without a value the key is auto, which nobody chose. One chunk is what such programs have.
    if (options.chunks.value_or(1) > 1)
    {
        keys["chunks"] = std::to_string(*options.chunks);
    }
    if (options.perDimension)
    {
        keys["hierarchy"] = "per-dimension";
    }
    if (options.interDimension.name != usual.interDimension.name)
    {
        keys["inter-dimension"] = options.interDimension.name;
    }
    if (options.intraDimension.name != usual.intraDimension.name)
    {
        keys["intra-dimension"] = options.intraDimension.name;
    }
    return keys;
}

/// The types of collectives of which some ran as the predicate says.
template <typename Predicate>
std::set<std::string>
TypesWhere(const RunResults& results, Predicate holds)
{
    std::set<std::string> types;
    for (const CollectiveResult& result : results.collectives)
    {
        if (holds(result.record.decision.proof))
        {
            types.insert(std::string(ToText(result.record.type)));
        }
    }
    return types;
}

bool
RanAny(const RunResults& results, const std::string& algorithm)
{
    return std::ranges::any_of(results.collectives,
                               [&](const CollectiveResult& result)
                               { return result.record.decision.algorithm == algorithm; });
}

} // namespace

GroupProgramNotes
FindGroupProgramNotes(const RunInput& input, const RunResults& results)
{
    GroupProgramNotes notes;
    const std::set<std::string> types =
        TypesWhere(results, [](ProgramProof proof) { return proof != ProgramProof::None; });
    std::vector<std::string> chosen;
    for (const auto& [key, value] : ChosenKeys(input.Config().system.options.scheduling))
    {
        if (!types.empty())
        {
            // Keys have the names of the rules in FindSystemWarnings, which then says nothing of
            // these keys.
            notes.keys.insert(key);
            chosen.push_back(key + " " + value);
        }
    }
    if (!chosen.empty())
    {
        notes.sentences.push_back(
            fmt::format("{} ran as programs for their whole groups, which have one chunk and no "
                        "dimensions; {} had no effect on them",
                        fmt::join(types, ", "),
                        fmt::join(chosen, ", ")));
    }
    const SystemOptions& options = input.Config().system.options;
    if (!types.empty() && options.sendsInFlight != SystemOptions().sendsInFlight)
    {
        notes.keys.insert("sends-in-flight");
        notes.sentences.push_back(
            fmt::format("{} ran as programs for their whole groups, which say themselves what runs "
                        "at once; sends-in-flight {} had no effect on them",
                        fmt::join(types, ", "),
                        options.sendsInFlight));
    }
    if (input.Config().network.packet.window.kind == WindowChoice::Kind::Fixed &&
        RanAny(results, "synthesized"))
    {
        notes.sentences.push_back(fmt::format(
            "synthesised programs are planned as if there were no window; where network.packet."
            "window ({}) is full before the first answer, they take longer than was predicted, and "
            "others may be faster: compare with direct",
            ToText(input.Config().network.packet.window.size)));
    }
    const std::set<std::string> matched =
        TypesWhere(results, [](ProgramProof proof) { return proof == ProgramProof::Matched; });
    if (!matched.empty())
    {
        notes.sentences.push_back(
            fmt::format("{} ran from traces, which do not say what their messages carry: they are "
                        "matched, not proven (collectives.csv, proof)",
                        fmt::join(matched, ", ")));
    }
    return notes;
}

} // namespace nadi
