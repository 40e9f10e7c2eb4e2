// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/analysis/expert-exchanges.h"

#include "workload/tools/structure/layer-spans.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

using ExchangeKey = std::pair<uint32_t, uint64_t>; // communicator, number of the call

/// `calls`: how many all-to-alls of each communicator the rank has made so far.
void
AddExchange(const Workload& workload,
            uint32_t rank,
            uint32_t index,
            std::map<uint32_t, uint64_t>& calls,
            std::map<ExchangeKey, ExpertExchange>& exchanges)
{
    const ExecutionGraph& graph = workload.GraphOf(RankId{rank});
    const CommunicatorId id = workload.communicatorOfGroup[rank][graph.Node(index).group];
    // Calls without splits are counted too, so that equal numbers mean one call on all ranks.
    const uint64_t call = calls[id.value]++;
    const SharedSplits splits = graph.SplitsOf(index);
    const std::vector<RankId>& members = workload.communicators[id.value].ranks;
    // Splits that do not fit the group tell nothing.
    if (!splits || splits->sends.size() != members.size())
    {
        return;
    }
    ExpertExchange& exchange = exchanges[{id.value, call}];
    // Ranks come in ascending order, so the first one with splits is the lowest.
    if (exchange.received.empty())
    {
        exchange.rank = rank;
        exchange.node = index;
        exchange.name = graph.Name(index);
        exchange.received.resize(members.size());
        for (const RankId member : members)
        {
            exchange.ranks.push_back(member.value);
        }
    }
    for (size_t member = 0; member < members.size(); ++member)
    {
        exchange.received[member] += splits->sends[member];
    }
}

/// Where a task of a pass stands.
struct ExchangePlace
{
    std::optional<uint32_t> layer; // nothing: before or after the layers
    bool isForward = true;
};

/// The tasks of all passes of a rank, by node.
std::map<uint32_t, ExchangePlace>
ListExchangePlaces(const RankStructure& rank)
{
    std::map<uint32_t, ExchangePlace> places;
    for (const LayerRunPass& pass : rank.passes)
    {
        const auto add = [&](const TaskList& tasks, std::optional<uint32_t> layer)
        {
            for (const uint32_t task : tasks)
            {
                places[task] = {layer, pass.isForward};
            }
        };
        add(pass.before, std::nullopt);
        for (const LayerPass& layer : pass.layers)
        {
            add(layer.tasks, layer.layer);
            add(layer.extra, layer.layer);
        }
        add(pass.after, std::nullopt);
    }
    return places;
}

} // namespace

std::vector<ExpertExchange>
FindExpertExchanges(const Workload& workload)
{
    std::map<ExchangeKey, ExpertExchange> exchanges;
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = workload.GraphOf(RankId{rank});
        std::map<uint32_t, uint64_t> calls;
        // Calls are numbered in this order.
        for (const uint32_t index : graph.TopologicalOrder())
        {
            const ExecutionNode& node = graph.Node(index);
            if (node.type == NodeType::Collective && node.collective == CollectiveType::AllToAll)
            {
                AddExchange(workload, rank, index, calls, exchanges);
            }
        }
    }
    std::vector<ExpertExchange> list;
    for (auto& [key, exchange] : exchanges)
    {
        exchange.gini = ComputeGini(exchange.received);
        list.push_back(std::move(exchange));
    }
    return list;
}

void
PlaceExchanges(const JobStructure& structure, std::vector<ExpertExchange>& exchanges)
{
    std::map<uint32_t, std::map<uint32_t, ExchangePlace>>
        placesOf; // by the rank that has the lists
    for (ExpertExchange& exchange : exchanges)
    {
        if (!structure.HasLayers())
        {
            exchange.layer = FindLayerNumber(exchange.name);
            continue;
        }
        // Ranks of equal tasks share the lists of one of them. A map is made of each list once.
        const uint32_t lists = structure.ranks[exchange.rank].sameAs;
        const auto [known, isNew] = placesOf.try_emplace(lists);
        if (isNew)
        {
            known->second = ListExchangePlaces(structure.ranks[lists]);
        }
        if (const auto place = known->second.find(exchange.node); place != known->second.end())
        {
            exchange.layer = place->second.layer;
            exchange.isForward = place->second.isForward;
        }
    }
}

/// sum over i of (2 i - n + 1) x_i / (n sum x), the x_i in ascending order from i = 0.
double
ComputeGini(std::vector<uint64_t> values)
{
    std::ranges::sort(values);
    const auto count = static_cast<double>(values.size());
    double weighted = 0;
    double sum = 0;
    for (size_t i = 0; i < values.size(); ++i)
    {
        weighted += (2 * static_cast<double>(i) - count + 1) * static_cast<double>(values[i]);
        sum += static_cast<double>(values[i]);
    }
    return sum == 0 ? 0 : weighted / (count * sum);
}

} // namespace nadi
