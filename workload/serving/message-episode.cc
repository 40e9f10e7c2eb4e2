// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/message-episode.h"

#include "workload/models/generated-graph.h"

#include <map>
#include <utility>

namespace nadi
{

Episode
MakeMessageEpisode(const std::string& name,
                   const std::vector<EpisodeMessage>& messages,
                   std::shared_ptr<const RankNames> names)
{
    std::map<RankId, GeneratedGraph> graphs;
    const auto graphOf = [&](RankId rank) -> GeneratedGraph&
    { return graphs.try_emplace(rank, name).first->second; };
    for (const EpisodeMessage& message : messages)
    {
        graphOf(message.source)
            .AddSend(name, {.peer = message.destination.value, .bytes = message.bytes}, {});
        graphOf(message.destination)
            .AddReceive(name, {.peer = message.source.value, .bytes = message.bytes}, {});
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
