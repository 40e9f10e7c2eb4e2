// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/library-keys.h"

#include "configuration/topology-section.h"
#include "system/library/communication-library.h"
#include "system/library/nccl/cost-terms.h"
#include "system/library/nccl/nccl-settings.h"

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
    std::string library;
    std::map<std::string, std::string> keys; ///< all, with their values
    nccl::CostParameters costs;
    NodeHardware nodes;
    std::set<CollectiveType> types;      ///< that ran over several ranks
    std::set<CollectiveType> notScripts; ///< of them, with a call that no script of msccl ran
    bool hasRunScript = false;           ///< some call ran as the script of msccl says
    bool hasSent = false;                ///< some rank has, also in sends of its own

    bool HasRun(std::initializer_list<CollectiveType> some) const
    {
        return std::ranges::any_of(some,
                                   [this](CollectiveType type) { return types.contains(type); });
    }

    /// Whether scripts ran all calls of those types, and there were some.
    bool HasRunOnlyScripts(std::initializer_list<CollectiveType> some) const
    {
        return HasRun(some) && std::ranges::none_of(some,
                                                    [this](CollectiveType type)
                                                    { return notScripts.contains(type); });
    }

    bool Says(const char* key, std::string_view value) const
    {
        return keys.at(key) == value;
    }

    /// us that the launch of a call takes at most.
    double LongestLaunch() const
    {
        const double single = costs.Get("launch-floor");
        if (Says("launch", "process-per-gpu"))
        {
            return single;
        }
        const double each = std::max(costs.Get("launch-of-each"), costs.Get("p2p-launch-of-each"));
        return std::max(single, each * nodes.npusPerNode);
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

constexpr std::initializer_list<CollectiveType> TYPES_OF_KERNELS{CollectiveType::AllReduce,
                                                                 CollectiveType::AllGather,
                                                                 CollectiveType::ReduceScatter,
                                                                 CollectiveType::Broadcast,
                                                                 CollectiveType::Reduce};

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
     [](const LibraryScene& scene) { return !scene.HasRun(TYPES_OF_KERNELS); },
     [](std::string_view key) { return key == "protocol" || key == "least-channels"; }},
    {"no all-reduce or all-gather ran as a script says, which takes ranks of one node",
     [](const LibraryScene& scene) { return !scene.hasRunScript; },
     [](std::string_view key)
     { return key == "script" || key == "channels" || key == "instances"; }},
    {"script is allpair",
     [](const LibraryScene& scene) { return scene.Says("script", "allpair"); },
     [](std::string_view key) { return key == "channels"; }},
    {"all all-reduces ran as the script says",
     [](const LibraryScene& scene) { return scene.HasRunOnlyScripts({CollectiveType::AllReduce}); },
     [](std::string_view key) { return key == "algorithm"; }},
    {"all that could run as the script says did, and no reduce-scatter, broadcast or reduce ran",
     [](const LibraryScene& scene) { return scene.HasRunOnlyScripts(TYPES_OF_KERNELS); },
     [](std::string_view key) { return key == "least-channels"; }},
    {"no broadcast or reduce of several ranks ran",
     [](const LibraryScene& scene) {
         return !scene.HasRun({CollectiveType::Broadcast, CollectiveType::Reduce});
     },
     [](std::string_view key) { return key == "calls"; }},
    {"no all-to-all of several ranks ran",
     [](const LibraryScene& scene) { return !scene.HasRun({CollectiveType::AllToAll}); },
     [](std::string_view key) { return key == "pxn"; }},
    {"the network has one node",
     [](const LibraryScene& scene) { return scene.nodes.nodes == 1; },
     [](std::string_view key) { return key == "pxn" || key.starts_with("net-"); }},
    {"blocking is off",
     [](const LibraryScene& scene) { return scene.Says("blocking", "off"); },
     [](std::string_view key) { return key == "blocking-floor"; }},
    {"launch is process-per-gpu",
     [](const LibraryScene& scene) { return scene.Says("launch", "process-per-gpu"); },
     &IsFloorOfProcess},
    {"launch is process-per-node",
     [](const LibraryScene& scene) { return scene.Says("launch", "process-per-node"); },
     [](std::string_view key) { return key == "launch-floor"; }},
    {"blocking is on, and its floor is no shorter than any launch",
     [](const LibraryScene& scene)
     {
         return scene.Says("blocking", "on") &&
                scene.LongestLaunch() <= scene.costs.Get("blocking-floor");
     },
     [](std::string_view key) { return key == "launch-floor" || IsFloorOfProcess(key); }},
    {"the launch takes longer than the floor of blocking calls",
     [](const LibraryScene& scene)
     {
         return scene.Says("launch", "process-per-gpu") &&
                scene.costs.Get("launch-floor") >= scene.costs.Get("blocking-floor");
     },
     [](std::string_view key) { return key == "blocking" || key == "blocking-floor"; }},
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

/// Whether the script of msccl ran the call. A ring of the script and a ring that the user wishes
/// for all-reduces look alike; such a call counts as the script's.
bool
IsOfScript(const LibraryScene& scene, const CollectiveRecord& record)
{
    const bool hasScripts = scene.library == "msccl" && (record.type == CollectiveType::AllReduce ||
                                                         record.type == CollectiveType::AllGather);
    return hasScripts && record.decision.chosenBy == "user" &&
           scene.Says("script", record.decision.algorithm);
}

/// Of all-to-alls with splits, of groups, and of single calls: each counts with its type.
void
AddCalls(const RunResults& results, LibraryScene& scene)
{
    for (const CollectiveResult& result : results.collectives)
    {
        const CollectiveRecord& record = result.record;
        if (record.ranks == 1)
        {
            continue;
        }
        scene.types.insert(record.type);
        const bool isOfScript = IsOfScript(scene, record);
        scene.hasRunScript = scene.hasRunScript || isOfScript;
        if (!isOfScript || scene.Says("algorithm", record.decision.algorithm))
        {
            scene.notScripts.insert(record.type);
        }
    }
}

bool
HasSent(const RunResults& results)
{
    return std::ranges::any_of(results.ranks,
                               [](const RankResult& rank) { return rank.sent > Bytes(); });
}

/// Whether the user has given the key to choose something. The protocol of `msccl` is that of the
/// script and must be written, whatever runs.
bool
IsChoice(const LibraryScene& scene, const ParameterSpec& spec)
{
    const bool isOfScript = scene.library == "msccl" && spec.name == "protocol";
    return !isOfScript && scene.keys.at(spec.name) != spec.defaultText;
}

/// Nothing, or the one sentence.
std::vector<std::string>
JudgePresetOfScript(const LibraryScene& scene)
{
    const std::string& preset = scene.keys.at("preset");
    if (!scene.hasRunScript || preset == "mi300x")
    {
        return {};
    }
    return {
        fmt::format("scripts of msccl have the times and rates that were measured on MI300X; of "
                    "system.library.preset: {} they take only launch, drift and limits of links",
                    preset)};
}

/// Nothing, or the one sentence.
std::vector<std::string>
JudgeRelease(const LibraryScene& scene)
{
    constexpr nccl::Release newest = nccl::NEWEST_KNOWN_RELEASE;
    const std::string& release = scene.keys.at("release");
    if (nccl::ParseRelease(release).minor <= newest.minor)
    {
        return {};
    }
    return {fmt::format("system.library.release {0} is newer than the newest that is known, "
                        "{1}.{2}; the constants of {1}.{2} are taken",
                        release,
                        newest.major,
                        newest.minor)};
}

/// Hops inside nodes, or between them, that the user has made shorter than the network is. 0 stands
/// for a hop that adds nothing.
std::vector<std::string>
JudgeShortHops(const LibraryScene& scene, const std::vector<ParameterSpec>& specs, bool isBetween)
{
    const SimTime wire = isBetween ? scene.nodes.outsideLatency : scene.nodes.insideLatency;
    std::vector<std::string> keys;
    for (const ParameterSpec& spec : specs)
    {
        const std::string_view name = spec.name;
        const bool isHop = name.starts_with("hop-") || name.starts_with("tree-hop-") ||
                           name.starts_with("net-hop-") || name.starts_with("net-tree-hop-") ||
                           name == "net-nvls-tree-hop";
        if (isHop && name.starts_with("net-") == isBetween && IsChoice(scene, spec))
        {
            const SimTime hop = nccl::FromUs(scene.costs.Get(spec.name));
            if (hop > SimTime() && hop < wire)
            {
                keys.push_back("system.library." + spec.name);
            }
        }
    }
    if (keys.empty())
    {
        return {};
    }
    return {fmt::format("{} {} shorter than the way of a message {} ({}); such a hop takes as long "
                        "as the way",
                        fmt::join(keys, ", "),
                        keys.size() == 1 ? "is" : "are",
                        isBetween ? "between nodes" : "inside a node",
                        ToText(ParameterValue(wire)))};
}

} // namespace

std::vector<std::string>
FindIdleLibraryKeys(const RunInput& input, const RunResults& results)
{
    const ComponentChoice& library = input.Config().system.options.library;
    // `plain` has no keys.
    const bool isJudged =
        library.name == "nccl" || library.name == "rccl" || library.name == "msccl";
    // With recorded times the library does nothing, and a note says so. Of a cluster that serves,
    // no calls are kept to judge by.
    if (!isJudged || input.Workload().replaysCommunication || results.serving)
    {
        return {};
    }
    const std::vector<ParameterSpec> specs = SpecsOfLibrary(library.name);
    const Parameters values = Parameters::Parse(specs, library.parameters);
    LibraryScene scene{.library = library.name,
                       .keys = CompleteParameters(specs, library.parameters),
                       .costs = nccl::ReadNcclSettings(values).costs,
                       .nodes = FindNodes(input.Config().network).value(),
                       .types = {},
                       .notScripts = {},
                       .hasSent = HasSent(results)};
    AddCalls(results, scene);
    std::map<size_t, std::vector<std::string>> keysOfRule;
    for (const ParameterSpec& spec : specs)
    {
        const size_t rule = FindLibraryRule(scene, spec.name);
        if (rule < LIBRARY_RULES.size() && IsChoice(scene, spec))
        {
            keysOfRule[rule].push_back(spec.name);
        }
    }
    std::vector<std::string> sentences;
    for (const auto& [rule, keys] : keysOfRule)
    {
        sentences.push_back(DescribeIdleKeys(LIBRARY_RULES[rule], keys));
    }
    const auto addAll = [&](const std::vector<std::string>& more)
    { sentences.insert(sentences.end(), more.begin(), more.end()); };
    addAll(JudgePresetOfScript(scene));
    addAll(JudgeRelease(scene));
    addAll(JudgeShortHops(scene, specs, false));
    if (scene.nodes.nodes > 1)
    {
        addAll(JudgeShortHops(scene, specs, true));
    }
    return sentences;
}

} // namespace nadi
