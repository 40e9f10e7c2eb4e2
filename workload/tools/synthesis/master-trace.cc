// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/master-trace.h"

#include <algorithm>

namespace nadi
{

std::span<const uint32_t>
RanksOf(const MasterTrace& master, const MasterCall& call)
{
    const std::span<const uint32_t> ranks = master.channels[call.channel].ranks;
    switch (call.type)
    {
    case NodeType::Send:
        return ranks.first(1);
    case NodeType::Receive:
        return ranks.last(1);
    default:
        return ranks;
    }
}

std::vector<std::vector<uint32_t>>
ListCallsOfRanks(const MasterTrace& master)
{
    std::vector<std::vector<uint32_t>> callsOfRanks(master.rankCount);
    for (uint32_t index = 0; index < master.calls.size(); ++index)
    {
        for (const uint32_t rank : RanksOf(master, master.calls[index]))
        {
            callsOfRanks[rank].push_back(index);
        }
    }
    return callsOfRanks;
}

uint64_t
SizeOn(const MasterTrace& master, const MasterCall& call, uint32_t rank)
{
    if (call.sizes.size() == 1)
    {
        return call.sizes.front();
    }
    const std::vector<uint32_t>& ranks = master.channels[call.channel].ranks;
    return call.sizes.at(
        static_cast<size_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin()));
}

} // namespace nadi
