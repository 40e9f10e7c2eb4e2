// SPDX-License-Identifier: GPL-2.0-only
#include "network/find-aggregation-trees.h"

#include "common/check.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>

// How the trees are found: a breadth-first search from each switch that computes tells how far away
// the members are. The best switches become roots, except those with slower ways. In the tree of a
// root every member walks towards the root, one step nearer at a time, with ties broken alike for
// all. So ways that have met stay together, and the switches on them that compute are the inner
// nodes.
namespace nadi
{

namespace
{

constexpr uint32_t FAR = std::numeric_limits<uint32_t>::max();

/// How good a root is: the less the better.
struct Reach
{
    uint32_t farthest = 0; ///< links to the farthest member
    uint64_t all = 0;      ///< links to all members, added

    auto operator<=>(const Reach&) const = default;
};

/// Finds the trees of one group.
class TreeFinder
{
  public:
    TreeFinder(const Topology& topology,
               const std::vector<bool>& computes,
               const std::vector<VertexId>& members)
        : m_topology(topology)
        , m_computes(computes)
        , m_members(members)
    {
    }

    AggregationTrees Find(const AggregationLimits& limits);

  private:
    std::vector<uint32_t> MeasureFrom(VertexId root) const;
    std::optional<Reach> FindReach(const std::vector<uint32_t>& distances) const;
    std::vector<VertexId> FindNearRoots() const;
    std::vector<VertexId> FindRoots(uint32_t most) const;
    Bandwidth RateOf(VertexId root) const;
    Bandwidth SumRates(VertexId from, VertexId to) const;
    VertexId StepTowards(VertexId at, const std::vector<uint32_t>& distances) const;
    AggregationTree MakeTree(VertexId root, uint32_t index);
    uint32_t CountLinks(VertexId from, VertexId to) const;
    void MeasureMember(VertexId member, uint32_t root, const std::vector<uint32_t>& distances);
    void MeasureFirstLinks();
    uint32_t CountCopies(uint32_t root) const;

    const Topology& m_topology;
    const std::vector<bool>& m_computes;
    const std::vector<VertexId>& m_members;
    uint32_t m_mostParallel = 1; ///< links between neighbours on a way
    /// By (member, neighbour): the roots to which the links between them lead, by their index.
    std::map<std::pair<VertexId, VertexId>, std::vector<uint32_t>> m_firstLinks;
    AggregationTrees m_found;
};

/// Links to every vertex; FAR: only through NPUs.
std::vector<uint32_t>
TreeFinder::MeasureFrom(VertexId root) const
{
    std::vector<uint32_t> distances(m_topology.VertexCount(), FAR);
    std::queue<VertexId> next({root});
    distances[root.value] = 0;
    for (; !next.empty(); next.pop())
    {
        const VertexId at = next.front();
        // Reached, but not gone through: members are leaves of these trees, and other NPUs take no
        // part.
        if (m_topology.Vertex(at).kind == VertexKind::Npu)
        {
            continue;
        }
        for (const LinkId link : m_topology.LinksFrom(at))
        {
            const VertexId to = m_topology.Link(link).to;
            if (distances[to.value] == FAR)
            {
                distances[to.value] = distances[at.value] + 1;
                next.push(to);
            }
        }
    }
    return distances;
}

/// None: some member is out of reach.
std::optional<Reach>
TreeFinder::FindReach(const std::vector<uint32_t>& distances) const
{
    Reach reach;
    for (const VertexId member : m_members)
    {
        const uint32_t links = distances[member.value];
        if (links == FAR)
        {
            return std::nullopt;
        }
        reach.farthest = std::max(reach.farthest, links);
        reach.all += links;
    }
    return reach;
}

/// All that are equally near, in the order of their numbers.
std::vector<VertexId>
TreeFinder::FindNearRoots() const
{
    std::vector<VertexId> roots;
    std::optional<Reach> best;
    for (VertexId vertex{m_topology.NpuCount()}; vertex.value < m_topology.VertexCount();
         ++vertex.value)
    {
        if (!m_computes[vertex.value])
        {
            continue;
        }
        const std::optional<Reach> reach = FindReach(MeasureFrom(vertex));
        if (!reach || (best && *reach > *best))
        {
            continue;
        }
        if (!best || *reach < *best)
        {
            best = reach;
            roots.clear();
        }
        roots.push_back(vertex);
    }
    return roots;
}

/// Of the slowest edge on the ways of all members.
Bandwidth
TreeFinder::RateOf(VertexId root) const
{
    const std::vector<uint32_t> distances = MeasureFrom(root);
    std::vector<bool> isSeen(m_topology.VertexCount());
    std::optional<Bandwidth> slowest;
    for (VertexId at : m_members)
    {
        // Ways that have met go on together, so each edge is looked at once.
        while (at != root && !isSeen[at.value])
        {
            isSeen[at.value] = true;
            const VertexId next = StepTowards(at, distances);
            const Bandwidth rate = SumRates(at, next);
            slowest = slowest ? std::min(*slowest, rate) : rate;
            at = next;
        }
    }
    NADI_CHECK(slowest);
    return *slowest;
}

/// Of the near ones so many of the fastest, but at most `most`, that they carry most together; in
/// the order of their numbers. The trees share the slices equally, so the slowest sets the pace of
/// all: beside the switch of a node, a leaf that members reach over their NICs would.
std::vector<VertexId>
TreeFinder::FindRoots(uint32_t most) const
{
    const std::vector<VertexId> near = FindNearRoots();
    std::vector<int64_t> rates;
    rates.reserve(near.size());
    for (const VertexId root : near)
    {
        rates.push_back(RateOf(root).BitsPerSecond());
    }
    std::vector<int64_t> fastestFirst = rates;
    std::ranges::sort(fastestFirst, std::greater());
    double best = 0;
    int64_t least = 0; // of the roots that are taken
    for (size_t i = 0; i < std::min<size_t>(fastestFirst.size(), most); ++i)
    {
        const double together = static_cast<double>(fastestFirst[i]) * static_cast<double>(i + 1);
        if (together > best)
        {
            best = together;
            least = fastestFirst[i];
        }
    }
    std::vector<VertexId> roots;
    for (size_t i = 0; i < near.size() && roots.size() < most; ++i)
    {
        if (rates[i] >= least)
        {
            roots.push_back(near[i]);
        }
    }
    return roots;
}

/// The next vertex on the way to the root, which is no NPU. The choice depends on `at` and the
/// distances alone, so two ways that meet go on together. Requires: `at` is within reach, and not
/// the root.
VertexId
TreeFinder::StepTowards(VertexId at, const std::vector<uint32_t>& distances) const
{
    std::optional<VertexId> best;
    for (const LinkId link : m_topology.LinksFrom(at))
    {
        const VertexId to = m_topology.Link(link).to;
        const bool isNearer = distances[to.value] + 1 == distances[at.value];
        if (!isNearer || m_topology.Vertex(to).kind == VertexKind::Npu)
        {
            continue;
        }
        const auto isBefore = [this](VertexId a, VertexId b) {
            return m_computes[a.value] != m_computes[b.value] ? m_computes[a.value]
                                                              : a.value < b.value;
        };
        best = !best || isBefore(to, *best) ? to : *best;
    }
    NADI_CHECK(best);
    return *best;
}

/// Of all links between two neighbours.
Bandwidth
TreeFinder::SumRates(VertexId from, VertexId to) const
{
    Bandwidth rate;
    for (const LinkId link : m_topology.LinksFrom(from))
    {
        if (m_topology.Link(link).to == to)
        {
            rate = rate + m_topology.Link(link).bandwidth;
        }
    }
    return rate;
}

/// From one of two neighbours to the other.
uint32_t
TreeFinder::CountLinks(VertexId from, VertexId to) const
{
    const std::vector<LinkId>& links = m_topology.LinksFrom(from);
    return static_cast<uint32_t>(
        std::ranges::count_if(links, [&](LinkId link) { return m_topology.Link(link).to == to; }));
}

/// Notes how long a slice takes from a member to the root with that index.
void
TreeFinder::MeasureMember(VertexId member, uint32_t root, const std::vector<uint32_t>& distances)
{
    SimTime latency;
    double nanosecondsPerByte = 0;
    for (VertexId at = member; distances[at.value] > 0;)
    {
        const VertexId next = StepTowards(at, distances);
        m_mostParallel = std::max(m_mostParallel, CountLinks(at, next));
        if (at == member)
        {
            m_firstLinks[{member, next}].push_back(root);
        }
        // Copies of the tree take the parallel links in turn, so the worst of them counts.
        SimTime longest;
        double slowest = 0;
        for (const LinkId link : m_topology.LinksFrom(at))
        {
            const TopologyLink& parallel = m_topology.Link(link);
            if (parallel.to == next)
            {
                longest = std::max(longest, parallel.latency);
                slowest = std::max(slowest,
                                   8e9 / static_cast<double>(parallel.bandwidth.BitsPerSecond()));
            }
        }
        latency += longest;
        nanosecondsPerByte += slowest;
        at = next;
    }
    m_found.roundTrip = std::max(m_found.roundTrip, latency * 2);
    m_found.nanosecondsPerByte = std::max(m_found.nanosecondsPerByte, nanosecondsPerByte);
}

/// Trees of the root with that index that were kept.
uint32_t
TreeFinder::CountCopies(uint32_t root) const
{
    const auto trees = static_cast<uint32_t>(m_found.trees.size());
    const uint32_t before = root * m_mostParallel;
    return trees > before ? std::min(trees - before, m_mostParallel) : 0;
}

/// A member sends over the links to all roots at once. The trees of a root take the parallel links
/// to a neighbour in turn, and those on the same link alternate between their slices.
void
TreeFinder::MeasureFirstLinks()
{
    std::map<VertexId, Bandwidth> rates;
    for (const auto& [ends, roots] : m_firstLinks)
    {
        const auto [member, neighbour] = ends;
        rates[member] = rates[member] + SumRates(member, neighbour);
        // The sum of a member is complete at its last neighbour. Before that it is smaller, so the
        // maximum is not wrong.
        m_found.memberRate = std::max(m_found.memberRate, rates[member]);
        uint32_t trees = 0;
        for (const uint32_t root : roots)
        {
            trees += CountCopies(root);
        }
        const uint32_t links = CountLinks(member, neighbour);
        m_found.treesOnLink = std::max(m_found.treesOnLink, (trees + links - 1) / links);
    }
}

/// The inner nodes are the switches on the ways that compute. Messages only pass through the
/// others. Switches are numbered after the members, in the order in which the ways of the members
/// meet them.
AggregationTree
TreeFinder::MakeTree(VertexId root, uint32_t index)
{
    const std::vector<uint32_t> distances = MeasureFrom(root);
    std::vector<VertexId> switches;
    std::vector<std::optional<uint32_t>> parents(m_members.size());
    std::vector<uint32_t> nodeOf(m_topology.VertexCount(), FAR);
    const auto find = [&](VertexId vertex)
    {
        if (nodeOf[vertex.value] == FAR)
        {
            nodeOf[vertex.value] = static_cast<uint32_t>(parents.size());
            switches.push_back(vertex);
            parents.emplace_back();
        }
        return nodeOf[vertex.value];
    };
    for (uint32_t member = 0; member < m_members.size(); ++member)
    {
        MeasureMember(m_members[member], index, distances);
        uint32_t node = member;
        for (VertexId at = m_members[member]; at != root;)
        {
            at = StepTowards(at, distances);
            if (m_computes[at.value])
            {
                const uint32_t above = find(at);
                // Several members may write this parent, but always the same node, as ways that
                // have met stay together.
                parents[node] = above;
                node = above;
            }
        }
    }
    return {static_cast<uint32_t>(m_members.size()), std::move(switches), parents};
}

AggregationTrees
TreeFinder::Find(const AggregationLimits& limits)
{
    std::vector<AggregationTree> ofRoots;
    uint32_t depth = 0;
    // No more than are asked for, as each tree costs a walk for each member, and in a large network
    // every switch of the top tier may be a root.
    for (const VertexId root : FindRoots(limits.mostTrees))
    {
        ofRoots.push_back(MakeTree(root, static_cast<uint32_t>(ofRoots.size())));
        depth = std::max(depth, ofRoots.back().Depth());
    }
    // How many parallel links there are is known only after all ways were walked. The copies of a
    // tree lie side by side, as their number tells which link they keep to.
    for (const AggregationTree& tree : ofRoots)
    {
        m_found.trees.insert(m_found.trees.end(), m_mostParallel, tree);
    }
    if (m_found.trees.size() > limits.mostTrees)
    {
        m_found.trees.erase(m_found.trees.begin() + limits.mostTrees, m_found.trees.end());
    }
    MeasureFirstLinks();
    // The root passes a slice on once, the others twice.
    m_found.roundTrip += limits.switchLatency * (depth > 0 ? 2 * depth - 1 : 0);
    return std::move(m_found);
}

} // namespace

AggregationTrees
FindAggregationTrees(const Topology& topology,
                     const std::vector<bool>& computes,
                     const std::vector<VertexId>& members,
                     const AggregationLimits& limits)
{
    NADI_CHECK(members.size() > 1 && computes.size() == topology.VertexCount());
    return TreeFinder(topology, computes, members).Find(limits);
}

} // namespace nadi
