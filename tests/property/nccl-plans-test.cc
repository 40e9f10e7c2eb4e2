// SPDX-License-Identifier: GPL-2.0-only
// Do the plans of the library keep their collectives' promises on nodes of any shape?
#include "system/library/nccl/chain-kernel.h"
#include "system/library/nccl/node-exchange.h"
#include "system/library/nccl/nvls-tree-kernel.h"
#include "system/library/nccl/rail-exchange.h"
#include "system/library/nccl/ring-kernel.h"
#include "system/library/nccl/tree-kernel.h"
#include "tests/support/symbolic-promise.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

using namespace nadi;
using namespace nadi::nccl;

namespace
{

constexpr uint32_t NPUS_PER_NODE = 8;

/// The first `local` NPUs of each of `nodes`.
Placement
PlaceOn(uint32_t nodes, uint32_t local)
{
    std::vector<RankId> ranks;
    for (uint32_t node = 0; node < nodes; ++node)
    {
        for (uint32_t place = 0; place < local; ++place)
        {
            ranks.push_back(RankId{node * NPUS_PER_NODE + place});
        }
    }
    return Placement(ranks, NodeSeats(NPUS_PER_NODE));
}

/// Nodes of 3, 1 and 2 members, not in the order of the ranks.
Placement
PlaceUnevenly()
{
    return Placement({RankId{17}, RankId{0}, RankId{2}, RankId{9}, RankId{1}, RankId{16}},
                     NodeSeats(NPUS_PER_NODE));
}

/// Nodes of 8 and 4 members.
Placement
PlaceInPart()
{
    std::vector<RankId> ranks;
    for (uint32_t rank = 0; rank < NPUS_PER_NODE + NPUS_PER_NODE / 2; ++rank)
    {
        ranks.push_back(RankId{rank});
    }
    return Placement(ranks, NodeSeats(NPUS_PER_NODE));
}

/// As PlaceOn, but the list of members goes from node to node.
Placement
PlaceAlternating(uint32_t nodes, uint32_t local)
{
    std::vector<RankId> ranks;
    for (uint32_t place = 0; place < local; ++place)
    {
        for (uint32_t node = 0; node < nodes; ++node)
        {
            ranks.push_back(RankId{node * NPUS_PER_NODE + place});
        }
    }
    return Placement(ranks, NodeSeats(NPUS_PER_NODE));
}

struct NodeShape
{
    Placement placement;
    NodeLinks links;
};

std::vector<NodeShape>
AllNodeShapes()
{
    std::vector<NodeShape> shapes{{PlaceUnevenly(), {}},
                                  {PlaceInPart(), {}},
                                  {PlaceInPart(), {.npusPerNic = 2}},
                                  {PlaceOn(1, 8), {.wiring = NodeWiring::HybridCubeMesh}}};
    for (uint32_t local = 2; local <= 8; ++local)
    {
        shapes.push_back({PlaceOn(1, local), {}});
        shapes.push_back({PlaceOn(1, local), {.wiring = NodeWiring::Mesh}});
    }
    for (uint32_t nodes = 2; nodes <= 5; ++nodes)
    {
        shapes.push_back({PlaceOn(nodes, 1), {}});
        shapes.push_back({PlaceOn(nodes, 4), {.npusPerNic = 2}});
        shapes.push_back({PlaceOn(nodes, 3), {}});
        shapes.push_back({PlaceOn(nodes, 3), {.npusPerNic = 2}});
        shapes.push_back({PlaceOn(nodes, 7), {.npusPerNic = 2}});
        shapes.push_back({PlaceOn(nodes, 4), {.wiring = NodeWiring::Mesh}});
        shapes.push_back(
            {PlaceOn(nodes, 8), {.wiring = NodeWiring::HybridCubeMesh, .npusPerNic = 2}});
    }
    return shapes;
}

void
CheckPlans(const CollectiveAlgorithm& algorithm, const NodeShape& shape)
{
    uint32_t seed = 0;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        for (const uint64_t elements : {0U, 1U, 50U})
        {
            if (!algorithm.Supports(type))
            {
                continue;
            }
            const PlanRequest request{.type = type,
                                      .ranks = shape.placement.Size(),
                                      .elements = elements,
                                      .root = shape.placement.Size() - 1};
            const auto plan = algorithm.MakePlan(request);
            const auto problem = symbolic::FindProblem(request, *plan, {++seed, 64});
            INFO(fmt::format("{} on {} ranks of {} nodes, {} elements",
                             ToText(type),
                             request.ranks,
                             shape.placement.NodeCount(),
                             elements));
            CHECK(problem.value_or("") == "");
        }
    }
}

} // namespace

TEST_CASE("Library: rings, trees and chains keep their promises on nodes of any shape",
          "[property][symbolic][nccl]")
{
    for (const NodeShape& shape : AllNodeShapes())
    {
        const std::vector<RingWay> rings = LayRings(shape.placement, shape.links);
        CheckPlans(RingKernel(rings, 1), shape);
        CheckPlans(ChainKernel(rings, 3), shape);
        if (shape.placement.IsRegular())
        {
            CheckPlans(RailExchange(shape.placement, shape.links.npusPerNic), shape);
            CheckPlans(NodeExchange(shape.placement), shape);
        }
        CheckPlans(TreeKernel(LayNodeTrees(shape.placement, shape.links), 3), shape);
    }
}

TEST_CASE("Library: an all-to-all on rails passes by members of the destination's rail alone",
          "[property][symbolic][nccl]")
{
    struct Seats
    {
        std::vector<uint32_t> places; ///< of the first node, then of the second
        uint32_t npusPerNic;
        uint64_t passedOn; ///< parts, by all members
    };

    // Rails 0, 0, 1, 2 in both nodes: to another rail of the other node go 2 members' parts for 2,
    // and those of one member on each of rails 1 and 2 for 3. Two on one rail pass nothing on. Nor
    // do nodes without a rail in common. Of rails 0, 1 and 0, 0 the first node passes on for two.
    for (const auto& [places, npusPerNic, passedOn] : {Seats{{0, 1, 2, 5, 0, 1, 2, 5}, 2, 20},
                                                       Seats{{0, 1, 0, 1}, 2, 0},
                                                       Seats{{0, 1, 0, 1}, 1, 4},
                                                       Seats{{0, 1, 4, 5}, 1, 0},
                                                       Seats{{0, 2, 0, 1}, 2, 2}})
    {
        std::vector<RankId> ranks;
        for (size_t at = 0; at < places.size(); ++at)
        {
            ranks.push_back(RankId{places[at] + (at < places.size() / 2 ? 0 : NPUS_PER_NODE)});
        }
        const Placement placement(ranks, NodeSeats(NPUS_PER_NODE));
        const RailRoutes routes(placement, npusPerNic);
        CAPTURE(places, npusPerNic);
        CHECK(routes.AllPassedOn() == passedOn);
        const auto railOf = [&](uint32_t member)
        { return placement.NpuInNode(member) / npusPerNic; };
        std::set<std::pair<uint32_t, uint32_t>> parts;
        for (uint32_t member = 0; member < placement.Size(); ++member)
        {
            for (uint32_t index = 0; index < routes.PassedOn(member); ++index)
            {
                const auto [from, to] = routes.PartPassedOn(member, index);
                CHECK(parts.emplace(from, to).second);
                CHECK(routes.NextHop(from, to) == member);
                CHECK(routes.LastHop(from, to) == member);
                CHECK(railOf(member) == railOf(to));
                CHECK(railOf(from) != railOf(to));
                CHECK(placement.NodeOf(member) == placement.NodeOf(from));
            }
        }
        CheckPlans(RailExchange(placement, npusPerNic), {placement, {.npusPerNic = npusPerNic}});
    }
}

TEST_CASE("Library: NVLSTree over the switches of nodes keeps its promise in any order of arrival",
          "[property][symbolic][nccl]")
{
    uint32_t seed = 0;
    for (uint32_t nodes = 2; nodes <= 6; ++nodes)
    {
        for (uint32_t local = 2; local <= 4; ++local)
        {
            for (const uint32_t pieces : {1U, 3U})
            {
                for (const Placement& placement :
                     {PlaceOn(nodes, local), PlaceAlternating(nodes, local)})
                {
                    const NvlsTreeKernel kernel(placement, pieces, pieces);
                    for (const uint64_t elements : {0U, 1U, 100U})
                    {
                        const PlanRequest request{.type = CollectiveType::AllReduce,
                                                  .ranks = placement.Size(),
                                                  .elements = elements};
                        const auto plan = kernel.MakePlan(request);
                        for (const uint32_t window : {1U, 3U, 64U})
                        {
                            INFO(fmt::format("{} nodes of {}, {} pieces, {} elements, window {}",
                                             nodes,
                                             local,
                                             pieces,
                                             elements,
                                             window));
                            const auto problem =
                                symbolic::FindProblem(request, *plan, {++seed, window});
                            CHECK(problem.value_or("") == "");
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("Library: no more messages of NVLSTree than LatencySteps wait for one another",
          "[property][symbolic][nccl]")
{
    for (uint32_t nodes = 2; nodes <= 9; ++nodes)
    {
        const Placement placement = PlaceOn(nodes, 3);
        const NvlsTreeKernel kernel(placement, 1, 1);
        const PlanRequest request{.type = CollectiveType::AllReduce,
                                  .ranks = placement.Size(),
                                  .elements = placement.Size()};
        const auto plan = kernel.MakePlan(request);
        symbolic::Execution execution(*plan, symbolic::MakeBuffers(request, *plan), {nodes, 64});
        REQUIRE_FALSE(execution.Run());
        CHECK(execution.LongestChain() <= kernel.LatencySteps(request.type, placement.Size()));
        CHECK(execution.LongestChain() >= 4 + 2); // the switch twice, and a tree up and down
    }
}

TEST_CASE("Library: rings of a node without a switch use each link equally often",
          "[property][nccl]")
{
    for (uint32_t local = 3; local <= 9; ++local)
    {
        const std::vector<RankId> ranks = [&]
        {
            std::vector<RankId> list;
            for (uint32_t rank = 0; rank < local; ++rank)
            {
                list.push_back(RankId{rank});
            }
            return list;
        }();
        const Placement node(ranks, NodeSeats(local));
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> uses;
        for (const RingWay& ring : LayRings(node, {.wiring = NodeWiring::Mesh}))
        {
            for (uint32_t member = 0; member < local; ++member)
            {
                ++uses[{member, ring.Ahead(member, 1)}];
            }
        }
        CHECK(uses.size() == local * (local - 1));
        std::set<uint32_t> counts;
        for (const auto& [link, count] : uses)
        {
            counts.insert(count);
        }
        CHECK(counts.size() == 1);
    }
}

TEST_CASE("Library: rings of a DGX-1 use its doubled links twice as often", "[property][nccl]")
{
    const std::set<std::pair<uint32_t, uint32_t>> doubled{
        {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {4, 7}, {5, 6}, {6, 7}};
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> uses;
    for (const RingWay& ring : LayRings(PlaceOn(1, 8), {.wiring = NodeWiring::HybridCubeMesh}))
    {
        for (uint32_t member = 0; member < 8; ++member)
        {
            ++uses[{member, ring.Ahead(member, 1)}];
        }
    }
    CHECK(uses.size() == 2 * 16);
    for (const auto& [link, count] : uses)
    {
        const auto [low, high] = std::minmax(link.first, link.second);
        CHECK(count == (doubled.contains({low, high}) ? 2U : 1U));
    }
}

TEST_CASE("Library: on a part of a DGX-1, rings go over links that exist, and use none twice",
          "[property][nccl]")
{
    const std::set<std::pair<uint32_t, uint32_t>> doubled{
        {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {4, 7}, {5, 6}, {6, 7}};
    const std::set<std::pair<uint32_t, uint32_t>> single{
        {0, 1}, {0, 2}, {1, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 7}};

    struct Part
    {
        std::vector<RankId> npus;
        size_t rings; ///< both ways
    };

    // NPUs 0, 1, 4, 5 have one link between 0 and 1. Of 0 to 3, NPU 0 has four links and so two
    // rings. NPU 4 has a single link to 5 and only NPU 0 besides; 7 misses no link to 4, 5 or 6.
    for (const auto& [npus, expected] :
         {Part{{RankId{0}, RankId{1}, RankId{4}, RankId{5}}, 1},
          Part{{RankId{0}, RankId{1}, RankId{2}, RankId{3}}, 2},
          Part{{RankId{0}, RankId{1}, RankId{2}, RankId{3}, RankId{4}, RankId{5}}, 1},
          Part{{RankId{7}, RankId{6}, RankId{5}, RankId{4}}, 2}})
    {
        const Placement placement(npus, NodeSeats(NPUS_PER_NODE));
        const std::vector<RingWay> rings =
            LayRings(placement, {.wiring = NodeWiring::HybridCubeMesh});
        CHECK(rings.size() == 2 * expected);
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> uses; // of NPUs
        for (const RingWay& ring : rings)
        {
            for (uint32_t member = 0; member < npus.size(); ++member)
            {
                ++uses[{npus[member].value, npus[ring.Ahead(member, 1)].value}];
            }
        }
        for (const auto& [link, count] : uses)
        {
            const std::pair<uint32_t, uint32_t> pair = std::minmax(link.first, link.second);
            CAPTURE(pair.first, pair.second);
            CHECK(count <= (doubled.contains(pair) ? 2U : single.contains(pair) ? 1U : 0U));
        }
    }
}

TEST_CASE("Library: over several nodes each NIC carries one ring out and one in, on one rail",
          "[property][nccl]")
{
    const uint32_t nodes = GENERATE(2U, 3U, 4U, 5U, 6U, 7U);
    // Members of a node, and those of them that share a NIC.
    const auto [local, npusPerNic] =
        GENERATE(std::pair(8U, 1U), std::pair(8U, 2U), std::pair(3U, 1U), std::pair(7U, 2U));
    CAPTURE(nodes, local, npusPerNic);
    const Placement placement = PlaceOn(nodes, local);
    const std::vector<RingWay> rings = LayRings(placement, {.npusPerNic = npusPerNic});
    CHECK(rings.size() == (local + npusPerNic - 1) / npusPerNic);
    std::set<std::pair<uint32_t, uint32_t>> out; // by node and rail
    for (const RingWay& ring : rings)
    {
        for (uint32_t member = 0; member < placement.Size(); ++member)
        {
            const uint32_t next = ring.Ahead(member, 1);
            if (placement.NodeOf(member) != placement.NodeOf(next))
            {
                const uint32_t rail = placement.NpuInNode(member) / npusPerNic;
                CHECK(rail == placement.NpuInNode(next) / npusPerNic);
                CHECK(out.emplace(placement.NodeOf(member), rail).second);
            }
        }
    }
    CHECK(out.size() == rings.size() * nodes);
}

TEST_CASE("Library: inside nodes with a switch each member carries all rings but one",
          "[property][nccl]")
{
    const uint32_t nodes = GENERATE(2U, 3U, 4U, 5U);
    const uint32_t local = 8;
    const Placement placement = PlaceOn(nodes, local);
    std::map<uint32_t, uint32_t> inside;
    for (const RingWay& ring : LayRings(placement, {}))
    {
        for (uint32_t member = 0; member < placement.Size(); ++member)
        {
            inside[member] += placement.NodeOf(member) == placement.NodeOf(ring.Ahead(member, 1));
        }
    }
    for (const auto& [member, count] : inside)
    {
        CHECK(count == local - 1);
    }
}

TEST_CASE("Library: of unequal nodes and of odd shares of NICs, each NIC carries a ring at most",
          "[property][nccl]")
{
    struct Shape
    {
        Placement placement;
        uint32_t npusPerNic;
        size_t rings;
    };

    for (const auto& [placement, npusPerNic, expected] : {Shape{PlaceInPart(), 1, 4},
                                                          Shape{PlaceInPart(), 2, 2},
                                                          Shape{PlaceOn(2, 3), 2, 2},
                                                          Shape{PlaceUnevenly(), 1, 1}})
    {
        const std::vector<RingWay> rings = LayRings(placement, {.npusPerNic = npusPerNic});
        CHECK(rings.size() == expected);
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> out; // by node and NIC
        for (const RingWay& ring : rings)
        {
            for (uint32_t member = 0; member < placement.Size(); ++member)
            {
                const uint32_t node = placement.NodeOf(member);
                if (node != placement.NodeOf(ring.Ahead(member, 1)))
                {
                    // Members of these nodes stand at the first places, so the index is the place.
                    ++out[{node, placement.IndexInNode(member) / npusPerNic}];
                }
            }
        }
        CHECK(out.size() == expected * placement.NodeCount());
    }
}

TEST_CASE("Library: over several DGX-1, rings and chains go over links that exist",
          "[property][nccl]")
{
    const std::set<std::pair<uint32_t, uint32_t>> doubled{
        {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {4, 7}, {5, 6}, {6, 7}};
    const std::vector<uint32_t> members{0, 1, 2, 3, 4, 5, 6, 7};
    for (uint32_t entry = 0; entry < 8; ++entry)
    {
        const std::vector<uint32_t> path =
            PathThroughNode(members, NodeWiring::HybridCubeMesh, entry);
        REQUIRE(path.size() == 8);
        CHECK(path.front() == entry);
        for (size_t step = 0; step + 1 < path.size(); ++step)
        {
            CHECK(doubled.contains(std::minmax(path[step], path[step + 1])));
        }
    }
}

TEST_CASE("Library: over several DGX-1 each NIC carries one ring out and one in",
          "[property][nccl]")
{
    for (const uint32_t npusPerNic : {1U, 2U, 4U, 8U})
    {
        for (const uint32_t nodes : {2U, 3U, 4U})
        {
            CAPTURE(npusPerNic, nodes);
            const Placement placement = PlaceOn(nodes, 8);
            const std::vector<RingWay> rings = LayRings(
                placement, {.wiring = NodeWiring::HybridCubeMesh, .npusPerNic = npusPerNic});
            REQUIRE(rings.size() == 8 / npusPerNic);
            std::set<std::pair<uint32_t, uint32_t>> out; // by node and NIC
            std::set<std::pair<uint32_t, uint32_t>> in;
            std::map<std::pair<uint32_t, uint32_t>, size_t> uses; // of links
            const auto nicOf = [&](uint32_t member) {
                return std::pair(placement.NodeOf(member),
                                 placement.IndexInNode(member) / npusPerNic);
            };
            for (const RingWay& ring : rings)
            {
                for (uint32_t member = 0; member < placement.Size(); ++member)
                {
                    const uint32_t next = ring.Ahead(member, 1);
                    if (placement.NodeOf(member) == placement.NodeOf(next))
                    {
                        ++uses[{member, next}];
                        continue;
                    }
                    CHECK(out.insert(nicOf(member)).second);
                    CHECK(in.insert(nicOf(next)).second);
                }
            }
            CHECK(out.size() == rings.size() * nodes);
            for (const auto& [link, count] : uses)
            {
                CHECK(count <= (rings.size() + 1) / 2); // half of the rings go each way
            }
        }
    }
}
