// SPDX-License-Identifier: GPL-2.0-only
// Does routing find the best ways over whatever links are alive?
#include "network/make-routing.h"
#include "network/shortest-path-routing.h"
#include "network/stack-topology.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

using Cost = std::pair<uint64_t, uint64_t>; // other NPUs in transit, routing costs of the links
const Cost NO_WAY{1'000'000, 0};

struct FailureCase
{
    Topology topology;
    std::vector<LinkId> failed;
};

/// A connected topology of up to ten NPUs and eight switches with random links, some of them
/// parallel or of a higher cost, of which a few have failed, perhaps in one direction only.
FailureCase
MakeRandomFailure(std::mt19937& random)
{
    FailureCase made;
    Topology& topology = made.topology;
    const auto npus = static_cast<uint32_t>(2 + random() % 9);
    const auto vertices = static_cast<uint32_t>(npus + random() % 9);
    for (uint32_t i = 0; i < vertices; ++i)
    {
        topology.AddVertex(i < npus ? VertexKind::Npu : VertexKind::Switch, std::to_string(i));
    }
    const auto join = [&](uint32_t from, uint32_t to)
    {
        const RoutingCost routingCost{
            .transitNpus = static_cast<uint32_t>(random() % 4 / 3),
            .links = static_cast<uint32_t>(1 + random() % 4 / 2 * (random() % 3))};
        topology.AddCostlyLink(VertexId{from},
                               VertexId{to},
                               {Bandwidth::FromBitsPerSecond(1), SimTime{}},
                               routingCost);
    };
    for (uint32_t i = 1; i < vertices; ++i)
    {
        join(i, static_cast<uint32_t>(random() % i));
    }
    for (uint32_t i = 0; i < vertices; ++i)
    {
        const auto other = static_cast<uint32_t>(random() % vertices);
        if (other != i)
        {
            join(i, other);
        }
    }
    for (uint64_t i = random() % 8; i > 0; --i)
    {
        made.failed.push_back(LinkId{static_cast<uint32_t>(random() % topology.LinkCount())});
    }
    return made;
}

bool
HasFailed(const FailureCase& made, LinkId link)
{
    return std::find(made.failed.begin(), made.failed.end(), link) != made.failed.end();
}

/// What a way costs that starts with `link` and goes on from its end at the cost of `onward`.
Cost
CostThrough(const FailureCase& made, const TopologyLink& link, VertexId destination, Cost onward)
{
    const bool isTransit = link.to != destination && link.to.value < made.topology.NpuCount();
    return {onward.first + link.routingCost.transitNpus + (isTransit ? 1 : 0),
            onward.second + link.routingCost.links};
}

/// The least costs to `destination` by vertex: Bellman and Ford's rounds over all links, until no
/// cost changes.
std::vector<Cost>
FindCosts(const FailureCase& made, VertexId destination)
{
    std::vector<Cost> costs(made.topology.VertexCount(), NO_WAY);
    costs[destination.value] = {0, 0};
    for (bool hasChanged = true; hasChanged;)
    {
        hasChanged = false;
        for (LinkId id{0}; id.value < made.topology.LinkCount(); ++id.value)
        {
            const TopologyLink& link = made.topology.Link(id);
            const Cost onward = costs[link.to.value];
            const Cost cost = CostThrough(made, link, destination, onward);
            if (!HasFailed(made, id) && onward != NO_WAY && cost < costs[link.from.value])
            {
                costs[link.from.value] = cost;
                hasChanged = true;
            }
        }
    }
    return costs;
}

/// The links that keep to a least cost.
std::vector<LinkId>
FindBestLinks(const FailureCase& made,
              const std::vector<Cost>& costs,
              VertexId at,
              VertexId destination)
{
    std::vector<LinkId> links;
    for (const LinkId id : made.topology.LinksFrom(at))
    {
        const TopologyLink& link = made.topology.Link(id);
        const Cost onward = costs[link.to.value];
        if (!HasFailed(made, id) && onward != NO_WAY &&
            CostThrough(made, link, destination, onward) == costs[at.value])
        {
            links.push_back(id);
        }
    }
    return links;
}

/// Calls `visit(at, destination)` for every vertex and NPU.
template <class Visit>
void
ForEachPair(const Topology& topology, Visit visit)
{
    for (VertexId destination{0}; destination.value < topology.NpuCount(); ++destination.value)
    {
        for (VertexId at{0}; at.value < topology.VertexCount(); ++at.value)
        {
            if (at != destination)
            {
                visit(at, destination);
            }
        }
    }
}

} // namespace

TEST_CASE("ShortestPathRouting: offers all links of the best ways alive, and nothing where there "
          "is none",
          "[property][network]")
{
    std::mt19937 random(11);
    uint32_t withoutWay = 0;
    for (uint32_t round = 0; round < 300; ++round)
    {
        INFO("round " << round);
        const FailureCase made = MakeRandomFailure(random);
        const ShortestPathRouting routing(made.topology, made.failed);
        ForEachPair(made.topology,
                    [&](VertexId at, VertexId destination)
                    {
                        const std::vector<Cost> costs = FindCosts(made, destination);
                        const auto links = routing.FindNextLinks(at, destination);
                        REQUIRE(links == FindBestLinks(made, costs, at, destination));
                        REQUIRE(links.empty() == (costs[at.value] == NO_WAY));
                        withoutWay += links.empty() ? 1 : 0;
                    });
    }
    CHECK(withoutWay > 100);
}

TEST_CASE("ShortestPathRouting: forgotten answers are worked out again, to the same",
          "[property][network]")
{
    std::mt19937 random(12);
    for (uint32_t round = 0; round < 50; ++round)
    {
        INFO("round " << round);
        const FailureCase made = MakeRandomFailure(random);
        const ShortestPathRouting routing(made.topology, made.failed);
        const uint64_t tables = round % 3; // none is taken as one
        const ShortestPathRouting forgetful(
            made.topology, made.failed, tables * made.topology.VertexCount());
        for (uint32_t i = 0; i < 200; ++i)
        {
            const VertexId at{static_cast<uint32_t>(random() % made.topology.VertexCount())};
            const VertexId to{static_cast<uint32_t>(random() % made.topology.NpuCount())};
            REQUIRE((at == to || routing.FindNextLinks(at, to) == forgetful.FindNextLinks(at, to)));
        }
    }
}

TEST_CASE("MakeRouting: with a failed link in a stack no way crosses it, and none is shorter",
          "[property][network]")
{
    uint32_t longer = 0;
    for (const auto& stack : MakeStackSamples())
    {
        INFO(DescribeStack(stack));
        const Topology topology = MakeStackTopology(stack);
        if (topology.LinkCount() == 0)
        {
            continue;
        }
        const LinkId failed{topology.LinkCount() / 4 * 2};
        const auto before = MakeRouting(topology);
        const auto after = MakeRouting(topology, {failed, topology.Link(failed).reverse});
        for (uint32_t pair = 0; pair < topology.NpuCount() * topology.NpuCount(); ++pair)
        {
            const VertexId from{pair / topology.NpuCount()};
            const VertexId to{pair % topology.NpuCount()};
            if (from == to)
            {
                continue;
            }
            if (after->FindNextLinks(from, to).empty())
            {
                continue;
            }
            const auto path = after->FindPath(from, to, pair, 0);
            REQUIRE(std::find(path.begin(), path.end(), failed) == path.end());
            const size_t shortest = before->FindPath(from, to, pair, 0).size();
            REQUIRE(path.size() >= shortest);
            longer += path.size() > shortest ? 1 : 0;
        }
    }
    CHECK(longer > 100);
}
