// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/uneven-exchanges.h"

#include "common/error.h"
#include "system/execution/rendezvous.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace nadi
{

namespace
{

constexpr uint64_t MOST_EXCHANGED = uint64_t{1} << 40; // of a member, so that no sum overflows

/// In the static topological order, in which calls are numbered.
std::vector<uint32_t>
ListCollectives(const ExecutionGraph& graph)
{
    std::vector<uint32_t> collectives = graph.TopologicalOrder();
    std::erase_if(collectives,
                  [&graph](uint32_t node)
                  { return FindRoute(graph.Node(node)) != NodeRoute::Collective; });
    return collectives;
}

} // namespace

UnevenExchanges::UnevenExchanges(const Workload& job)
    : m_job(job)
{
    // Ranks may share a graph.
    std::vector<std::vector<uint32_t>> collectives;
    for (const ExecutionGraph& graph : job.graphs)
    {
        collectives.push_back(ListCollectives(graph));
    }
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        AddRank(RankId{rank}, collectives[job.graphOfRank[rank]]);
    }
    for (auto& [key, calls] : m_calls)
    {
        // Where ranks disagree about the type, each type has a call of its own.
        std::erase_if(calls, [this](const auto& call) { return !IsUneven(call.second); });
        for (auto& [type, call] : calls)
        {
            call.problem = FindProblem(call);
            call.unit = call.problem.empty() ? FindUnit(call) : 1;
            for (const auto& [rank, node] : call.nodes)
            {
                m_callOf[{rank, node}] = &call;
            }
        }
    }
}

void
UnevenExchanges::AddRank(RankId rank, const std::vector<uint32_t>& collectives)
{
    const ExecutionGraph& graph = m_job.GraphOf(rank);
    std::map<CommunicatorId, uint32_t> numbers;
    for (const uint32_t index : collectives)
    {
        const ExecutionNode& node = graph.Node(index);
        const CommunicatorId group = m_job.communicatorOfGroup[rank.value][node.group];
        // Collectives of other types are counted, too.
        const uint32_t number = numbers[group]++;
        if (MayDifferInSize(node.collective))
        {
            Call& call = m_calls[{group, number}][node.collective];
            call.group = group;
            call.type = node.collective;
            call.nodes.emplace(rank, index);
        }
    }
}

uint64_t
UnevenExchanges::BytesOf(RankId rank, uint32_t node) const
{
    const auto size = static_cast<int64_t>(m_job.GraphOf(rank).Node(node).size);
    return static_cast<uint64_t>((m_job.elementSize * size).Count());
}

bool
UnevenExchanges::IsUneven(const Call& call) const
{
    const auto& [first, firstNode] = *call.nodes.begin();
    const uint64_t size = m_job.GraphOf(first).Node(firstNode).size;
    return std::ranges::any_of(call.nodes,
                               [&, this](const auto& member)
                               {
                                   const ExecutionGraph& graph = m_job.GraphOf(member.first);
                                   const SharedSplits splits = graph.SplitsOf(member.second);
                                   return graph.Node(member.second).size != size ||
                                          (splits && !AreEqualParts(splits->sends, size));
                               });
}

std::string
UnevenExchanges::FindProblem(const Call& call) const
{
    const std::vector<RankId>& ranks = MembersOf(call);
    for (const RankId rank : ranks)
    {
        const auto found = call.nodes.find(rank);
        if (found == call.nodes.end())
        {
            return fmt::format("rank {} does not call it, so nobody knows what comes from there; "
                               "nadi trace check says which calls do not match",
                               rank.value);
        }
        const SharedSplits splits = m_job.GraphOf(rank).SplitsOf(found->second);
        if (splits && splits->sends.size() != ranks.size())
        {
            return fmt::format("rank {} has sizes for {} members of a group of {}; write one for "
                               "each member",
                               rank.value,
                               splits->sends.size(),
                               ranks.size());
        }
        if (BytesOf(rank, found->second) > MOST_EXCHANGED)
        {
            return fmt::format("rank {} brings more than 2^40 bytes; write a smaller size",
                               rank.value);
        }
    }
    return "";
}

/// Of an all-to-all. Requires: the call has no problem.
uint64_t
UnevenExchanges::SentBytes(const Call& call, RankId rank, uint32_t place) const
{
    const auto members = static_cast<uint32_t>(MembersOf(call).size());
    const uint32_t node = call.nodes.at(rank);
    const ExecutionGraph& graph = m_job.GraphOf(rank);
    const SharedSplits splits = graph.SplitsOf(node);
    return SentTo(splits.get(), graph.Node(node).size, place, members) *
           static_cast<uint64_t>(m_job.elementSize.Count());
}

/// 0 where all parts are 0. Requires: the call has no problem.
uint64_t
UnevenExchanges::FindUnit(const Call& call) const
{
    uint64_t unit = 0;
    for (const RankId rank : MembersOf(call))
    {
        if (call.type != CollectiveType::AllToAll)
        {
            unit = std::gcd(unit, BytesOf(rank, call.nodes.at(rank)));
            continue;
        }
        for (uint32_t place = 0; place < MembersOf(call).size(); ++place)
        {
            unit = std::gcd(unit, SentBytes(call, rank, place));
        }
    }
    return unit;
}

std::optional<ExchangedBytes>
UnevenExchanges::Find(RankId rank, uint32_t node) const
{
    const auto found = m_callOf.find({rank, node});
    if (found == m_callOf.end())
    {
        return std::nullopt;
    }
    const Call& call = *found->second;
    if (!call.problem.empty())
    {
        const ExecutionGraph& graph = m_job.GraphOf(rank);
        throw ConfigError(
            graph.Source(),
            fmt::format("node {} ({}): {}", graph.Node(node).id, graph.Name(node), call.problem));
    }
    return call.type == CollectiveType::AllToAll ? FindParts(call, rank) : FindSums(call, rank);
}

ExchangedBytes
UnevenExchanges::FindParts(const Call& call, RankId rank) const
{
    const std::vector<RankId>& ranks = MembersOf(call);
    const auto own = static_cast<uint32_t>(std::ranges::find(ranks, rank) - ranks.begin());
    ExchangedBytes bytes{.unit = call.unit};
    for (uint32_t place = 0; place < ranks.size(); ++place)
    {
        bytes.sends.push_back(SentBytes(call, rank, place));
        bytes.receives.push_back(SentBytes(call, ranks[place], own));
    }
    bytes.in = std::reduce(bytes.sends.begin(), bytes.sends.end());
    bytes.out = std::reduce(bytes.receives.begin(), bytes.receives.end());
    return bytes;
}

ExchangedBytes
UnevenExchanges::FindSums(const Call& call, RankId rank) const
{
    ExchangedBytes bytes{.in = BytesOf(rank, call.nodes.at(rank)), .unit = call.unit};
    for (const RankId member : MembersOf(call))
    {
        bytes.out += BytesOf(member, call.nodes.at(member));
    }
    if (call.type == CollectiveType::Scatter)
    {
        std::swap(bytes.in, bytes.out); // a member's size is what it gets
    }
    return bytes;
}

const std::vector<RankId>&
UnevenExchanges::MembersOf(const Call& call) const
{
    return m_job.communicators[call.group.value].ranks;
}

} // namespace nadi
