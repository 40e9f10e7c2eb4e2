// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/period-trie.h"

#include "common/check.h"
#include "common/hash.h"

#include <utility>

namespace nadi
{

namespace
{

template <class Record>
constexpr uint64_t
WordsOf(uint64_t count)
{
    return count * sizeof(Record) / sizeof(uint64_t);
}

} // namespace

PeriodTrie::PeriodTrie()
    : m_nodes(1)
{
    // Thus nobody records at the root, nor waits for its outputs (IsUnwritten).
    m_nodes[ROOT].isAtRest = true;
}

uint32_t
PeriodTrie::Find(uint32_t node, const std::vector<uint64_t>& words) const
{
    const uint64_t hash = HashOf(words);
    // The words decide. The hash only saves comparisons, so hashes may collide.
    for (const auto& [hashOfChild, child] : m_nodes[node].children)
    {
        if (hashOfChild == hash && m_nodes[child].words == words)
        {
            return child;
        }
    }
    return NONE;
}

uint32_t
PeriodTrie::Add(uint32_t node, const std::vector<uint64_t>& words)
{
    m_words += words.size() + WordsOf<PeriodNode>(1) + WordsOf<PeriodNode::Child>(1);
    const auto child = static_cast<uint32_t>(m_nodes.size());
    // This may move all nodes, so no reference to a node outlives a call.
    m_nodes.emplace_back();
    m_nodes[child].words = words;
    m_nodes[child].knownUntil = static_cast<int64_t>(words.front()); // nothing follows at once
    m_nodes[node].children.emplace_back(HashOf(words), child);
    return child;
}

void
PeriodTrie::AddOutput(uint32_t node, const PeriodOutput& output)
{
    std::vector<PeriodOutput>& outputs = m_nodes[node].outputs;
    NADI_CHECK(outputs.empty() || outputs.back().after <= output.after);
    outputs.push_back(output);
    m_words += WordsOf<PeriodOutput>(1);
}

void
PeriodTrie::AddGain(uint32_t node, const ns3::FabricPortCounters& gain)
{
    m_nodes[node].gains.push_back(gain);
    m_words += WordsOf<ns3::FabricPortCounters>(1);
}

void
PeriodTrie::DropGains(uint32_t node)
{
    m_words -= WordsOf<ns3::FabricPortCounters>(m_nodes[node].gains.size());
    m_nodes[node].gains = {};
}

uint32_t
PeriodTrie::AddRecord(std::vector<TrafficMessage> messages)
{
    m_words += WordsOf<TrafficMessage>(messages.size());
    m_records.push_back(std::move(messages));
    return static_cast<uint32_t>(m_records.size() - 1);
}

uint64_t
PeriodTrie::HashOf(const std::vector<uint64_t>& words)
{
    uint64_t hash = words.size();
    for (const uint64_t word : words)
    {
        hash = Mix64(hash ^ word);
    }
    return hash;
}

} // namespace nadi
