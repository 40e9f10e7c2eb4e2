// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/pending-report.h"

#include "system/rank-text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace nadi
{

namespace
{

/// In ascending order, each once.
std::vector<VertexId>
SourcesOf(PhaseTicket ticket, const std::vector<PhaseExecutor::Wait>& waits)
{
    std::vector<VertexId> sources;
    // Waits are sorted by ticket and source, so those of a ticket stand together, and equal sources
    // follow one another.
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
RanksText(const std::vector<RankId>& ranks)
{
    return ranks.size() == 1 ? fmt::format("rank {}", ranks.front().value)
                             : "ranks " + ToRankListText(ranks);
}

/// Finds for whom the members of a collective wait. A switch waits for others in turn.
class WaitTracer
{
  public:
    WaitTracer(const CollectiveRun& run, const std::vector<PhaseExecutor::Wait>& waits)
        : m_run(run)
        , m_waits(waits)
    {
        if (run.Helpers())
        {
            m_helpers = run.Helpers()->FindActive();
        }
    }

    /// Whether the member waits for somebody in the phase, and not for deliveries alone.
    bool HasSources(const CollectiveRun::ActivePhase& phase) const
    {
        return !SourcesOf(phase.ticket, m_waits).empty();
    }

    void Describe(PendingCollective::Member& entry, const CollectiveRun::ActivePhase& phase) const
    {
        const std::vector<VertexId> sources = SourcesOf(phase.ticket, m_waits);
        std::vector<RankId> direct;
        std::vector<VertexId> switches;
        for (const VertexId source : sources)
        {
            IsSwitch(source) ? switches.push_back(source) : direct.push_back(RankOf(source));
        }
        // A switch only passes messages on. The rank that holds up the others is behind the switch,
        // among those that the switch waits for.
        const std::vector<RankId> behind = FindBehind(switches, phase.at);
        entry.waitsFor =
            fmt::format("chunk {}, phase {} ({}), from {}",
                        phase.at.chunk,
                        phase.at.phase,
                        ToText(m_run.Program().PhaseAt(phase.at).type),
                        switches.empty() ? RanksText(direct) : SwitchesText(switches, behind));
        std::set<RankId> ranks(direct.begin(), direct.end());
        ranks.insert(behind.begin(), behind.end());
        ranks.erase(entry.rank); // what it has sent itself may be lost on its way to the switch
        entry.waitsForRanks.assign(ranks.begin(), ranks.end());
    }

    std::vector<PendingCollective::Switch> FindSwitches() const
    {
        // A switch has one entry, however many trees and phases it serves.
        std::map<VertexId, std::set<VertexId>> sources;
        for (const HelperPhases::Active& helper : m_helpers)
        {
            const std::vector<VertexId> found = SourcesOf(helper.ticket, m_waits);
            sources[helper.at].insert(found.begin(), found.end());
        }
        std::vector<PendingCollective::Switch> switches;
        for (const auto& [vertex, waitsFor] : sources)
        {
            switches.push_back({.name = m_run.Trees()->NameOf(vertex), .waitsFor = {}});
            for (const VertexId source : waitsFor)
            {
                switches.back().waitsFor.push_back(m_run.Trees()->NameOf(source));
            }
        }
        return switches;
    }

  private:
    static RankId RankOf(VertexId npu)
    {
        return {npu.value};
    }

    bool IsSwitch(VertexId vertex) const
    {
        return m_run.Helpers() && m_run.Trees()->IsSwitch(vertex);
    }

    /// "switch leaf3, which waits for rank 5".
    std::string SwitchesText(const std::vector<VertexId>& switches,
                             const std::vector<RankId>& behind) const
    {
        std::vector<std::string> names;
        for (const VertexId vertex : switches)
        {
            names.push_back(m_run.Trees()->NameOf(vertex));
        }
        const bool isOne = names.size() == 1;
        const std::string who =
            (isOne ? "switch " : "switches ") + fmt::format("{}", fmt::join(names, ", "));
        return behind.empty()
                   ? who
                   : fmt::format(
                         "{}, which {} for {}", who, isOne ? "waits" : "wait", RanksText(behind));
    }

    /// The ranks for which the switches wait, or the switches that these wait for.
    std::vector<RankId> FindBehind(std::vector<VertexId> open, PhaseReference at) const
    {
        // Switches may wait for each other: one for a sum on its way up, the other for the result
        // on its way down. So each switch is looked at once.
        std::set<VertexId> seen(open.begin(), open.end());
        std::set<RankId> ranks;
        while (!open.empty())
        {
            const VertexId vertex = open.back();
            open.pop_back();
            for (const VertexId source : FindSources(vertex, at))
            {
                if (!IsSwitch(source))
                {
                    ranks.insert(RankOf(source));
                }
                else if (seen.insert(source).second)
                {
                    open.push_back(source);
                }
            }
        }
        return {ranks.begin(), ranks.end()};
    }

    std::vector<VertexId> FindSources(VertexId vertex, PhaseReference at) const
    {
        std::vector<VertexId> sources;
        for (const HelperPhases::Active& helper : m_helpers)
        {
            // A switch may run several phases at a time. What it waits for in other phases does not
            // hold up this one.
            if (helper.at == vertex && PhaseReference{helper.chunk, helper.phase} == at)
            {
                const std::vector<VertexId> found = SourcesOf(helper.ticket, m_waits);
                sources.insert(sources.end(), found.begin(), found.end());
            }
        }
        return sources;
    }

    const CollectiveRun& m_run;
    const std::vector<PhaseExecutor::Wait>& m_waits;
    std::vector<HelperPhases::Active> m_helpers;
};

} // namespace

/// Both lists are in the order of ranks: the meeting is a map, and `missing` is sorted, as a
/// communicator may list its ranks in any order.
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
    const WaitTracer tracer(run, waits);
    report.switches = tracer.FindSwitches();
    for (PendingCollective::Member& entry : report.arrived)
    {
        const uint32_t member = run.Layout().MemberOf(entry.rank);
        entry.isComplete = run.IsComplete(member);
        // Of several phases in which the member waits for others, only the first, by chunk and
        // phase, is described.
        const auto phases = run.ActivePhases(member);
        const auto waiting = std::ranges::find_if(
            phases, [&](const auto& phase) { return tracer.HasSources(phase); });
        if (waiting != phases.end())
        {
            tracer.Describe(entry, *waiting);
        }
        else if (!phases.empty() || run.AwaitsDeliveries(member))
        {
            entry.waitsFor = "the delivery of what it has sent";
        }
    }
}

} // namespace nadi
