// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "network/closed-traffic.h"
#include "network/message.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// What messages share with others: links, by their number, and nodes in whose memory frames of
/// different links meet, by link count + vertex.
struct Claim
{
    std::vector<uint32_t> resources;

    uint32_t period =
        std::numeric_limits<uint32_t>::max(); ///< that it joined last, if that has ...
    uint64_t periodIdentity = 0;              ///< ... this identity still
};

/// The way of the messages of one communicator from a rank to another, there and back.
struct Way : Claim
{
    VertexId source;
    VertexId destination;
    uint64_t identity = 0;       ///< WayIdentity of its streams
    std::vector<LinkId> forward; ///< of data, from source to destination
    std::vector<LinkId> reverse; ///< of what the destination answers
    uint64_t stamp = 0; ///< of the labels in which it appeared last (PeriodLabels), and ...
    uint32_t label = 0; ///< ... its number there
};

/// The ways of closed traffic of one program and one communicator, in the order of its ends.
struct WaySet : Claim
{
    std::vector<uint32_t> ways; ///< empty: such traffic is not taken over
};

/// The ways of all messages since the last Clear. A way is looked up in the routing once.
class WayTable
{
  public:
    /// `hasMemory` says, by vertex, where frames of different links share memory.
    WayTable(const Topology& topology,
             const Routing& routing,
             uint64_t seed,
             std::vector<bool> hasMemory);

    /// Its index. Requires: the ends are different NPUs, and there is a way.
    uint32_t Find(const Message& message);

    /// The index of the set of the ways of this traffic.
    uint32_t FindSet(ClosedTraffic& traffic);

    WaySet& Set(uint32_t index)
    {
        return m_sets[index];
    }

    Way& operator[](uint32_t index)
    {
        return m_ways[index];
    }

    const Way& operator[](uint32_t index) const
    {
        return m_ways[index];
    }

    /// What the table takes, in words of 8 bytes, but for what the allocator adds.
    uint64_t Words() const
    {
        return m_words;
    }

    /// Forgets all ways, and gives their memory back. No index is valid any more.
    void Clear();

    /// How many resources there can be: links and vertices.
    uint32_t ResourceCount() const
    {
        return m_topology.LinkCount() + m_topology.VertexCount();
    }

  private:
    struct Key
    {
        uint64_t ends; ///< or the program of a set
        uint64_t identity;

        bool operator==(const Key&) const = default;
    };

    struct KeyHash
    {
        size_t operator()(const Key& key) const
        {
            return Mix64(key.ends ^ Mix64(key.identity));
        }
    };

    Way MakeWay(const Message& message) const;
    WaySet MakeSet(ClosedTraffic& traffic);
    bool AreJoined(const WaySet& set) const;

    const Topology& m_topology;
    const Routing& m_routing;
    uint64_t m_seed;
    std::vector<bool> m_hasMemory;
    std::deque<Way> m_ways; // never copied as they become more
    std::unordered_map<Key, uint32_t, KeyHash> m_indexes;
    std::vector<WaySet> m_sets;
    std::unordered_map<Key, uint32_t, KeyHash> m_setIndexes; // by program and identity
    uint64_t m_words = 0;
};

} // namespace nadi
