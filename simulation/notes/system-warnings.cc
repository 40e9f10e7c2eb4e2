// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/system-warnings.h"

#include "common/text.h"
#include "common/unit-parser.h"
#include "simulation/notes/compute-keys.h"
#include "simulation/notes/group-programs.h"
#include "simulation/notes/library-keys.h"
#include "simulation/notes/outdated-plans.h"
#include "simulation/notes/replaced-algorithms.h"
#include "simulation/notes/unmet-wishes.h"
#include "system/collective-plan.h"
#include "system/library/communication-library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace nadi
{

namespace
{

/// What the rules look at.
struct SystemScene
{
    const SystemConfig& system;
    const RunResults& results;

    const SchedulingOptions& Scheduling() const
    {
        return system.options.scheduling;
    }

    /// Asks for chunks, which collectives of a single rank do not have: they move nothing.
    bool HasRunAny() const
    {
        return results.effects.mostChunks > 0;
    }

    /// A call in a group of one rank counts, too, where collectives are kept.
    bool HasRun(CollectiveType type) const
    {
        return std::ranges::any_of(results.ranAlgorithms,
                                   [type](const RanAlgorithm& ran) { return ran.type == type; }) ||
               std::ranges::any_of(results.collectives,
                                   [type](const CollectiveResult& collective)
                                   { return collective.record.type == type; });
    }
};

/// One key: when it is idle, and what to say then if collectives ran.
struct SystemRule
{
    const char* key;
    bool (*isIdle)(const SystemScene&);
    std::string (*describe)(const SystemScene&);
};

const SystemOptions DEFAULT_OPTIONS;

// The collectives keep what each setting changed (SystemEffects); a rule asks whether it changed
// anything. Limits are judged by comparison: with a limit of 8 where 4 is the default, nothing
// differs as long as no collective has more than 4 chunks, or none has more than 4 in a dimension.
const std::vector<SystemRule> SYSTEM_RULES{
    {"inter-dimension",
     [](const SystemScene& scene) { return !scene.results.effects.interDimension; },
     [](const SystemScene& scene)
     {
         return fmt::format("no chunk crossed the dimensions in another order than with {}; "
                            "inter-dimension {} had no effect",
                            DEFAULT_OPTIONS.scheduling.interDimension.name,
                            scene.Scheduling().interDimension.name);
     }},
    {"intra-dimension",
     [](const SystemScene& scene) { return !scene.results.effects.intraDimension; },
     [](const SystemScene& scene)
     {
         return fmt::format("no chunk entered a dimension sooner or later than with {}; "
                            "intra-dimension {} had no effect",
                            DEFAULT_OPTIONS.scheduling.intraDimension.name,
                            scene.Scheduling().intraDimension.name);
     }},
    {"hierarchy",
     [](const SystemScene& scene) { return !scene.results.effects.hierarchy; },
     [](const SystemScene&) -> std::string
     {
         return "no all-reduce ran over more than one dimension; hierarchy per-dimension had no "
                "effect";
     }},
    {"chunks",
     [](const SystemScene& scene)
     {
         // A single chunk is a choice, too: without the key a collective may have more of them.
         const std::optional<uint32_t>& chunks = scene.Scheduling().chunks;
         return chunks &&
                (!scene.HasRunAny() || (*chunks > 1 && scene.results.effects.mostChunks <= 1));
     },
     [](const SystemScene& scene)
     {
         return fmt::format("no collective had more than one chunk; chunks {} had no effect",
                            *scene.Scheduling().chunks);
     }},
    {"chunks-in-flight",
     [](const SystemScene& scene) { return !scene.results.effects.chunksInFlight; },
     [](const SystemScene& scene)
     {
         const uint32_t inFlight = scene.Scheduling().chunksInFlight;
         const uint32_t usual = DEFAULT_OPTIONS.scheduling.chunksInFlight;
         const uint32_t most = scene.results.effects.mostChunks;
         return most <= std::min(inFlight, usual)
                    ? fmt::format("no collective had more chunks than {}; chunks-in-flight {} had "
                                  "no effect",
                                  most,
                                  inFlight)
                    : fmt::format("no rank had more than {} chunks of a collective in one "
                                  "dimension at once, nor waited for a place; chunks-in-flight {} "
                                  "had no effect",
                                  usual,
                                  inFlight);
     }},
    {"concurrent-collectives",
     [](const SystemScene& scene)
     { return scene.system.options.concurrentCollectives > 0 && !scene.results.effects.slots; },
     [](const SystemScene& scene)
     {
         return fmt::format("no collective waited for a slot; concurrent-collectives {} had no "
                            "effect",
                            scene.system.options.concurrentCollectives);
     }},
    {"sends-in-flight",
     [](const SystemScene& scene)
     {
         const uint32_t limit = scene.system.options.sendsInFlight;
         const uint32_t usual = DEFAULT_OPTIONS.sendsInFlight;
         return limit != usual && scene.results.effects.mostSends <= std::min(limit, usual);
     },
     [](const SystemScene& scene)
     {
         const uint32_t most = scene.results.effects.mostSends;
         const uint32_t limit = scene.system.options.sendsInFlight;
         return most == 0
                    ? fmt::format("every collective ran an algorithm that says itself how much "
                                  "runs at once; sends-in-flight {} had no effect",
                                  limit)
                    : fmt::format("no rank had more than {} side by side; sends-in-flight {} had "
                                  "no effect",
                                  CountText(most, "send"),
                                  limit);
     }},
    {"reduction-bandwidth",
     [](const SystemScene& scene)
     { return scene.system.options.reductionBandwidth && !scene.results.effects.reduction; },
     [](const SystemScene& scene)
     {
         return fmt::format("no rank reduced anything; reduction-bandwidth {} had no effect",
                            ToText(*scene.system.options.reductionBandwidth));
     }},
    {"dimensions",
     [](const SystemScene& scene)
     { return scene.system.dimensions.size() > 1 && scene.results.effects.mostDimensions <= 1; },
     [](const SystemScene& scene)
     {
         return fmt::format("no collective ran over more than one dimension: no group of ranks is "
                            "a product of several of [{}]; system.dimensions changed the order of "
                            "nothing",
                            fmt::join(scene.system.dimensions, ", "));
     }},
};

bool
CanAllRun(CollectiveType type, const AlgorithmChoice& choice)
{
    const std::vector<std::string> able = AlgorithmsFor(type);
    return std::ranges::all_of(choice.perDimension,
                               [&able](const ComponentChoice& algorithm)
                               { return std::ranges::count(able, algorithm.name) > 0; });
}

/// Whether barriers ran as the choice for all-reduce says, which is what they do where nobody
/// chose for them (ResolveAlgorithms).
bool
HasServedBarriers(const SystemScene& scene)
{
    const std::map<CollectiveType, AlgorithmChoice>& choices = scene.system.options.algorithms;
    return scene.HasRun(CollectiveType::Barrier) &&
           choices.at(CollectiveType::Barrier) == choices.at(CollectiveType::AllReduce);
}

/// An all-reduce scatters and gathers with the algorithms of those types where its own cannot
/// (AlgorithmTable::Find).
bool
IsTypeUnused(CollectiveType type, const SystemScene& scene)
{
    if (type == CollectiveType::AllReduce && HasServedBarriers(scene))
    {
        return false;
    }
    const bool isPart = type == CollectiveType::ReduceScatter || type == CollectiveType::AllGather;
    const bool isPartOfAllReduce =
        isPart && scene.HasRun(CollectiveType::AllReduce) &&
        !CanAllRun(type, scene.system.options.algorithms.at(CollectiveType::AllReduce));
    return !scene.HasRun(type) && !isPartOfAllReduce;
}

/// Judges types that nothing called. For types that ran, FindReplacedAlgorithms tells what became
/// of the choice.
void
JudgeAlgorithms(const RunInput& input, const SystemScene& scene, std::vector<std::string>& warnings)
{
    for (const auto& [type, setting] : input.Config().system.collectives)
    {
        if (IsTypeUnused(type, scene) && !IsDefaultChoice(input, type))
        {
            warnings.push_back(fmt::format(
                "no {} ran; system.collectives.{} had no effect", ToText(type), ToText(type)));
        }
    }
}

/// The algorithm of a choice that is given the size of slices, though it cuts none for the type;
/// none: no algorithm is.
std::optional<std::string>
FindIdleSlice(const AlgorithmChoice& choice, CollectiveType type)
{
    for (const ComponentChoice& algorithm : choice.perDimension)
    {
        const auto slice = algorithm.parameters.find("slice");
        if (slice != algorithm.parameters.end() && slice->second != "auto" &&
            !Registry<CollectiveAlgorithm>::Instance().Make(algorithm)->CutsSlices(type))
        {
            return algorithm.name;
        }
    }
    return std::nullopt;
}

void
JudgeSlices(const SystemScene& scene, std::vector<std::string>& warnings)
{
    for (const auto& [type, choice] : scene.system.options.algorithms)
    {
        // The choice of all-reduces is that of barriers, too, which have nothing to cut.
        if (type == CollectiveType::Barrier || !scene.HasRun(type))
        {
            continue;
        }
        if (const std::optional<std::string> algorithm = FindIdleSlice(choice, type))
        {
            warnings.push_back(fmt::format("{} of a {} travels in shards; slice of "
                                           "system.collectives.{} had no effect",
                                           ToText(type),
                                           *algorithm,
                                           ToText(type)));
        }
    }
}

/// Why no collective was simulated.
std::string
DescribeAbsence(const RunInput& input, const SystemScene& scene)
{
    if (scene.results.collectives.empty())
    {
        return "no collective ran";
    }
    return input.Workload().replaysCommunication
               ? "collectives took the times that the traces recorded"
               : "no collective ran over more than one rank";
}

/// Where no collective ran, one sentence for all keys that are for collectives; none where nothing
/// was chosen.
std::vector<std::string>
JudgeWithoutCollectives(const RunInput& input, const SystemScene& scene)
{
    std::vector<std::string> keys;
    for (const SystemRule& rule : SYSTEM_RULES)
    {
        if (rule.isIdle(scene))
        {
            keys.push_back(rule.key);
        }
    }
    // Messages between two ranks have this delay, too.
    if (scene.system.options.endpointDelay != DEFAULT_OPTIONS.endpointDelay &&
        scene.results.totals.packets == 0)
    {
        keys.emplace_back("endpoint-delay");
    }
    for (const auto& [type, setting] : input.Config().system.collectives)
    {
        if (!IsDefaultChoice(input, type))
        {
            keys.push_back(fmt::format("collectives.{}", ToText(type)));
        }
    }
    if (keys.empty())
    {
        return {};
    }
    return {fmt::format("{}; these keys of system had no effect: {}",
                        DescribeAbsence(input, scene),
                        fmt::join(keys, ", "))};
}

/// Collectives and accesses of groups to remote memory use switches that compute. Where collectives
/// gave them up for want of places, the summary counts these.
///
/// A library that decides itself takes NVLS for a matter of time alone where no network computes.
/// Where one does, NVLS needs the switches of the nodes. So the key may have changed what ran.
void
JudgeComputingSwitches(const RunInput& input,
                       const RunResults& results,
                       std::vector<std::string>& warnings)
{
    if (!results.inNetwork || *results.inNetwork != InNetworkUsage())
    {
        return;
    }
    const ComponentChoice& library = input.Config().system.options.library;
    warnings.push_back(
        MakeLibrary(input.Config().system.options)->DecidesItself()
            ? fmt::format("no switch computed anything: no collective ran NVLS. With "
                          "network.in-network, {} takes NVLS only in groups whose nodes have a "
                          "switch that computes (network.in-network.switches)",
                          library.name)
            : "no switch computed anything: no collective ran an algorithm of "
              "switches, such as in-network or nvls; network.in-network had no effect");
}

/// Facts of the collectives that ended, whatever others do.
std::vector<std::string>
FindWhatRanInstead(const RunInput& input, const RunResults& results)
{
    std::vector<std::string> sentences = FindOutdatedPlans(input, results);
    for (const auto find : {&FindReplacedAlgorithms, &FindUnmetWishes})
    {
        const std::vector<std::string> more = find(input, results);
        sentences.insert(sentences.end(), more.begin(), more.end());
    }
    return sentences;
}

} // namespace

std::vector<std::string>
FindSystemWarnings(const RunInput& input, const RunResults& results)
{
    if (results.status == RunStatus::Interrupted)
    {
        return {};
    }
    // A run that is stuck has collectives that began and never ended, so what is not there may have
    // acted. What ran instead of what was asked for is known all the same.
    if (results.status == RunStatus::Stuck)
    {
        return FindWhatRanInstead(input, results);
    }
    std::vector<std::string> warnings;
    const auto addAll = [&warnings](const std::vector<std::string>& sentences)
    { warnings.insert(warnings.end(), sentences.begin(), sentences.end()); };
    const SystemScene scene{input.Config().system, results};
    if (!scene.HasRunAny())
    {
        warnings = JudgeWithoutCollectives(input, scene);
        addAll(FindIdleComputeKeys(input, results));
        addAll(FindIdleLibraryKeys(input, results));
        JudgeComputingSwitches(input, results, warnings);
        return warnings;
    }
    addAll(FindIdleComputeKeys(input, results));
    // Before the rules, because keys that these notes name need no second sentence.
    const GroupProgramNotes programs = FindGroupProgramNotes(input, results);
    for (const SystemRule& rule : SYSTEM_RULES)
    {
        if (rule.isIdle(scene) && !programs.keys.contains(rule.key))
        {
            warnings.push_back(rule.describe(scene));
        }
    }
    addAll(programs.sentences);
    JudgeAlgorithms(input, scene, warnings);
    JudgeSlices(scene, warnings);
    JudgeComputingSwitches(input, results, warnings);
    addAll(FindWhatRanInstead(input, results));
    addAll(FindIdleLibraryKeys(input, results));
    return warnings;
}

} // namespace nadi
