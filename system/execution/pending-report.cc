// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/pending-report.h"

#include "system/execution/rank-text.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

std::vector<RankId>
SourcesOf(PhaseTicket ticket, const std::vector<PhaseExecutor::Wait>& waits)
{
    std::vector<RankId> sources;
    auto wait = std::lower_bound(waits.begin(), waits.end(), PhaseExecutor::Wait{ticket, {}});
    for (; wait != waits.end() && wait->ticket == ticket; ++wait)
    {
        if (sources.empty() || sources.back() != wait->source)
        {
            sources.push_back(wait->source);
        }
    }
    return sources;
}

std::string
WaitText(const CollectiveRun& run, PhaseReference at, const std::vector<RankId>& sources)
{
    const std::string from = sources.size() == 1 ? fmt::format("rank {}", sources.front().value)
                                                 : "ranks " + ToRankListText(sources);
    return fmt::format("chunk {}, phase {} ({}), from {}",
                       at.chunk,
                       at.phase,
                       ToText(run.Program().PhaseAt(at).type),
                       from);
}

} // namespace

PendingCollective
MakePendingReport(CollectiveId id, const Meeting& meeting, uint32_t elementBytes)
{
    PendingCollective report{.communicator = id.communicator,
                             .call = id.call,
                             .type = meeting.LowestCall().type,
                             .size = Bytes(static_cast<int64_t>(meeting.LargestElements())) *
                                     elementBytes,
                             .hasStarted = false,
                             .arrived = {},
                             .missing = {}};
    for (const auto& [rank, call] : meeting.calls)
    {
        report.arrived.push_back({.rank = rank,
                                  .node = call.node,
                                  .name = call.name,
                                  .isComplete = false,
                                  .waitsFor = {},
                                  .waitsForRanks = {}});
    }
    for (const RankId rank : meeting.communicator->ranks)
    {
        if (!meeting.calls.contains(rank))
        {
            report.missing.push_back(rank);
        }
    }
    std::sort(report.missing.begin(), report.missing.end());
    return report;
}

void
AddProgress(PendingCollective& report,
            const CollectiveRun& run,
            const std::vector<PhaseExecutor::Wait>& waits)
{
    report.hasStarted = true;
    for (PendingCollective::Member& entry : report.arrived)
    {
        const uint32_t member = run.Layout().MemberOf(entry.rank);
        entry.isComplete = run.IsComplete(member);
        const auto phases = run.ActivePhases(member);
        if (!phases.empty())
        {
            entry.waitsForRanks = SourcesOf(phases.front().ticket, waits);
            entry.waitsFor = WaitText(run, phases.front().at, entry.waitsForRanks);
        }
    }
}

} // namespace nadi
