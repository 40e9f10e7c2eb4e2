// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/trace-output.h"

#include "cli/terminal/progress-display.h"
#include "common/text.h"
#include "configuration/yaml-writer.h"
#include "simulation/results/output-directory.h"
#include "workload/trace-names.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <numeric>

namespace nadi
{

void
WriteTraceFiles(const Workload& workload,
                const std::string& name,
                const std::filesystem::path& directory)
{
    // Made first, so that a directory that holds something else is refused before any trace is
    // written.
    OutputDirectory output(directory, MayReplace::Nothing);
    std::atomic<uint32_t> written = 0;
    const ProgressDisplay display(
        [&](auto)
        {
            return fmt::format(
                "{} of {} written", written.load(), CountText(workload.RankCount(), "trace"));
        },
        ChooseProgressMode());
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        written = rank;
        output.Write(name + "." + std::to_string(rank) + ".et",
                     FormatTrace(workload.GraphOf(RankId{rank}), MakeTraceNames(workload, rank)));
    }
    // The first communicator is that of all ranks, which traces need not name.
    if (workload.communicators.size() > 1)
    {
        output.Write("groups.json", FormatTraceGroups(workload));
    }
    output.Publish();
}

std::vector<uint32_t>
AllRanks(uint32_t count)
{
    std::vector<uint32_t> ranks(count);
    std::iota(ranks.begin(), ranks.end(), 0U);
    return ranks;
}

void
WriteTraces(const TraceOutput& output)
{
    OutputDirectory directory(output.directory, MayReplace::Nothing);
    for (const uint32_t rank : output.ranks)
    {
        directory.Write(output.name + "." + std::to_string(rank) + ".et", output.makeTrace(rank));
    }
    // Asked for only now, since some tools learn the groups from the traces that they make.
    const ProcessGroups groups = output.makeGroups ? output.makeGroups() : ProcessGroups();
    if (!groups.empty())
    {
        directory.Write("groups.json", nlohmann::ordered_json(groups).dump() + "\n");
    }
    directory.Publish();
}

void
WriteDocuments(const DocumentOutput& output)
{
    WriteTraces({.name = output.name,
                 .directory = output.directory,
                 .ranks = output.ranks,
                 .makeGroups = output.makeGroups,
                 .makeTrace = [&output](uint32_t rank)
                 { return FormatDocument(output.makeDocument(rank)); }});
}

std::string
DescribeRun(const std::string& directory, const std::string& name, bool hasGroups)
{
    Json traces = Json::object();
    // Written by the writer of YAML, which quotes a path with odd letters.
    traces["trace"] = directory + "/" + name + ".{rank}.et";
    if (hasGroups)
    {
        traces["groups"] = directory + "/groups.json";
    }
    return WriteYaml(Json{{"workload", traces}});
}

} // namespace nadi
