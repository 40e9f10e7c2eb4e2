// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/closed-traffic.h"
#include "network/message.h"

#include <ns3/fabric-port-counters.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace nadi
{

/// A message of a period is delivered: the `input`-th that entered, `after` picoseconds after the
/// first. Or closed traffic ends on one of its parts.
struct PeriodOutput
{
    static constexpr uint32_t NO_RECORD = std::numeric_limits<uint32_t>::max();

    int64_t after;
    uint32_t input;
    uint32_t part = 0;
    uint32_t round = 0;          ///< of the instant, in which the part ends
    uint32_t record = NO_RECORD; ///< of all messages of the traffic, if this is its last end
};

/// A message of closed traffic. Times count from the begin of the traffic, in picoseconds.
struct TrafficMessage
{
    MessageKey key;
    Bytes size;
    int64_t sent;
    int64_t delivered;
    ClosedTraffic::Ends ends;
};

/// What follows in a part of a network once some messages have entered it, if no others do.
struct PeriodNode
{
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    /// The hash of its words, and its index.
    using Child = std::pair<uint64_t, uint32_t>;

    std::vector<uint64_t> words; ///< what entered last (PeriodLabels); of the root: none
    std::vector<Child> children;
    std::vector<PeriodOutput> outputs; ///< in the order of time
    int64_t knownUntil = 0; ///< picoseconds after the first input; later outputs are not known
    bool isAtRest = false;  ///< all outputs are known, and the rest below
    bool isVoid = false;    ///< what follows depends on random draws: it is not recorded
    int64_t rest = 0; ///< when everything is delivered and acknowledged, after the first input
    std::vector<ns3::FabricPortCounters> gains; ///< of the whole period, by label of the link
    uint64_t slowdowns = 0;                     ///< likewise
    uint32_t leader = NONE;                     ///< the period that is being recorded here
    std::vector<uint32_t> followers;            ///< the periods that are answered from here
    uint32_t misses = 0;                        ///< of a child of the root: periods in a row ...
    uint32_t skips = 0;                         ///< ... and how many are not even tried from now on

    /// Whether somebody is needed who records what follows.
    bool IsUnwritten() const
    {
        return !isAtRest && !isVoid && leader == NONE;
    }

    /// Whether nobody says, or has said, what comes out until then.
    bool Lacks(int64_t until) const
    {
        return IsUnwritten() && knownUntil < until;
    }
};

/// What parts of a network did so far, by what entered them. The root stands for rest.
///
/// A period walks from the root to a child for each instant at which something enters. Nodes can be
/// read while they are written: outputs up to `knownUntil` are final.
class PeriodTrie
{
  public:
    static constexpr uint32_t NONE = PeriodNode::NONE;
    static constexpr uint32_t ROOT = 0;

    /// Holds: the root alone.
    PeriodTrie();

    PeriodNode& operator[](uint32_t index)
    {
        return m_nodes[index];
    }

    const PeriodNode& operator[](uint32_t index) const
    {
        return m_nodes[index];
    }

    /// The child of `node` with these words; NONE: there is none.
    uint32_t Find(uint32_t node, const std::vector<uint64_t>& words) const;

    /// Adds one. Requires: there is none.
    uint32_t Add(uint32_t node, const std::vector<uint64_t>& words);

    /// Requires: no earlier than the outputs before it.
    void AddOutput(uint32_t node, const PeriodOutput& output);

    /// What the next link carried, in the order of labels.
    void AddGain(uint32_t node, const ns3::FabricPortCounters& gain);

    /// Forgets what the links carried.
    void DropGains(uint32_t node);

    /// Keeps the messages of some traffic. \return The record's number.
    uint32_t AddRecord(std::vector<TrafficMessage> messages);

    const std::vector<TrafficMessage>& Record(uint32_t number) const
    {
        return m_records[number];
    }

    /// What the trie takes, in words of 8 bytes, but for what the allocator adds.
    uint64_t Words() const
    {
        return m_words;
    }

  private:
    static uint64_t HashOf(const std::vector<uint64_t>& words);

    std::vector<PeriodNode> m_nodes;
    std::vector<std::vector<TrafficMessage>> m_records;
    uint64_t m_words = 0;
};

} // namespace nadi
