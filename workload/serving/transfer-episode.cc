// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/transfer-episode.h"

#include "workload/models/generated-graph.h"

#include <map>
#include <utility>

namespace nadi
{

Episode
MakeTransferEpisode(const std::vector<KvShare>& shares,
                    uint64_t tokens,
                    std::shared_ptr<const RankNames> names)
{
    std::map<RankId, GeneratedGraph> graphs;
    const auto graphOf = [&](RankId rank) -> GeneratedGraph&
    { return graphs.try_emplace(rank, "keys and values").first->second; };
    for (const KvShare& share : shares)
    {
        const uint64_t bytes = MultiplyCounts({share.bytesOfToken, tokens});
        graphOf(share.source)
            .AddSend("keys and values", {.peer = share.destination.value, .bytes = bytes}, {});
        graphOf(share.destination)
            .AddReceive("keys and values", {.peer = share.source.value, .bytes = bytes}, {});
    }
    Episode episode;
    for (auto& [rank, graph] : graphs)
    {
        episode.members.push_back({rank, static_cast<uint32_t>(episode.graphs.size())});
        episode.graphs.push_back(graph.Build());
    }
    episode.names = std::move(names);
    return episode;
}

} // namespace nadi
