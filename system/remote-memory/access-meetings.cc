// SPDX-License-Identifier: GPL-2.0-only
#include "system/remote-memory/access-meetings.h"

#include "common/check.h"
#include "common/error.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace nadi
{

namespace
{

std::string
DescribeAccess(const MemoryAccess& access)
{
    return fmt::format("{} {} B",
                       access.direction == MemoryDirection::Load ? "loads" : "stores",
                       access.size.Count());
}

} // namespace

bool
AccessMeetings::Arrive(const MemoryAccess& access)
{
    NADI_CHECK(access.group);
    Accesses& accesses = m_open[*access.group];
    // This is found before the access is added, since the new one may have the lowest rank.
    const MemoryAccess* const other = accesses.empty() ? nullptr : &accesses.begin()->second;
    NADI_CHECK(accesses.emplace(access.rank, access).second);
    if (other != nullptr)
    {
        CheckMatch(*other, access); // last, so that a report shows both as arrived
    }
    return accesses.size() == m_communicators[access.group->communicator.value].ranks.size();
}

/// One earlier access is enough: those before it agree with each other.
void
AccessMeetings::CheckMatch(const MemoryAccess& other, const MemoryAccess& access) const
{
    if (access.direction == other.direction && access.size == other.size)
    {
        return;
    }
    const CommunicatorId id = access.group->communicator;
    throw JobError(fmt::format("access #{} of communicator {} {} to remote memory: {} {}, {} {}",
                               access.group->call,
                               id.value,
                               ToRankListText(m_communicators[id.value].ranks),
                               ToCallerText(access.rank, access.node, access.name),
                               DescribeAccess(access),
                               ToCallerText(other.rank, other.node, other.name),
                               DescribeAccess(other)));
}

AccessMeetings::Accesses
AccessMeetings::Take(GroupCall call)
{
    auto node = m_open.extract(call);
    NADI_CHECK(!node.empty());
    return std::move(node.mapped());
}

std::vector<RankId>
AccessMeetings::FindMissing(GroupCall call) const
{
    const Accesses& accesses = m_open.at(call);
    std::vector<RankId> missing;
    for (const RankId rank : m_communicators[call.communicator.value].ranks)
    {
        if (!accesses.contains(rank))
        {
            missing.push_back(rank);
        }
    }
    std::sort(missing.begin(), missing.end());
    return missing;
}

} // namespace nadi
