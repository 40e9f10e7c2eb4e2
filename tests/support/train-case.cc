// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/train-case.h"

#include "tests/support/random-job.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <deque>

namespace nadi::test
{

namespace
{

/// Calls `change` for as long as it finds something to leave out that is not to blame.
template <typename Items>
void
LeaveOut(TrainCase& wrong,
         Items items,
         size_t least,
         const std::function<bool(const TrainCase&)>& isWrong)
{
    for (size_t i = items(wrong).size(); i > 0 && items(wrong).size() > least; --i)
    {
        TrainCase smaller = wrong;
        items(smaller).erase(items(smaller).begin() + static_cast<std::ptrdiff_t>(i - 1));
        if (isWrong(smaller))
        {
            wrong = smaller;
        }
    }
}

/// What the digest does not have.
void
AddRows(const RunResults& results, std::string& text)
{
    text += results.totals.hasHeldFrames ? "\nwindows held frames" : "";
    for (const RankResult& rank : results.ranks)
    {
        text += fmt::format("\n{} B sent", rank.sent.Count());
    }
    for (const CollectiveResult& result : results.collectives)
    {
        const CollectiveRecord& record = result.record;
        text += fmt::format("\n{}.{} from {} to {} ps",
                            record.communicator.value,
                            record.call,
                            record.begin.Ps(),
                            record.end.Ps());
    }
    for (const FlowRecord& flow : results.flows.value_or(std::deque<FlowRecord>()))
    {
        text += fmt::format("\n{} to {}: {} B from {} to {} ps",
                            flow.source.value,
                            flow.destination.value,
                            flow.size.Count(),
                            flow.sent.Ps(),
                            flow.delivered.Ps());
    }
}

} // namespace

std::string
TrainCase::Workload() const
{
    const std::string list = fmt::format("{}", fmt::join(parts, ", "));
    switch (traffic)
    {
    case TrainTraffic::Flows:
        return "workload: {flows: [" + list + "]}\n";
    case TrainTraffic::Collectives:
        return "workload: {collective: [{parallel: [" + list + "]}]}\n";
    case TrainTraffic::Job:
        break;
    }
    return fmt::format("# RandomJob({}, {}, {{{}, {}}}) of {} operations\n",
                       npus,
                       jobSeed,
                       jobShape.width,
                       jobShape.period,
                       parts.size());
}

std::string
TrainCase::Run(const std::string& trains) const
{
    return RunToEnd(trains).text;
}

TrainCase::Outcome
TrainCase::RunToEnd(const std::string& trains) const
{
    std::vector<std::string> all = settings;
    all.push_back("network.packet.trains=" + trains);
    const ScratchDirectory scratch("train-case");
    const std::string workload =
        traffic == TrainTraffic::Job
            ? RandomJob(npus, jobSeed, jobShape).Write(scratch, static_cast<uint32_t>(parts.size()))
            : Workload();
    const RunResults results =
        Simulate(scratch.Write("run.yaml", workload + "network:\n" + network), all, modes);
    std::string text = results.status == RunStatus::Done ? results.digest : results.exitReason;
    text += fmt::format(" {}", results.finish.Ps());
    AddRows(results, text);
    for (const SeriesSample& row : results.series)
    {
        text += fmt::format("\n{} ps, link {}: {} B wait, {:.12g}",
                            row.time.Ps(),
                            row.link.value,
                            row.queue.Count(),
                            row.utilization);
    }
    uint64_t highest = 0;
    for (const LinkCounters& link : results.links)
    {
        highest = std::max(highest, static_cast<uint64_t>(link.maxQueue.Count()));
    }
    return {text, results.totals, highest};
}

bool
TrainCase::IsAlike() const
{
    return Run("on") == Run("off");
}

std::string
TrainCase::Describe() const
{
    std::string text = Workload() + "network:\n" + network;
    for (const std::string& setting : settings)
    {
        text += "# --set '" + setting + "'\n";
    }
    return text;
}

TrainCase
Minimise(TrainCase wrong, const std::function<bool(const TrainCase&)>& isWrong)
{
    const auto parts = [](TrainCase& from) -> std::vector<std::string>& { return from.parts; };
    const auto settings = [](TrainCase& from) -> std::vector<std::string>&
    { return from.settings; };
    for (int round = 0; round < 2; ++round)
    {
        LeaveOut(wrong, parts, 1, isWrong);
        LeaveOut(wrong, settings, 0, isWrong);
    }
    return wrong;
}

} // namespace nadi::test
