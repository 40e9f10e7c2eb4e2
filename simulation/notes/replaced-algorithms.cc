// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/replaced-algorithms.h"

#include "common/text.h"
#include "configuration/algorithm-settings.h"
#include "network/shape.h"
#include "network/stack-topology.h"
#include "system/collective-plan.h"
#include "system/communicator.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

using AlgorithmNames = std::vector<std::string>;

/// The algorithms of all dimensions, each once; none where one of them is left to the size.
AlgorithmNames
ListNames(const AlgorithmChoice& choice)
{
    AlgorithmNames names;
    for (const ComponentChoice& spec : choice.perDimension)
    {
        if (spec.name == BY_SIZE)
        {
            return {};
        }
        if (std::find(names.begin(), names.end(), spec.name) == names.end())
        {
            names.push_back(spec.name);
        }
    }
    return names;
}

/// What the choice means for a communicator, as `collectives.csv` would name it: one of these, or
/// anything where there is none, since it is left to the size.
///
/// A dimension of the communicator that stands for one of the stack runs that one's algorithm. Any
/// other is a list of ranks along no dimension, and each algorithm of the choice would be one that
/// was asked for.
AlgorithmNames
AskedFor(const AlgorithmChoice& choice, const CommunicatorLayout& layout)
{
    std::string asked;
    for (const CommunicatorDimension& dimension : layout.Dimensions())
    {
        if (!dimension.stackDimension || choice.isFlat)
        {
            return ListNames(choice);
        }
        const std::string& name = choice.perDimension[*dimension.stackDimension].name;
        if (name == BY_SIZE)
        {
            return {};
        }
        asked += (asked.empty() ? "" : "+") + name;
    }
    return {asked};
}

/// What was asked for each type and communicator. Finding it takes time linear in the ranks, and a
/// job calls the same few again and again, so answers are kept.
class AskedAlgorithms
{
  public:
    /// Requires: the input outlives it.
    explicit AskedAlgorithms(const RunInput& input)
        : m_input(input)
        , m_stack(SizesOf(input.Stack()))
    {
    }

    /// As AskedFor; empty where the choice is that of the defaults. An effective configuration
    /// names all of them, so it cannot be told whether somebody asked for them.
    const AlgorithmNames& Find(CollectiveType type, CommunicatorId communicator)
    {
        const auto [answer, isNew] = m_answers.try_emplace({type, communicator});
        if (isNew && !IsDefaultChoice(m_input, type))
        {
            answer->second =
                AskedFor(m_input.Config().system.options.algorithms.at(type),
                         CommunicatorLayout(m_input.Workload().communicators[communicator.value],
                                            m_stack,
                                            m_input.Places()));
        }
        return answer->second;
    }

  private:
    const RunInput& m_input;
    RankGrid m_stack;
    std::map<std::pair<CollectiveType, CommunicatorId>, AlgorithmNames> m_answers;
};

/// One algorithm that ran instead of another, and why.
struct Replacement
{
    CollectiveType type;
    AlgorithmNames asked; ///< one of these
    std::string used;
    RanAlgorithm::Hindrance hindrance;

    auto operator<=>(const Replacement&) const = default;
};

/// The groups of ranks for which that happened.
struct ReplacementGroups
{
    CommunicatorId first;
    std::set<CommunicatorId> communicators;
};

using Replacements = std::map<Replacement, ReplacementGroups>;

std::string
DescribeReason(const Replacement& replacement)
{
    const std::string asked = JoinWithOr(replacement.asked);
    switch (replacement.hindrance)
    {
    case RanAlgorithm::Hindrance::UnevenSizes:
        return "its ranks bring different sizes";
    case RanAlgorithm::Hindrance::BusySwitches:
        return "the switches had no place for it, and network.in-network.when-busy is endpoint; "
               "write more network.in-network.groups, or when-busy: wait";
    case RanAlgorithm::Hindrance::None:
        break;
    }
    // The ranks of the group are no grid in the stack.
    //
    // A synthesised program can be made for any group, so dimensions are not the reason. Where a
    // built-in algorithm ran instead, the prediction chose it.
    return asked == "synthesized"
               ? "it is predicted to be faster than what was synthesised"
               : fmt::format("its ranks are no grid in the logical stack; write "
                             "system.collectives.{}: {{flat: {}}} to have it there",
                             ToText(replacement.type),
                             replacement.asked.size() == 1 ? asked : "NAME");
}

std::string
DescribeReplacement(const Replacements::value_type& entry, const RunInput& input)
{
    const auto& [replacement, groups] = entry;
    const size_t more = groups.communicators.size() - 1;
    const Communicator& first = input.Workload().communicators[groups.first.value];
    return fmt::format("{} of communicator {} {}{} ran {}, not {}: {}",
                       ToText(replacement.type),
                       groups.first.value,
                       ToRankListText(first.ranks),
                       more == 0 ? "" : fmt::format(" and of {} more", more),
                       replacement.used,
                       JoinWithOr(replacement.asked),
                       DescribeReason(replacement));
}

} // namespace

bool
IsDefaultChoice(const RunInput& input, CollectiveType type)
{
    const std::map<CollectiveType, AlgorithmChoice>& choices =
        input.Config().system.options.algorithms;
    const AlgorithmChoice& choice = choices.at(type);
    if (type == CollectiveType::Barrier && choice == choices.at(CollectiveType::AllReduce))
    {
        return true;
    }
    // There is a shape for each algorithm of the choice: a flat choice has one algorithm, any other
    // has as many as there are shapes (ResolveAlgorithms).
    const std::vector<ComponentChoice> shapes = FindStackShapes(input.Config());
    for (size_t d = 0; d < choice.perDimension.size(); ++d)
    {
        const auto shape = MakeShape(shapes[d], "network.dimensions");
        if (choice.perDimension[d] != CompleteAlgorithm(DefaultAlgorithm(type, *shape)))
        {
            return false;
        }
    }
    return !choice.isFlat;
}

std::vector<std::string>
FindReplacedAlgorithms(const RunInput& input, const RunResults& results)
{
    AskedAlgorithms asked(input);
    Replacements replacements;
    for (const RanAlgorithm& ran : results.ranAlgorithms)
    {
        if (ran.type == CollectiveType::Barrier)
        {
            continue;
        }
        const AlgorithmNames& algorithms = asked.Find(ran.type, ran.communicator);
        const bool hasRun = std::ranges::count(algorithms, ran.algorithm) > 0;
        // Empty: nobody asked for an algorithm, or the choice was left to the size.
        if (algorithms.empty() || hasRun)
        {
            continue;
        }
        const auto entry =
            replacements.try_emplace({ran.type, algorithms, ran.algorithm, ran.hindrance},
                                     ReplacementGroups{ran.communicator, {}});
        entry.first->second.communicators.insert(ran.communicator);
    }
    std::vector<std::string> sentences;
    for (const auto& entry : replacements)
    {
        sentences.push_back(DescribeReplacement(entry, input));
    }
    return sentences;
}

} // namespace nadi
