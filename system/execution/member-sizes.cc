// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/member-sizes.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// The splits by members of the layout, whose order may be another than that of the group's list.
SharedSplits
OrderSplits(const SharedSplits& splits,
            const Communicator& communicator,
            const CommunicatorLayout& layout)
{
    const auto isInOrder = [&]
    {
        uint32_t member = 0;
        return std::ranges::all_of(communicator.ranks,
                                   [&](RankId rank) { return layout.RankOf(member++) == rank; });
    };
    if (splits == nullptr || isInOrder())
    {
        return splits;
    }
    // Receives are left out: Rendezvous has compared them with the sends, and the sends alone set
    // the sizes of messages.
    ExchangeSplits ordered{.sends = splits->sends};
    for (size_t place = 0; place < communicator.ranks.size(); ++place)
    {
        ordered.sends[layout.MemberOf(communicator.ranks[place])] = splits->sends[place];
    }
    return std::make_shared<const ExchangeSplits>(std::move(ordered));
}

} // namespace

std::optional<std::vector<MemberSizes>>
FindMemberSizes(const Meeting& meeting, const CommunicatorLayout& layout)
{
    if (meeting.HasEvenSizes())
    {
        return std::nullopt;
    }
    std::vector<MemberSizes> sizes;
    for (uint32_t member = 0; member < layout.Size(); ++member)
    {
        const CollectiveCall& call = meeting.calls.at(layout.RankOf(member));
        sizes.push_back({call.elements, OrderSplits(call.splits, *meeting.communicator, layout)});
    }
    return sizes;
}

} // namespace nadi
