// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/call-series.h"

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Families, and the channels within each, are numbered in the order in which channels were found.
void
SetFamilies(MatchedCalls& matched)
{
    struct Family
    {
        uint32_t number = 0;
        uint32_t channels = 0;
    };

    std::vector<std::vector<CollectiveType>> types(matched.channels.size());
    for (const MasterCall& call : matched.calls)
    {
        // Messages have no type of collective, so a list of messages only tells how many there are.
        types[call.channel].push_back(call.collective);
    }
    std::map<std::tuple<bool, size_t, std::vector<CollectiveType>>, Family> families;
    for (size_t index = 0; index < types.size(); ++index)
    {
        MasterChannel& channel = matched.channels[index];
        const Family next{.number = static_cast<uint32_t>(families.size())};
        Family& family =
            families
                .try_emplace({channel.isOfMessages, channel.ranks.size(), std::move(types[index])},
                             next)
                .first->second;
        channel.family = family.number;
        channel.place = family.channels++;
    }
}

/// Order: after all sends have their numbers, as a receive may stand before its send in the list.
void
NumberReceives(MatchedCalls& matched)
{
    for (size_t call = 0; call < matched.calls.size(); ++call)
    {
        if (matched.calls[call].type == NodeType::Receive)
        {
            // A receive has the number of its send, as receives may be found in another order.
            const uint32_t send = matched.predecessors[call][1];
            matched.calls[call].number = matched.calls[send].number;
        }
    }
}

} // namespace

/// Messages have the default type of collective, so all messages of a family are one series, both
/// ends included.
void
NumberSeries(MatchedCalls& matched)
{
    SetFamilies(matched);
    std::map<std::pair<uint32_t, CollectiveType>, uint32_t> series; // by family and type
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> callsSoFar;   // by channel and series
    for (MasterCall& call : matched.calls)
    {
        const uint32_t family = matched.channels[call.channel].family;
        const auto next = static_cast<uint32_t>(series.size());
        call.series = series.try_emplace({family, call.collective}, next).first->second;
        if (call.type != NodeType::Receive)
        {
            call.number = callsSoFar[{call.channel, call.series}]++;
        }
    }
    matched.seriesCount = static_cast<uint32_t>(series.size());
    NumberReceives(matched);
}

} // namespace nadi
