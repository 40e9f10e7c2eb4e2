// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/trace-output.h"

#include "configuration/yaml-writer.h"
#include "simulation/results/output-directory.h"
#include "workload/trace-writer.h"

#include <nlohmann/json.hpp>

namespace nadi
{

namespace
{

TraceNames
NamesOf(const Workload& workload, uint32_t rank)
{
    TraceNames names;
    for (const CommunicatorId communicator : workload.communicatorOfGroup[rank])
    {
        names.groups.push_back(communicator.value == 0 ? "" : std::to_string(communicator.value));
    }
    if (!workload.rankOfPeer.empty())
    {
        names.peers = workload.rankOfPeer[rank];
    }
    return names;
}

std::string
FormatGroups(const Workload& workload)
{
    nlohmann::ordered_json groups = nlohmann::ordered_json::object();
    for (size_t id = 1; id < workload.communicators.size(); ++id)
    {
        auto& ranks = groups[std::to_string(id)];
        for (const RankId rank : workload.communicators[id].ranks)
        {
            ranks.push_back(rank.value);
        }
    }
    return groups.dump() + "\n";
}

} // namespace

void
WriteTraceFiles(const Workload& workload,
                const std::string& name,
                const std::filesystem::path& directory)
{
    OutputDirectory output(directory);
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        output.Write(name + "." + std::to_string(rank) + ".et",
                     FormatTrace(workload.GraphOf(RankId{rank}), NamesOf(workload, rank)));
    }
    if (workload.communicators.size() > 1)
    {
        output.Write("groups.json", FormatGroups(workload));
    }
    output.Publish();
}

void
WriteDocuments(const DocumentOutput& output)
{
    OutputDirectory directory(output.directory);
    for (uint32_t rank = 0; rank < output.rankCount; ++rank)
    {
        directory.Write(output.name + "." + std::to_string(rank) + ".et",
                        FormatDocument(output.makeDocument(rank)));
    }
    const ProcessGroups named = output.makeGroups ? output.makeGroups() : ProcessGroups();
    if (!named.empty())
    {
        const nlohmann::ordered_json groups(named);
        directory.Write("groups.json", groups.dump() + "\n");
    }
    directory.Publish();
}

std::string
DescribeRun(const std::string& directory, const std::string& name, bool hasGroups)
{
    Json traces = Json::object();
    traces["trace"] = directory + "/" + name + ".{rank}.et";
    if (hasGroups)
    {
        traces["groups"] = directory + "/groups.json";
    }
    return WriteYaml(Json{{"workload", traces}});
}

} // namespace nadi
