// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/cut-text.h"
#include "tests/support/dgx-1.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// The cut around these GPUs of a DGX-1, in nodes of so many.
std::string
CutAround(std::initializer_list<uint32_t> npus, uint32_t npusPerNode = 1, uint32_t membersEvery = 1)
{
    const Topology topology = MakeDgx1();
    std::vector<VertexId> members;
    for (uint32_t npu = 0; npu < topology.NpuCount(); npu += membersEvery)
    {
        members.push_back(VertexId{npu});
    }
    std::vector<bool> inside(topology.VertexCount());
    for (const uint32_t npu : npus)
    {
        inside[npu] = true;
    }
    return DescribeCut({topology, members, inside, npusPerNode});
}

} // namespace

TEST_CASE("DescribeCut: names the links by their rates, and the smaller side", "[unit][cli]")
{
    CHECK(CutAround({0}) == "2 links of 50 GB/s and 2 links of 25 GB/s out of npu0");
    CHECK(CutAround({1, 2, 3, 4, 5, 6, 7}) ==
          "2 links of 50 GB/s and 2 links of 25 GB/s into npu0");
    CHECK(CutAround({0, 2, 4}) ==
          "4 links of 50 GB/s and 4 links of 25 GB/s out of npu0, npu2, npu4");
}

TEST_CASE("DescribeCut: names nodes where a side has all NPUs of them", "[unit][cli]")
{
    CHECK(CutAround({0, 1, 2}, 4) ==
          "4 links of 50 GB/s and 2 links of 25 GB/s out of npu0 to npu2");
    CHECK(CutAround({0, 1, 2, 3}, 4) == "2 links of 50 GB/s and 2 links of 25 GB/s into node1");
    CHECK(CutAround({6, 7, 2, 3, 4, 5}, 2) ==
          "4 links of 50 GB/s and 2 links of 25 GB/s into node0");
    // Of the node only one NPU is a member: it is still the node that the links enter.
    CHECK(CutAround({2, 3, 4, 5, 6, 7}, 2, 2) ==
          "4 links of 50 GB/s and 2 links of 25 GB/s into node0");
}
