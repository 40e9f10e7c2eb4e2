// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/expert-group.h"

#include <memory>
#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

/// Copies that each rank sends to each, by source.
using CopyMatrix = std::vector<std::vector<uint64_t>>;

SharedSplits
MakeSplits(const std::vector<uint64_t>& copies, uint64_t bytesOfCopy)
{
    ExchangeSplits splits;
    for (const uint64_t count : copies)
    {
        splits.sends.push_back(count * bytesOfCopy);
    }
    return std::make_shared<const ExchangeSplits>(std::move(splits));
}

std::vector<uint64_t>
ColumnOf(const CopyMatrix& copies, size_t destination)
{
    std::vector<uint64_t> column;
    for (const std::vector<uint64_t>& row : copies)
    {
        column.push_back(row[destination]);
    }
    return column;
}

} // namespace

RoutedGroup
RouteExpertGroup(const ExpertGroup& group, uint64_t layer, ExpertCounts& counts)
{
    // The router knows layers with experts only.
    const uint64_t expertLayer = layer - group.model.shape.denseLayers;
    RoutedGroup result;
    CopyMatrix copies;
    std::vector<uint64_t> bySlot(group.router.Slots(expertLayer).expertOf.size());
    const uint64_t ofGroup = std::accumulate(group.tokens.begin(), group.tokens.end(), uint64_t{0});
    uint64_t before = 0;
    for (uint32_t i = 0; i < group.ranks.size(); ++i)
    {
        RoutedTokens routed = group.router.Route(
            group.iteration,
            expertLayer,
            {.rank = group.ranks[i].value, .place = i, .before = before, .ofGroup = ofGroup},
            group.tokens[i]);
        before += group.tokens[i];
        for (size_t slot = 0; slot < bySlot.size(); ++slot)
        {
            bySlot[slot] += routed.bySlot[slot];
        }
        result.isOffTrace = result.isOffTrace || routed.isOffTrace;
        copies.push_back(std::move(routed.byRank));
    }
    // A rank computes what all ranks of the group send to it, so all of them are routed by now.
    const std::vector<uint64_t> computed = group.router.TokensByRank(expertLayer, bySlot);
    const std::vector<uint32_t> distinct = group.router.DistinctExperts(expertLayer, bySlot);
    counts.AddToExperts(layer, group.router.ByExpert(expertLayer, bySlot));
    for (size_t i = 0; i < group.ranks.size(); ++i)
    {
        counts.AddToRank(layer, group.ranks[i], computed[i]);
        // A rank sends to each other one as many results as copies came from there.
        const std::vector<uint64_t> received = ColumnOf(copies, i);
        result.traffic.push_back(
            {.copies = std::accumulate(copies[i].begin(), copies[i].end(), uint64_t{0}),
             .load = {.copies = computed[i], .distinct = distinct[i]},
             .dispatch = MakeSplits(copies[i], group.model.DispatchBytesOfToken()),
             .combine = MakeSplits(received, group.model.CombineBytesOfToken()),
             .results = std::accumulate(received.begin(), received.end(), uint64_t{0})});
    }
    return result;
}

} // namespace nadi
