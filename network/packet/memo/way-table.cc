// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/way-table.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace nadi
{

namespace
{

/// What an index takes besides its key and value: a link of the table, and a bucket.
constexpr size_t INDEX_BYTES = 2 * sizeof(void*);

/// Of a record that has lists of numbers, and of its index.
template <class Record, class... Lists>
uint64_t
CountWords(const Lists&... lists)
{
    constexpr size_t KEY_BYTES = 3 * sizeof(uint64_t);
    const size_t numbers = (lists.size() + ...);
    return (sizeof(Record) + KEY_BYTES + INDEX_BYTES + numbers * sizeof(uint32_t)) /
           sizeof(uint64_t);
}

} // namespace

WayTable::WayTable(const Topology& topology,
                   const Routing& routing,
                   uint64_t seed,
                   std::vector<bool> hasMemory)
    : m_topology(topology)
    , m_routing(routing)
    , m_seed(seed)
    , m_hasMemory(std::move(hasMemory))
{
}

uint32_t
WayTable::Find(const Message& message)
{
    const uint64_t ends = uint64_t{message.source.value} << 32 | message.destination.value;
    const auto [place, isNew] = m_indexes.try_emplace({ends, WayIdentity(message.stream)},
                                                      static_cast<uint32_t>(m_ways.size()));
    if (isNew)
    {
        m_ways.push_back(MakeWay(message));
        const Way& way = m_ways.back();
        m_words += CountWords<Way>(way.resources, way.forward, way.reverse);
    }
    return place->second;
}

uint32_t
WayTable::FindSet(ClosedTraffic& traffic)
{
    const Key key{traffic.Program(), WayIdentity(traffic.Stream())};
    const auto [place, isNew] = m_setIndexes.try_emplace(key, static_cast<uint32_t>(m_sets.size()));
    if (isNew)
    {
        m_sets.push_back(MakeSet(traffic));
        m_words += CountWords<WaySet>(m_sets.back().ways, m_sets.back().resources);
    }
    return place->second;
}

void
WayTable::Clear()
{
    // Assigned, since clear() would keep the memory.
    m_ways = {};
    m_indexes = {};
    m_sets = {};
    m_setIndexes = {};
    m_words = 0;
}

/// Empty where the messages do not share a part of the network in any case: the traffic would join
/// periods that its messages keep apart.
WaySet
WayTable::MakeSet(ClosedTraffic& traffic)
{
    WaySet set;
    for (const ClosedTraffic::Ends& ends : traffic.FindEnds())
    {
        // A way depends neither on the size nor on the key of a message.
        const uint32_t way = Find({.source = VertexOf(traffic.RankOf(ends.source)),
                                   .destination = VertexOf(traffic.RankOf(ends.destination)),
                                   .size = {},
                                   .stream = traffic.Stream(),
                                   .key = {}});
        set.ways.push_back(way);
        const std::vector<uint32_t>& resources = m_ways[way].resources;
        set.resources.insert(set.resources.end(), resources.begin(), resources.end());
    }
    std::sort(set.resources.begin(), set.resources.end());
    set.resources.erase(std::unique(set.resources.begin(), set.resources.end()),
                        set.resources.end());
    return AreJoined(set) ? set : WaySet();
}

/// Whether each way is joined to each other one by resources that ways share.
bool
WayTable::AreJoined(const WaySet& set) const
{
    std::unordered_map<uint32_t, std::vector<uint32_t>> users; // ways, by resource
    for (const uint32_t way : set.ways)
    {
        for (const uint32_t resource : m_ways[way].resources)
        {
            users[resource].push_back(way);
        }
    }
    // A search from the first way to all ways that share a resource with a way that was reached.
    std::unordered_set<uint32_t> reached;
    std::vector<uint32_t> open(set.ways.begin(), set.ways.begin() + (set.ways.empty() ? 0 : 1));
    while (!open.empty())
    {
        const uint32_t way = open.back();
        open.pop_back();
        // A way stands in the list once for each resource by which it was reached.
        if (!reached.insert(way).second)
        {
            continue;
        }
        for (const uint32_t resource : m_ways[way].resources)
        {
            // Emptied, so that each resource is looked at once however many ways share it.
            std::vector<uint32_t> next = std::exchange(users[resource], {});
            open.insert(open.end(), next.begin(), next.end());
        }
    }
    return reached.size() == set.ways.size();
}

/// The resources are those of both directions, each once, in ascending order.
Way
WayTable::MakeWay(const Message& message) const
{
    Way way;
    way.source = message.source;
    way.destination = message.destination;
    way.identity = WayIdentity(message.stream);
    const FlowChoice there = MakeFlowChoice(way.source, way.destination, message.stream);
    // Answers take the way that ECMP gives to the reverse flow, as in the fabric.
    const FlowChoice back = MakeFlowChoice(way.destination, way.source, message.stream);
    way.forward = m_routing.FindPath(way.source, way.destination, there, m_seed);
    way.reverse = m_routing.FindPath(way.destination, way.source, back, m_seed);
    for (const auto* links : {&way.forward, &way.reverse})
    {
        for (const LinkId link : *links)
        {
            way.resources.push_back(link.value);
            for (const VertexId end : {m_topology.Link(link).from, m_topology.Link(link).to})
            {
                if (m_hasMemory[end.value])
                {
                    way.resources.push_back(m_topology.LinkCount() + end.value);
                }
            }
        }
    }
    std::sort(way.resources.begin(), way.resources.end());
    way.resources.erase(std::unique(way.resources.begin(), way.resources.end()),
                        way.resources.end());
    return way;
}

} // namespace nadi
