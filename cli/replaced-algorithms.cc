// SPDX-License-Identifier: GPL-2.0-only
#include "cli/replaced-algorithms.h"

#include "network/stack-topology.h"
#include "system/communicator.h"
#include "system/execution/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace nadi
{

namespace
{

/// The algorithm of one dimension, or of all where they agree; else empty.
std::string
CommonName(const AlgorithmChoice& choice)
{
    const std::string& first = choice.perDimension.front().name;
    const bool agree = std::all_of(choice.perDimension.begin(),
                                   choice.perDimension.end(),
                                   [&](const AlgorithmSpec& spec) { return spec.name == first; });
    return agree ? first : "";
}

/// What the choice means for a communicator, as `collectives.csv` would name it; empty where it
/// leaves it to the size, or says several things.
std::string
AskedFor(const AlgorithmChoice& choice, const CommunicatorLayout& layout)
{
    std::string asked;
    for (const CommunicatorDimension& dimension : layout.Dimensions())
    {
        // A dimension of the communicator that stands for one of the stack runs that one's
        // algorithm. Any other is a list of ranks along no dimension, for which something was asked
        // only where all dimensions name the same algorithm.
        const bool isOwn = dimension.stackDimension && !choice.isFlat;
        const std::string name =
            isOwn ? choice.perDimension[*dimension.stackDimension].name : CommonName(choice);
        if (name.empty() || name == BY_SIZE)
        {
            return "";
        }
        asked += (asked.empty() ? "" : "+") + name;
    }
    return choice.isFlat ? CommonName(choice) : asked;
}

/// Groups of ranks for which one algorithm ran instead of another.
struct Replacement
{
    CommunicatorId first;
    std::set<CommunicatorId> communicators;
    bool isUneven = false;
};

using Replacements = std::map<std::tuple<CollectiveType, std::string, std::string>, Replacement>;

std::string
DescribeReplacement(const Replacements::value_type& entry, const RunInput& input)
{
    const auto& [type, asked, used] = entry.first;
    const Replacement& replacement = entry.second;
    const size_t more = replacement.communicators.size() - 1;
    const Communicator& first = input.Workload().communicators[replacement.first.value];
    return fmt::format(
        "{} of communicator {} {}{} ran {}, not {}: {}",
        ToText(type),
        replacement.first.value,
        ToRankListText(first.ranks),
        more == 0 ? "" : fmt::format(" and of {} more", more),
        used,
        asked,
        replacement.isUneven
            ? std::string("its ranks bring different sizes")
            : fmt::format("its ranks are no product of the stack's dimensions; write "
                          "system.collectives.{}: {{flat: {}}} to have it there",
                          ToText(type),
                          asked));
}

} // namespace

bool
IsDefaultChoice(const RunInput& input, CollectiveType type)
{
    const AlgorithmChoice& choice = input.Config().system.options.algorithms.at(type);
    const std::vector<Dimension>& physical = input.Topology().Dimensions();
    for (size_t d = 0; d < choice.perDimension.size(); ++d)
    {
        const std::string shape = physical.empty() ? "" : physical[d].shape;
        if (choice.perDimension[d] != AlgorithmSpec{DefaultAlgorithm(type, shape), {}})
        {
            return false;
        }
    }
    return !choice.isFlat;
}

std::vector<std::string>
FindReplacedAlgorithms(const RunInput& input, const RunResults& results)
{
    const RankGrid stack(SizesOf(input.Stack()));
    Replacements replacements;
    for (const CollectiveResult& result : results.collectives)
    {
        const CollectiveRecord& record = result.record;
        if (record.ranks < 2 || IsDefaultChoice(input, record.type) ||
            record.type == CollectiveType::Barrier)
        {
            continue;
        }
        const Communicator& communicator =
            input.Workload().communicators[record.communicator.value];
        const std::string asked = AskedFor(input.Config().system.options.algorithms.at(record.type),
                                           CommunicatorLayout(communicator, stack));
        if (asked.empty() || asked == record.algorithm)
        {
            continue;
        }
        Replacement& replacement = replacements[{record.type, asked, record.algorithm}];
        if (replacement.communicators.empty())
        {
            replacement.first = record.communicator;
        }
        replacement.communicators.insert(record.communicator);
        replacement.isUneven = record.size != record.smallestSize;
    }
    std::vector<std::string> sentences;
    for (const auto& entry : replacements)
    {
        sentences.push_back(DescribeReplacement(entry, input));
    }
    return sentences;
}

} // namespace nadi
