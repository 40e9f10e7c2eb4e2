// SPDX-License-Identifier: GPL-2.0-only
// The bounds of cuts on random networks, against all their cuts.
#include "network/exchange-bounds.h"
#include "network/narrowest-cut.h"
#include "network/throughput-cut.h"
#include "tests/support/case-count.h"
#include "tests/support/draws.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Amount = CutGraph::Amount;

/// Up to 10 vertices, connected: NPUs and switches, parallel links, unequal directions.
struct CutCase
{
    Topology topology;
    std::vector<VertexId> members; // two or more, in any order
};

Bandwidth
DrawRate(Draws& draws)
{
    const uint64_t unit = draws.Below(4) == 0 ? 1'000'000 : 1;
    return Bandwidth::FromBitsPerSecond(static_cast<int64_t>((1 + draws.Below(9)) * unit));
}

void
DrawLink(Topology& topology, Draws& draws, uint32_t from, uint32_t to)
{
    const LinkRate forth{DrawRate(draws), SimTime{}};
    const LinkRate back{draws.Below(2) == 0 ? forth.bandwidth : DrawRate(draws), SimTime{}};
    topology.AddUnequalLink(VertexId{from}, VertexId{to}, forth, back);
}

CutCase
DrawCutCase(uint64_t seed)
{
    Draws draws(seed);
    CutCase drawn;
    const auto vertices = static_cast<uint32_t>(3 + draws.Below(8));
    const auto npus = static_cast<uint32_t>(2 + draws.Below(vertices - 1));
    for (uint32_t vertex = 0; vertex < vertices; ++vertex)
    {
        drawn.topology.AddVertex(vertex < npus ? VertexKind::Npu : VertexKind::Switch,
                                 "v" + std::to_string(vertex));
        if (vertex > 0)
        {
            DrawLink(drawn.topology, draws, vertex, static_cast<uint32_t>(draws.Below(vertex)));
        }
    }
    for (uint64_t more = draws.Below(2 * vertices); more > 0; --more)
    {
        const auto from = static_cast<uint32_t>(draws.Below(vertices));
        const auto step = static_cast<uint32_t>(1 + draws.Below(vertices - 1));
        DrawLink(drawn.topology, draws, from, (from + step) % vertices);
    }
    const auto first = static_cast<uint32_t>(draws.Below(npus));
    const auto count = static_cast<uint32_t>(2 + draws.Below(npus - 1));
    for (uint32_t i = 0; i < count; ++i)
    {
        drawn.members.push_back(VertexId{(first + i) % npus});
    }
    return drawn;
}

/// A cut of the topology: bit v of `inside` says whether vertex v is inside.
struct TriedCut
{
    const CutCase& drawn;
    uint32_t inside;

    bool HasMember(uint32_t member) const
    {
        return (inside >> drawn.members[member].value & 1) != 0;
    }

    uint32_t CountMembers() const
    {
        uint32_t count = 0;
        for (uint32_t member = 0; member < drawn.members.size(); ++member)
        {
            count += HasMember(member) ? 1 : 0;
        }
        return count;
    }

    Amount Rate() const
    {
        Amount rate = 0;
        for (LinkId id{0}; id.value < drawn.topology.LinkCount(); ++id.value)
        {
            const TopologyLink& link = drawn.topology.Link(id);
            const bool leaves =
                (inside >> link.from.value & 1) != 0 && (inside >> link.to.value & 1) == 0;
            rate += leaves ? Amount{link.bandwidth.BitsPerSecond()} : 0;
        }
        return rate;
    }
};

/// How many units cross the cut; 0 where it does not bind.
using LoadOfCut = std::function<uint32_t(const TriedCut&)>;

/// The tightest of all cuts.
LoadedCut
TryAllCuts(const CutCase& drawn, const LoadOfCut& loadOf)
{
    LoadedCut best{{}, 0, 1};
    for (uint32_t inside = 0; inside < 1U << drawn.topology.VertexCount(); ++inside)
    {
        const TriedCut cut{drawn, inside};
        const uint32_t load = loadOf(cut);
        if (load > 0 && IsTighter({{}, load, cut.Rate()}, best))
        {
            best = {{}, load, cut.Rate()};
        }
    }
    return best;
}

/// Whether `found` is as tight as the best of all cuts, and the cut that it names has its rate and
/// its load.
void
CheckIsBest(const CutCase& drawn,
            const CutGraph& graph,
            const LoadedCut& found,
            const LoadOfCut& loadOf)
{
    const LoadedCut best = TryAllCuts(drawn, loadOf);
    CHECK((found.load * best.rate == best.load * found.rate));
    const std::vector<bool> sides = graph.Expand(found.inside);
    uint32_t inside = 0;
    for (uint32_t vertex = 0; vertex < sides.size(); ++vertex)
    {
        inside |= sides[vertex] ? 1U << vertex : 0;
    }
    CHECK((TriedCut{drawn, inside}.Rate() == found.rate));
    CHECK((loadOf({drawn, inside}) == found.load));
}

LoadedCut
Flip(LoadedCut cut)
{
    cut.inside.flip();
    return cut;
}

uint32_t
CutCases()
{
    return CaseCount{.reduced = 100, .normal = 2000, .full = 20'000}.Pick();
}

} // namespace

TEST_CASE("FindThroughputCut: is the best of all cuts of random networks, both ways",
          "[unit][network]")
{
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + CutCases(); ++seed)
    {
        const CutCase drawn = DrawCutCase(seed);
        const CutGraph graph(drawn.topology, drawn.members);
        const uint32_t count = graph.MemberCount();
        std::vector<uint32_t> all(count);
        std::iota(all.begin(), all.end(), 0);
        std::vector<uint32_t> others(all.begin() + 1, all.end());
        CAPTURE(seed);
        CheckIsBest(drawn,
                    graph,
                    *FindThroughputCut(graph, all, all),
                    [count](const TriedCut& cut)
                    { return cut.CountMembers() < count ? cut.CountMembers() : 0; });
        CheckIsBest(drawn,
                    graph,
                    Flip(*FindThroughputCut(graph.Mirrored(), all, all)),
                    [count](const TriedCut& cut)
                    { return cut.CountMembers() > 0 ? count - cut.CountMembers() : 0; });
        CheckIsBest(drawn,
                    graph,
                    *FindThroughputCut(graph, others, {0}),
                    [](const TriedCut& cut) { return cut.HasMember(0) ? 0 : cut.CountMembers(); });
    }
}

TEST_CASE("FindNarrowestCut: is the best of all cuts of random networks", "[unit][network]")
{
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + CutCases(); ++seed)
    {
        const CutCase drawn = DrawCutCase(seed);
        const CutGraph graph(drawn.topology, drawn.members);
        const uint32_t last = graph.MemberCount() - 1;
        CAPTURE(seed);
        CheckIsBest(drawn,
                    graph,
                    *FindNarrowestCut(graph, last),
                    [last](const TriedCut& cut)
                    { return cut.HasMember(last) && cut.CountMembers() <= last ? 1 : 0; });
    }
}

TEST_CASE("FindExchangeCut: is a cut, and of small networks mostly the best one", "[unit][network]")
{
    uint32_t best = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + CutCases(); ++seed)
    {
        const CutCase drawn = DrawCutCase(seed);
        const CutGraph graph(drawn.topology, drawn.members);
        const uint32_t count = graph.MemberCount();
        const LoadOfCut load = [count](const TriedCut& cut)
        { return cut.CountMembers() * (count - cut.CountMembers()); };
        const LoadedCut found = FindExchangeCut(graph);
        const LoadedCut all = TryAllCuts(drawn, load);
        CAPTURE(seed);
        CHECK((graph.RateOut(found.inside) == found.rate));
        CHECK_FALSE(IsTighter(found, all));
        best += IsTighter(all, found) ? 0 : 1;
    }
    CHECK(best > CutCases() * 9 / 10);
}
