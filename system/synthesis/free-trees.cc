// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/free-trees.h"

#include "common/check.h"
#include "system/synthesis/replay.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace nadi::synthesis
{

std::optional<FreeTrees>
FreeTrees::Find(const RouteModel& model)
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> wayOf;
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        wayOf[{model.At(way).from, model.At(way).to}] = way;
    }
    FreeTrees trees(model);
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        const auto opposite = wayOf.find({model.At(way).to, model.At(way).from});
        if (opposite == wayOf.end())
        {
            return std::nullopt;
        }
        trees.m_opposites.push_back(opposite->second);
    }
    return trees;
}

std::vector<FreeTree>
FreeTrees::Pack(const MessageTimes& times, uint32_t count, uint32_t centre)
{
    m_loads.assign(m_model->LinkCount(), 0);
    // Loads are compared in steps of the shortest time of a message, so that small differences do
    // not keep Grow from a shallow tree. A tall tree needs more chunks before all its links are
    // busy.
    m_grain = INT64_MAX;
    for (uint32_t way = 0; way < m_model->WayCount(); ++way)
    {
        m_grain = std::min(m_grain, times.Busy(way));
    }
    std::vector<FreeTree> trees;
    for (uint32_t tree = 0; tree < count; ++tree)
    {
        const std::vector<uint32_t> edges = Grow(centre);
        Load(times, edges);
        trees.push_back(Hang(edges));
    }
    return trees;
}

SimTime
FreeTrees::MostLoad() const
{
    return m_loads.empty() ? SimTime()
                           : SimTime::FromPs(*std::max_element(m_loads.begin(), m_loads.end()));
}

/// Prim's algorithm: the edge with the least load that leads to a new rank; of equal ones that at
/// the rank nearest to the begin.
std::vector<uint32_t>
FreeTrees::Grow(uint32_t begin) const
{
    using Entry = std::tuple<int64_t, uint32_t, uint32_t>; // load, depth, way
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::vector<uint32_t> depths(m_model->RankCount(), UINT32_MAX);
    std::vector<uint32_t> edges;
    const auto reach = [&](uint32_t rank, uint32_t depth)
    {
        depths[rank] = depth;
        for (const uint32_t way : m_model->WaysFrom(rank))
        {
            queue.emplace(LoadOf(way) / m_grain, depth + 1, way);
        }
    };
    reach(begin, 0);
    while (!queue.empty())
    {
        const auto [load, depth, way] = queue.top();
        queue.pop();
        if (depths[m_model->At(way).to] == UINT32_MAX)
        {
            edges.push_back(way);
            reach(m_model->At(way).to, depth);
        }
    }
    NADI_CHECK(edges.size() + 1 == m_model->RankCount());
    return edges;
}

int64_t
FreeTrees::LoadOf(uint32_t way) const
{
    int64_t load = 0;
    for (const uint32_t one : {way, m_opposites[way]})
    {
        for (const WayHop& hop : m_model->HopsOf(one))
        {
            load = std::max(load, m_loads[hop.link]);
        }
    }
    return load;
}

void
FreeTrees::Load(const MessageTimes& times, const std::vector<uint32_t>& edges)
{
    for (const uint32_t edge : edges)
    {
        for (const uint32_t way : {edge, m_opposites[edge]})
        {
            size_t hop = m_model->At(way).firstHop;
            for (const WayHop& at : m_model->HopsOf(way))
            {
                m_loads[at.link] += times.OnHop(hop++);
            }
        }
    }
}

/// The path from `from` to the rank that is the most edges away, as ranks.
std::vector<uint32_t>
FreeTrees::FindFarthest(const std::vector<std::vector<uint32_t>>& edgesOf, uint32_t from) const
{
    std::vector<uint32_t> parents(edgesOf.size(), UINT32_MAX);
    std::vector<uint32_t> queue{from};
    parents[from] = from;
    for (size_t at = 0; at < queue.size(); ++at)
    {
        for (const uint32_t way : edgesOf[queue[at]])
        {
            const uint32_t to = m_model->At(way).to;
            if (parents[to] == UINT32_MAX)
            {
                parents[to] = queue[at];
                queue.push_back(to);
            }
        }
    }
    // The search is breadth first, so the last rank that it reached is the farthest.
    std::vector<uint32_t> path{queue.back()};
    while (path.back() != from)
    {
        path.push_back(parents[path.back()]);
    }
    return path;
}

/// Roots the tree in the middle of its longest path.
FreeTree
FreeTrees::Hang(const std::vector<uint32_t>& edges) const
{
    std::vector<std::vector<uint32_t>> edgesOf(m_model->RankCount());
    for (const uint32_t edge : edges)
    {
        edgesOf[m_model->At(edge).from].push_back(edge);
        edgesOf[m_model->At(edge).to].push_back(m_opposites[edge]);
    }
    // In a tree, the rank that is farthest from any given rank is an end of a longest path, and the
    // rank that is farthest from that end is the other end.
    const uint32_t end = FindFarthest(edgesOf, 0).front();
    const std::vector<uint32_t> longest = FindFarthest(edgesOf, end);
    FreeTree tree{.root = longest[longest.size() / 2], .ways = {}};
    std::vector<bool> isReached(m_model->RankCount(), false);
    std::vector<uint32_t> queue{tree.root};
    isReached[tree.root] = true;
    for (size_t at = 0; at < queue.size(); ++at)
    {
        for (const uint32_t way : edgesOf[queue[at]])
        {
            const uint32_t to = m_model->At(way).to;
            if (!isReached[to])
            {
                isReached[to] = true;
                queue.push_back(to);
                tree.ways.push_back(way);
            }
        }
    }
    return tree;
}

Attempt
ReduceOverTrees(
    const GroupRoutes& routes, FreeTrees trees, uint32_t count, Bytes size, uint32_t centre)
{
    const RouteModel& model = routes.forward;
    const MessageTimes times(model, routes.costs, size);
    Schedule listed;
    uint32_t chunk = 0;
    for (const FreeTree& tree : trees.Pack(times, count, centre))
    {
        // The ways are listed from the root outwards. In the opposite order each rank has all sums
        // from farther out before it sends its own. In this order each rank has the result before
        // it passes the result on.
        for (auto way = tree.ways.rbegin(); way != tree.ways.rend(); ++way)
        {
            listed.push_back(MakeReduction(trees.OppositeOf(*way), chunk));
        }
        for (const uint32_t way : tree.ways)
        {
            listed.push_back(MakeCopy(way, chunk));
        }
        ++chunk;
    }
    // The list has all messages of a chunk before those of the next, which would leave links idle.
    // The first replay lets later chunks use idle links, and gives the order of the lanes. The
    // second replay times the program that has this order. Waits name messages by their index in
    // the schedule, so each of the two orders has its own waits.
    const TransferWaits listedWaits(model, listed, count, ChunkFlow::Spread);
    Schedule hurried = Replay(model, times, listed, listedWaits).Run(WayOrder::Free).schedule;
    const TransferWaits waits(model, hurried, count, ChunkFlow::Spread);
    Replayed replayed = Replay(model, times, hurried, waits).Run(WayOrder::Kept);
    return {.schedule = std::move(replayed.schedule),
            .chunks = count,
            .flow = ChunkFlow::Spread,
            .predicted = replayed.end};
}

} // namespace nadi::synthesis
