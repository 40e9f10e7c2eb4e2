// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace-names.h"

#include <nlohmann/json.hpp>

namespace nadi
{

TraceNames
MakeTraceNames(const Workload& workload, uint32_t rank)
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
FormatTraceGroups(const Workload& workload)
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

} // namespace nadi
