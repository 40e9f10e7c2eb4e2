// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/called-algorithms.h"
#include "simulation/job-calls.h"
#include "simulation/simulate.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string SIX_NPUS =
    "network: {backend: analytical, dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, "
    "latency: 1 us}, {shape: switch, size: 3, bandwidth: 50 GB/s, latency: 1 us}]}\n";
const std::string TWO_NODES_OF_EIGHT =
    "network: {backend: analytical, topology: {generator: rail, nodes: 2, npus-per-node: 8, "
    "spines: 8, nvlink: {bandwidth: 450 GB/s, latency: 500 ns}, nic: {bandwidth: 50 GB/s, "
    "latency: 2 us}}}\n";

/// A collective node of a JSON trace; `group` is empty for all ranks.
std::string
Call(int id, const std::string& type, int size, const std::string& group = "")
{
    return fmt::format("{{\"id\": {}, \"node_type\": \"coll_comm_node\", \"comm_type\": \"{}\", "
                       "\"comm_size\": {}{}}}",
                       id,
                       type,
                       size,
                       group.empty() ? "" : ", \"comm_group\": \"" + group + "\"");
}

/// A job of traces that a test writes.
class TraceJob
{
  public:
    void WriteRank(int rank, const std::string& nodes)
    {
        m_scratch.Write(fmt::format("t.{}.json", rank), "{\"nodes\": [" + nodes + "]}");
    }

    RunInput Read(const std::string& yaml) const
    {
        return RunInput(m_scratch.Write("c.yaml", "workload: {trace: 't.{rank}.json'}\n" + yaml),
                        {});
    }

  private:
    ScratchDirectory m_scratch{"called-algorithms"};
};

using Algorithms = std::map<std::string, std::set<uint32_t>>;

/// "all-reduce: ring LL".
std::string
NameOf(CollectiveType type, const std::string& algorithm, const std::string& protocol)
{
    return fmt::format("{}: {} {}", ToText(type), algorithm, protocol);
}

/// Of the communicators, as expected before the run.
Algorithms
ExpectedAlgorithms(const RunInput& input)
{
    Algorithms algorithms;
    for (const auto& [called, communicators] : FindCalledAlgorithms(input))
    {
        for (const CommunicatorId id : communicators)
        {
            algorithms[NameOf(called.type, called.algorithm, called.protocol)].insert(id.value);
        }
    }
    return algorithms;
}

/// The same, as the run says it in collectives.csv.
Algorithms
RunAlgorithms(const RunInput& input)
{
    Algorithms algorithms;
    for (const CollectiveResult& result : Simulate(input).collectives)
    {
        const LibraryDecision& decision = result.record.decision;
        algorithms[NameOf(result.record.type, decision.algorithm, decision.protocol)].insert(
            result.record.communicator.value);
    }
    return algorithms;
}

std::set<std::string>
NamesOf(const Algorithms& algorithms)
{
    std::set<std::string> names;
    for (const auto& [name, communicators] : algorithms)
    {
        names.insert(name);
    }
    return names;
}

} // namespace

TEST_CASE("FindCalledAlgorithms: what it says is what runs, by size, library and list",
          "[unit][simulation]")
{
    TraceJob job;
    for (int rank = 0; rank < 6; ++rank)
    {
        job.WriteRank(rank,
                      Call(1, "ALL_REDUCE", 300) + ", " + Call(2, "BROADCAST", 600) + ", " +
                          Call(3, "BROADCAST", 60'000'000) + ", " +
                          Call(4, "ALL_REDUCE", 900, rank < 3 ? "low" : "high"));
    }
    const RunInput input = job.Read(SIX_NPUS);
    const Algorithms expected = ExpectedAlgorithms(input);
    CHECK(expected == RunAlgorithms(input));
    // {0, 1, 2} and {3, 4, 5} are no grid.
    REQUIRE(expected.size() == 4); // broadcasts go by their size
    CHECK(expected.at("all-reduce: ring ").size() == 2);
    CHECK(expected.at("all-reduce: bidirectional-ring+halving-doubling ") == std::set<uint32_t>{0});

    for (const std::string library : {"plain", "nccl", "{name: nccl, protocol: LL}"})
    {
        const ScratchDirectory scratch("called-library");
        const RunInput nodes(
            scratch.Write("c.yaml",
                          "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
                          "system: {library: " +
                              library + "}\n" + TWO_NODES_OF_EIGHT),
            {});
        CAPTURE(library);
        CHECK(ExpectedAlgorithms(nodes) == RunAlgorithms(nodes));
        CHECK(ExpectedAlgorithms(nodes).size() == 1);
    }
}

TEST_CASE("FindCalledAlgorithms: ranks that bring different sizes", "[unit][simulation]")
{
    TraceJob job;
    for (int rank = 0; rank < 6; ++rank)
    {
        job.WriteRank(rank,
                      Call(1, "ALL_TO_ALL", 600 * (rank + 1)) + ", " + Call(2, "ALL_GATHER", 600));
    }
    const RunInput input = job.Read("system: {collectives: {all-to-all: ring}}\n" + SIX_NPUS);
    CHECK(ExpectedAlgorithms(input) == RunAlgorithms(input));
    CHECK(NamesOf(ExpectedAlgorithms(input)).contains("all-to-all: direct "));
    const std::set<JobCall> calls = FindCalls(input.Workload(), input.Config().system.options);
    CHECK(calls.size() == 2); // one of the largest size, and the all-gather
    CHECK(calls.rbegin()->elements == 3600);
    for (const JobCall& call : calls)
    {
        CHECK(call.isUneven == (call.type == CollectiveType::AllToAll));
    }
}

TEST_CASE("FindCalledAlgorithms: even and uneven calls of one type, in any order of the file",
          "[unit][simulation]")
{
    TraceJob job;
    for (int rank = 0; rank < 6; ++rank)
    {
        const std::string uneven = Call(1, "ALL_TO_ALL", 6000 * (rank + 1));
        const std::string even = Call(2, "ALL_TO_ALL", 600);
        const std::string later = R"(, {"id": 3, "node_type": "coll_comm_node", "comm_type": )"
                                  R"("ALL_REDUCE", "comm_size": 1200, "data_deps": [4]}, )"
                                  R"({"id": 4, "node_type": "coll_comm_node", "comm_type": )"
                                  R"("ALL_REDUCE", "comm_size": 300})";
        const std::string sooner = R"(, {"id": 4, "node_type": "coll_comm_node", "comm_type": )"
                                   R"("ALL_REDUCE", "comm_size": 300}, )"
                                   R"({"id": 3, "node_type": "coll_comm_node", "comm_type": )"
                                   R"("ALL_REDUCE", "comm_size": 1200, "data_deps": [4]})";
        job.WriteRank(rank, uneven + ", " + even + (rank % 2 == 0 ? later : sooner));
    }
    const RunInput input = job.Read("system: {collectives: {all-to-all: ring}}\n" + SIX_NPUS);
    const Algorithms expected = ExpectedAlgorithms(input);
    CHECK(expected == RunAlgorithms(input));
    CHECK(expected.contains("all-to-all: direct "));
    CHECK(expected.contains("all-to-all: ring+ring "));
}

TEST_CASE("FindCalledAlgorithms: gathers of unequal sizes run under nccl", "[unit][simulation]")
{
    TraceJob job;
    for (int rank = 0; rank < 16; ++rank)
    {
        job.WriteRank(rank, Call(1, "GATHER", 600 * (rank + 1)) + ", " + Call(2, "SCATTER", 600));
    }
    const RunInput input = job.Read("system: {library: nccl}\n" + TWO_NODES_OF_EIGHT);
    CHECK(ExpectedAlgorithms(input) == RunAlgorithms(input));
    CHECK(ExpectedAlgorithms(input).size() == 2);
}

TEST_CASE("FindCalls: calls that agree are one, in whatever rank and iteration",
          "[unit][simulation]")
{
    TraceJob job;
    for (int rank = 0; rank < 6; ++rank)
    {
        job.WriteRank(rank,
                      Call(1, "ALL_REDUCE", 300) + ", " + Call(2, "ALL_REDUCE", 300) + ", " +
                          Call(3, "ALL_REDUCE", 900));
    }
    const RunInput input = job.Read(SIX_NPUS);
    const std::set<JobCall> calls = FindCalls(input.Workload(), input.Config().system.options);
    REQUIRE(calls.size() == 2);
    CHECK(calls.begin()->elements == 300);
    CHECK(!calls.begin()->isUneven);
    CHECK(std::next(calls.begin())->elements == 900);
}
