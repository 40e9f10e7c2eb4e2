// SPDX-License-Identifier: GPL-2.0-only
// What limits all-to-alls, on networks whose optimum is known.
#include "network/exchange-bounds.h"
#include "tests/support/dgx-1.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// NPUs in a row, with links of these rates.
CutGraph
MakeRow(const std::vector<int64_t>& rates)
{
    Topology row;
    std::vector<VertexId> members;
    for (uint32_t npu = 0; npu <= rates.size(); ++npu)
    {
        members.push_back(row.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu)));
    }
    for (uint32_t i = 0; i < rates.size(); ++i)
    {
        row.AddLink(
            VertexId{i}, VertexId{i + 1}, Bandwidth::FromBitsPerSecond(rates[i]), SimTime{});
    }
    return CutGraph(row, members);
}

} // namespace

TEST_CASE("FindExchangeCut: on a DGX-1 16 blocks cross six bricks between its two quads",
          "[unit][network]")
{
    std::vector<VertexId> members;
    for (uint32_t npu = 0; npu < 8; ++npu)
    {
        members.push_back(VertexId{npu});
    }
    const LoadedCut cut = FindExchangeCut(CutGraph(MakeDgx1(), members));
    CHECK((cut.load == 16));
    CHECK((cut.rate == 6 * 25 * int64_t{8'000'000'000})); // 9.375 GB/s a block, which is reached
}

TEST_CASE("FindExchangeCut: between halves of the members the narrowest links count",
          "[unit][network]")
{
    // Two pairs of NPUs, each pair behind a leaf. A pair has 2 x 3 bit/s to its leaf, and the leaf
    // 1 bit/s to the other one. Four blocks cross that link in each direction.
    Topology pairs;
    std::vector<VertexId> members;
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        members.push_back(pairs.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu)));
    }
    const std::vector<VertexId> leaves{pairs.AddVertex(VertexKind::Switch, "leaf0"),
                                       pairs.AddVertex(VertexKind::Switch, "leaf1")};
    const auto join = [&pairs](VertexId one, VertexId other, int64_t rate)
    { pairs.AddLink(one, other, Bandwidth::FromBitsPerSecond(rate), SimTime{}); };
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        join(members[npu], leaves[npu / 2], 3);
    }
    join(members[0], members[1], 10);
    join(members[2], members[3], 10);
    join(leaves[0], leaves[1], 1);
    const LoadedCut cut = FindExchangeCut(CutGraph(pairs, members));
    CHECK((cut.load == 4));
    CHECK((cut.rate == 1));
}

TEST_CASE("FindExchangeLengths: equal lengths count the links that blocks cross", "[unit][network]")
{
    // Four blocks cross one link and two cross two; there are four links of 5 bit/s.
    const LoadedCut bound = FindExchangeLengths(MakeRow({5, 5}));
    CHECK((bound.load * 20 == bound.rate * 8));
}

TEST_CASE("FindExchangeLengths: lengths that are inverse to rates weigh slow links",
          "[unit][network]")
{
    // The slow link has the length 640, the fast one 64; each is crossed by four blocks in all.
    const LoadedCut bound = FindExchangeLengths(MakeRow({1, 10}));
    CHECK((bound.load == 4 * 640 + 4 * 64));
    CHECK((bound.rate == 2 * 640 * 1 + 2 * 64 * 10));
}
