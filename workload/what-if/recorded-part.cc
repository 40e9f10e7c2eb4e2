// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/recorded-part.h"

#include <utility>

namespace nadi
{

namespace
{

constexpr RankId NOT_RECORDED{UINT32_MAX};

/// By rank of the whole job: the rank of the part.
std::vector<RankId>
NumberRecorded(uint32_t rankCount, const std::vector<uint32_t>& recorded)
{
    std::vector<RankId> numbers(rankCount, NOT_RECORDED);
    for (uint32_t number = 0; number < recorded.size(); ++number)
    {
        numbers[recorded[number]] = RankId{number};
    }
    return numbers;
}

std::vector<RankId>
RecordedOf(const Communicator& communicator, const std::vector<RankId>& numbers)
{
    std::vector<RankId> members;
    for (const RankId rank : communicator.ranks)
    {
        if (numbers[rank.value] != NOT_RECORDED)
        {
            members.push_back(numbers[rank.value]);
        }
    }
    return members;
}

} // namespace

RecordedPart
TakeRecordedPart(Workload& whole, std::vector<uint32_t> recorded)
{
    const std::vector<RankId> numbers = NumberRecorded(whole.RankCount(), recorded);
    RecordedPart part;
    for (const Communicator& communicator : whole.communicators)
    {
        // Communicators keep their numbers, by which groups name them, also where no member was
        // recorded.
        part.job.communicators.push_back(
            {.id = communicator.id, .ranks = RecordedOf(communicator, numbers)});
    }
    for (const uint32_t rank : recorded)
    {
        part.job.graphOfRank.push_back(static_cast<uint32_t>(part.job.graphs.size()));
        part.job.graphs.push_back(std::move(whole.graphs[whole.graphOfRank[rank]]));
        // With all ranks recorded, peers are the ranks themselves.
        if (recorded.size() < whole.RankCount())
        {
            part.job.rankOfPeer.push_back(numbers);
        }
        part.job.communicatorOfGroup.push_back(whole.communicatorOfGroup[rank]);
    }
    part.ranks = std::move(recorded);
    return part;
}

} // namespace nadi
