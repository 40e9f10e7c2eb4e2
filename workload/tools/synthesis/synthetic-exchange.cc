// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/synthetic-exchange.h"

#include "common/check.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

__extension__ using ShareProduct = unsigned __int128;

/// floor(number * part / whole); 0 where the whole is 0.
uint64_t
TakeShare(uint64_t number, uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : static_cast<uint64_t>(ShareProduct{number} * part / whole);
}

/// Appends `size` as that many parts, alike but for the rounding.
void
AppendEqualParts(uint64_t size, size_t count, std::vector<uint64_t>& parts)
{
    for (size_t part = 0; part < count; ++part)
    {
        parts.push_back(TakeShare(size, part + 1, count) - TakeShare(size, part, count));
    }
}

} // namespace

SyntheticExchange
MakeExchange(const MasterTrace& master,
             const MasterCall& call,
             const RankRoles& roles,
             uint32_t role,
             uint64_t drawn)
{
    const std::vector<uint32_t>& members = master.channels[call.channel].ranks;
    const auto place = static_cast<size_t>(std::ranges::find(members, role) - members.begin());
    NADI_CHECK(place < call.splits.size());
    const uint64_t most = *std::ranges::max_element(call.sizes);
    SyntheticExchange exchange{.size = TakeShare(drawn, SizeOn(master, call, role), most),
                               .splits = nullptr};
    if (call.splits[place] == nullptr)
    {
        return exchange;
    }
    std::vector<uint64_t> sends = call.splits[place]->sends;
    for (size_t member = 0; member < members.size(); ++member)
    {
        sends[member] = roles.PlayersOf(members[member]).empty() ? 0 : sends[member];
    }
    const uint64_t sum = std::accumulate(sends.begin(), sends.end(), uint64_t{0});
    exchange.size = sum == 0 ? 0 : exchange.size;
    ExchangeSplits splits;
    uint64_t passed = 0;
    uint64_t begin = 0;
    for (size_t member = 0; member < members.size(); ++member)
    {
        passed += sends[member];
        // The ends of the parts are rounded, so that the parts add up to the size.
        const uint64_t end = TakeShare(exchange.size, passed, sum);
        AppendEqualParts(end - begin, roles.PlayersOf(members[member]).size(), splits.sends);
        begin = end;
    }
    exchange.splits = std::make_shared<const ExchangeSplits>(std::move(splits));
    return exchange;
}

} // namespace nadi
