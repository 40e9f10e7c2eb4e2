// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/open-pairs.h"

#include "common/hash.h"

#include <utility>

namespace nadi
{

OpenPairs::OpenPairs(ns3::Ptr<ns3::Fabric> fabric)
    : m_fabric(std::move(fabric))
{
}

ns3::FabricPairHandle
OpenPairs::FindOrOpen(const Message& message)
{
    const uint32_t source = message.source.value;
    const uint32_t destination = message.destination.value;
    Stream& stream = m_streams[message.stream.value];
    uint32_t& pair = stream.pairs[FindPlace(stream, uint64_t{source} << 32 | destination)];
    if (pair != NONE)
    {
        return {stream.stream, pair};
    }
    const ns3::FabricPairHandle opened =
        m_fabric->OpenQueuePair({source, destination, message.stream.value});
    pair = opened.pair;
    stream.stream = opened.stream;
    ++stream.count;
    // At least a quarter of the places stays empty, so that FindPlace finds an empty one soon.
    if (stream.count > stream.pairs.size() / 4 * 3)
    {
        Grow(stream);
    }
    return opened;
}

std::optional<ns3::FabricPairHandle>
OpenPairs::Find(const Message& message) const
{
    const auto stream = m_streams.find(message.stream.value);
    if (stream == m_streams.end())
    {
        return {};
    }
    const uint64_t ends = uint64_t{message.source.value} << 32 | message.destination.value;
    const uint32_t pair = stream->second.pairs[FindPlace(stream->second, ends)];
    return pair == NONE ? std::nullopt
                        : std::optional<ns3::FabricPairHandle>({stream->second.stream, pair});
}

void
OpenPairs::CloseStream(StreamId stream)
{
    m_streams.erase(stream.value);
    m_fabric->CloseStream(stream.value);
}

/// Where the queue pair of these ends stands, or else where it belongs.
size_t
OpenPairs::FindPlace(const Stream& stream, uint64_t ends) const
{
    const size_t mask = stream.pairs.size() - 1;
    size_t place = Mix64(ends) & mask;
    // Linear probing. Queue pairs leave only together with their stream, so a taken place never
    // becomes empty again, and the search may stop at the first empty one.
    while (stream.pairs[place] != NONE && EndsOf({stream.stream, stream.pairs[place]}) != ends)
    {
        place = (place + 1) & mask;
    }
    return place;
}

uint64_t
OpenPairs::EndsOf(ns3::FabricPairHandle handle) const
{
    const ns3::FabricFlowKey key = m_fabric->GetPairs().GetKey(handle);
    return uint64_t{key.source} << 32 | key.destination;
}

/// Doubles the table, so that opening n queue pairs takes linear time. The fabric is asked for the
/// ends of each, as the table does not store them.
void
OpenPairs::Grow(Stream& stream) const
{
    const std::vector<uint32_t> before =
        std::exchange(stream.pairs, std::vector<uint32_t>(2 * stream.pairs.size(), NONE));
    for (const uint32_t pair : before)
    {
        if (pair != NONE)
        {
            stream.pairs[FindPlace(stream, EndsOf({stream.stream, pair}))] = pair;
        }
    }
}

} // namespace nadi
