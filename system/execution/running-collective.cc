// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/running-collective.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// None: no member has splits.
std::optional<ExchangeExtremes>
FindExtremes(const CollectiveRun& run, uint32_t elementBytes)
{
    if (run.Uneven() == nullptr || !run.Uneven()->HasSplits())
    {
        return std::nullopt;
    }
    const auto bytes = [&](uint64_t elements)
    { return Bytes(static_cast<int64_t>(elements)) * elementBytes; };
    const auto rank = [&](std::ptrdiff_t member)
    { return run.Layout().RankOf(static_cast<uint32_t>(member)); };
    const std::vector<uint64_t> sent = run.Uneven()->SentElements();
    const std::vector<uint64_t> received = run.Uneven()->ReceivedElements();
    const auto out = std::ranges::max_element(sent);
    const auto in = std::ranges::max_element(received);
    return ExchangeExtremes{.out = bytes(*out),
                            .sender = rank(out - sent.begin()),
                            .in = bytes(*in),
                            .receiver = rank(in - received.begin())};
}

/// What the library decided, and what became of it where the plan is a stored program.
LibraryDecision
DecisionOf(const RunningCollective& running)
{
    LibraryDecision decision = running.program->decision;
    // The library decides before a program is made. So it does not know whether the maker prefers a
    // built-in algorithm.
    if (const StoredProgram* const stored = running.run->Stored())
    {
        decision.proof = stored->IsProven() ? ProgramProof::Proven : ProgramProof::Matched;
        if (!stored->builtIn.empty())
        {
            decision.algorithm = stored->builtIn;
            decision.chosenBy = "prediction";
        }
    }
    return decision;
}

} // namespace

CollectiveRecord
MakeCollectiveRecord(const RunningCollective& running, SimTime end, uint32_t elementBytes)
{
    const Meeting& meeting = running.meeting;
    const CollectiveCall& call = meeting.LowestCall();
    const CollectiveId id = running.run->Id();
    const auto size = static_cast<int64_t>(meeting.LargestElements());
    const auto smallest = static_cast<int64_t>(meeting.SmallestElements());
    return {.communicator = id.communicator,
            .call = id.call,
            .type = call.type,
            .name = call.name,
            .decision = DecisionOf(running),
            .ranks = static_cast<uint32_t>(meeting.calls.size()),
            .size = Bytes(size) * elementBytes,
            .smallestSize = Bytes(smallest) * elementBytes,
            .root = meeting.Root(),
            .start = meeting.firstArrival,
            .end = end,
            .called = meeting.lastArrival,
            .begin = running.begin,
            .lastRank = meeting.lastRank,
            .recorded = meeting.recorded.Transfer(),
            .hasSwitches = running.run->Helpers().has_value(),
            .lackedPlaces = running.isWithoutSwitches,
            .extremes = FindExtremes(*running.run, elementBytes)};
}

} // namespace nadi
