// SPDX-License-Identifier: GPL-2.0-only
// The logical stack of ranks that workload.placement puts on NPUs of nodes.
#include "network/stack-topology.h"
#include "simulation/run-input.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr Bandwidth NVLINK = Bandwidth::FromBytesPerSecond(450'000'000'000);
constexpr Bandwidth NIC = Bandwidth::FromBytesPerSecond(50'000'000'000);

/// An all-reduce of ranks on these NPUs of four nodes of eight.
struct PlacedRanks
{
    explicit PlacedRanks(const std::vector<uint32_t>& npus, const std::string& system = "")
        : input(scratch.Write("c.yaml", WriteYaml(npus, system)), {})
    {
    }

    std::vector<uint32_t> StackSizes() const
    {
        return SizesOf(input.Stack());
    }

    uint32_t PlaceOf(uint32_t rank) const
    {
        return input.Places().PlaceOf(rank);
    }

    bool HasNote(const std::string& note) const
    {
        return std::ranges::find(input.Notes(), note) != input.Notes().end();
    }

    ScratchDirectory scratch{"placed-stack"};
    RunInput input;

  private:
    static std::string WriteYaml(const std::vector<uint32_t>& npus, const std::string& system)
    {
        return fmt::format(
            "workload: {{ranks: {}, placement: [{}], collective: {{type: all-reduce, size: 1 "
            "MiB}}}}\n"
            "system: {{{}}}\n"
            "network:\n"
            "  backend: analytical\n"
            "  topology: {{generator: rail, nodes: 4, npus-per-node: 8, spines: 8,\n"
            "    nvlink: {{bandwidth: 450 GB/s, latency: 500 ns}},\n"
            "    nic: {{bandwidth: 50 GB/s, latency: 500 ns}}}}\n",
            npus.size(),
            fmt::join(npus, ", "),
            system);
    }
};

template <class Place>
std::vector<uint32_t>
PlaceSixteen(const Place& npuOf)
{
    std::vector<uint32_t> npus;
    for (uint32_t rank = 0; rank < 16; ++rank)
    {
        npus.push_back(npuOf(rank));
    }
    return npus;
}

using StackOfPlaced = std::vector<uint32_t>;

} // namespace

TEST_CASE("Logical stack: ranks stand in the nodes of the NPUs that host them",
          "[unit][simulation]")
{
    // The last two of the four nodes, each second rank in the first of them.
    const PlacedRanks job(PlaceSixteen([](uint32_t rank) { return 16 + rank / 2 + rank % 2 * 8; }));
    CHECK(job.StackSizes() == StackOfPlaced{8, 2});
    CHECK(job.PlaceOf(0) == 0);
    CHECK(job.PlaceOf(1) == 8);
    CHECK(job.PlaceOf(2) == 1);
    CHECK(job.input.Stack()[0].bandwidth == NVLINK);
    CHECK(job.input.Stack()[1].bandwidth == NIC);
}

TEST_CASE("Logical stack: a job that uses as many NPUs of each node has [NPUs used, nodes used]",
          "[unit][simulation]")
{
    // Every second NPU of four nodes, backwards: rank 15 is on NPU 1, the first used one.
    const PlacedRanks job(PlaceSixteen([](uint32_t rank) { return 31 - 2 * rank; }));
    CHECK(job.StackSizes() == StackOfPlaced{4, 4});
    CHECK(job.PlaceOf(15) == 0);
    CHECK(job.PlaceOf(0) == 15);
    CHECK(job.input.Stack()[0].bandwidth == NVLINK);
    CHECK(job.input.Stack()[1].bandwidth == NIC);
    CHECK(job.input.Notes().size() == 1);
    CHECK(job.HasNote("the job has 16 ranks on 32 NPUs: those of workload.placement are used"));

    CHECK(PlacedRanks({2, 3, 8, 9}).StackSizes() == StackOfPlaced{2, 2});
    CHECK(PlacedRanks({0, 8, 16, 24}).StackSizes() == StackOfPlaced{1, 4});
    CHECK(PlacedRanks({7, 4, 5, 6}).StackSizes() == StackOfPlaced{4, 1});
}

TEST_CASE("Logical stack: ranks placed on unequal parts of nodes are one list in their own order, "
          "and a note says what to write",
          "[unit][simulation]")
{
    // Five in the first node, three in the last.
    const PlacedRanks job(PlaceSixteen([](uint32_t rank) { return rank == 15 ? 1 : 2 * rank; }));
    CHECK(job.StackSizes() == StackOfPlaced{16, 1});
    CHECK(job.input.Places().IsLinear());
    CHECK(job.input.IsUndivided());
    const std::string note = " ranks use unequal parts of nodes of 8 NPUs: a collective of all "
                             "ranks runs over one list; write a workload.placement with as many "
                             "ranks on each node that it uses, or system.dimensions";
    CHECK(job.HasNote("16" + note));
    CHECK(job.HasNote("the job has 16 ranks on 32 NPUs: those of workload.placement are used"));
    // Fewer ranks than a node has NPUs, in two nodes.
    const PlacedRanks few({0, 1, 2, 8});
    CHECK(few.input.IsUndivided());
    CHECK(few.HasNote("4" + note));
    CHECK(!PlacedRanks({2, 3, 8, 9}).input.IsUndivided());
}

TEST_CASE("Logical stack: in system.dimensions ranks stand in their own order, wherever their NPUs "
          "are",
          "[unit][simulation]")
{
    const PlacedRanks job(PlaceSixteen([](uint32_t rank) { return 15 - rank; }),
                          "dimensions: [4, 4]");
    CHECK(job.StackSizes() == StackOfPlaced{4, 4});
    CHECK(job.input.Places().IsLinear());
}
