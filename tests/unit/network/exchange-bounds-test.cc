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
