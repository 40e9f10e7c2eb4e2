// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/message-episode.h"

#include "workload/models/generated-graph.h"

#include <map>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint64_t ASKING = 1; // the tag of messages that ask; the others have 0

/// Writes what the two ends of a message do.
class MessageWriter
{
  public:
    MessageWriter(const MessageBundle& bundle, GeneratedGraph& source, GeneratedGraph& destination)
        : m_bundle(bundle)
        , m_source(source)
        , m_destination(destination)
    {
    }

    void Write(const EpisodeMessage& message)
    {
        const GeneratedGraph::Ids asked =
            m_bundle.isAskedFor ? WriteAsking(message) : GeneratedGraph::Ids();
        m_source.AddSend(
            m_bundle.name,
            {.peer = message.destination.value, .bytes = message.bytes, .kind = m_bundle.kind},
            asked);
        m_destination.AddReceive(
            m_bundle.name, {.peer = message.source.value, .bytes = message.bytes}, {});
    }

  private:
    /// Returns what the message itself waits for.
    GeneratedGraph::Ids WriteAsking(const EpisodeMessage& message)
    {
        const std::string name = "ask for " + m_bundle.name;
        m_destination.AddSend(
            name, {.peer = message.source.value, .tag = ASKING, .kind = m_bundle.kind}, {});
        return {m_source.AddReceive(name, {.peer = message.destination.value, .tag = ASKING}, {})};
    }

    const MessageBundle& m_bundle;
    GeneratedGraph& m_source;
    GeneratedGraph& m_destination;
};

} // namespace

Episode
MakeMessageEpisode(const MessageBundle& bundle, std::shared_ptr<const RankNames> names)
{
    std::map<RankId, GeneratedGraph> graphs;
    const auto graphOf = [&](RankId rank) -> GeneratedGraph&
    { return graphs.try_emplace(rank, bundle.name).first->second; };
    for (const EpisodeMessage& message : bundle.messages)
    {
        MessageWriter(bundle, graphOf(message.source), graphOf(message.destination)).Write(message);
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
