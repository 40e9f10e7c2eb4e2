// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/library-keys.h"

#include "configuration/topology-section.h"
#include "system/library/communication-library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>

namespace nadi
{

namespace
{

/// What the rules look at. Of NCCL and the libraries made of it.
struct LibraryScene
{
    std::map<std::string, std::string> keys; ///< all, with their values
    std::set<CollectiveType> types;          ///< that ran over several ranks
    bool hasSent = false;                    ///< some rank has, also in sends of its own
    bool isOneNode = false;                  ///< the whole network

    bool HasRun(std::initializer_list<CollectiveType> some) const
    {
        return std::ranges::any_of(some,
                                   [this](CollectiveType type) { return types.contains(type); });
    }
};

/// Keys that one reason makes idle.
struct LibraryRule
{
    const char* reason;
    bool (*isIdle)(const LibraryScene&);
    bool (*concerns)(std::string_view key);
};

bool
IsFloorOfProcess(std::string_view key)
{
    return key == "launch-of-each" || key == "p2p-launch-of-each";
}

// A key may fall under several reasons. Only the first one is told, so those that say most about a
// job come first.
const std::vector<LibraryRule> LIBRARY_RULES{
    {"no rank sent anything",
     [](const LibraryScene& scene) { return scene.types.empty() && !scene.hasSent; },
     [](std::string_view key)
     {
         return key == "blocking" || key == "blocking-floor" || key == "launch-floor" ||
                IsFloorOfProcess(key);
     }},
    {"no all-reduce of several ranks ran",
     [](const LibraryScene& scene) { return !scene.HasRun({CollectiveType::AllReduce}); },
     [](std::string_view key) { return key == "algorithm"; }},
    {"no all-reduce, all-gather, reduce-scatter, broadcast or reduce of several ranks ran",
     [](const LibraryScene& scene)
     {
         return !scene.HasRun({CollectiveType::AllReduce,
                               CollectiveType::AllGather,
                               CollectiveType::ReduceScatter,
                               CollectiveType::Broadcast,
                               CollectiveType::Reduce});
     },
     [](std::string_view key) { return key == "protocol" || key == "least-channels"; }},
    {"no broadcast or reduce of several ranks ran",
     [](const LibraryScene& scene) {
         return !scene.HasRun({CollectiveType::Broadcast, CollectiveType::Reduce});
     },
     [](std::string_view key) { return key == "calls"; }},
    {"no all-to-all of several ranks ran",
     [](const LibraryScene& scene) { return !scene.HasRun({CollectiveType::AllToAll}); },
     [](std::string_view key) { return key == "pxn"; }},
    {"the network has one node",
     [](const LibraryScene& scene) { return scene.isOneNode; },
     [](std::string_view key) { return key == "pxn" || key.starts_with("net-"); }},
    {"blocking is on",
     [](const LibraryScene& scene) { return scene.keys.at("blocking") == "on"; },
     [](std::string_view key) { return key == "launch-floor" || IsFloorOfProcess(key); }},
    {"blocking is off",
     [](const LibraryScene& scene) { return scene.keys.at("blocking") == "off"; },
     [](std::string_view key) { return key == "blocking-floor"; }},
    {"launch is process-per-gpu",
     [](const LibraryScene& scene) { return scene.keys.at("launch") == "process-per-gpu"; },
     &IsFloorOfProcess},
    {"launch is process-per-node",
     [](const LibraryScene& scene) { return scene.keys.at("launch") == "process-per-node"; },
     [](std::string_view key) { return key == "launch-floor"; }},
};

/// The rule that makes the key idle, by its place; as many as there are: none does.
size_t
FindLibraryRule(const LibraryScene& scene, std::string_view key)
{
    const auto found = std::ranges::find_if(LIBRARY_RULES,
                                            [&](const LibraryRule& rule)
                                            { return rule.concerns(key) && rule.isIdle(scene); });
    return static_cast<size_t>(found - LIBRARY_RULES.begin());
}

std::string
DescribeIdleKeys(const LibraryRule& rule, const std::vector<std::string>& keys)
{
    return keys.size() == 1
               ? fmt::format("{}; system.library.{} had no effect", rule.reason, keys.front())
               : fmt::format("{}; these keys of system.library had no effect: {}",
                             rule.reason,
                             fmt::join(keys, ", "));
}

/// The keys of the library, in their order.
std::vector<ParameterSpec>
SpecsOfLibrary(const std::string& name)
{
    for (const ComponentInfo& info : Registry<CommunicationLibrary>::Instance().Describe())
    {
        if (info.name == name)
        {
            return info.parameters;
        }
    }
    return {};
}

/// Of all-to-alls with splits, of groups, and of single calls: each counts with its type.
std::set<CollectiveType>
FindTypesOfSeveral(const RunResults& results)
{
    std::set<CollectiveType> types;
    for (const CollectiveResult& result : results.collectives)
    {
        if (result.record.ranks > 1)
        {
            types.insert(result.record.type);
        }
    }
    return types;
}

bool
HasSent(const RunResults& results)
{
    return std::ranges::any_of(results.ranks,
                               [](const RankResult& rank) { return rank.sent > Bytes(); });
}

} // namespace

std::vector<std::string>
FindIdleLibraryKeys(const RunInput& input, const RunResults& results)
{
    const ComponentChoice& library = input.Config().system.options.library;
    // The scripts of `msccl` have a protocol of their own, and `plain` has no keys.
    const bool isJudged = library.name == "nccl" || library.name == "rccl";
    // With recorded times the library does nothing, and a note says so.
    if (!isJudged || input.Workload().replaysCommunication)
    {
        return {};
    }
    const std::vector<ParameterSpec> specs = SpecsOfLibrary(library.name);
    const LibraryScene scene{.keys = CompleteParameters(specs, library.parameters),
                             .types = FindTypesOfSeveral(results),
                             .hasSent = HasSent(results),
                             .isOneNode = FindNodes(input.Config().network)->nodes == 1};
    std::map<size_t, std::vector<std::string>> keysOfRule;
    for (const ParameterSpec& spec : specs)
    {
        const size_t rule = FindLibraryRule(scene, spec.name);
        if (rule < LIBRARY_RULES.size() && scene.keys.at(spec.name) != spec.defaultText)
        {
            keysOfRule[rule].push_back(spec.name);
        }
    }
    std::vector<std::string> sentences;
    for (const auto& [rule, keys] : keysOfRule)
    {
        sentences.push_back(DescribeIdleKeys(LIBRARY_RULES[rule], keys));
    }
    return sentences;
}

} // namespace nadi
