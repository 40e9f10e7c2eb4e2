// SPDX-License-Identifier: GPL-2.0-only
// Jobs that cannot finish: the program says so, names who waits for whom, and exits with 4.
#include "tests/support/contains.h"
#include "tests/support/nadi-process.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// The job of one test, rank by rank, as traces.
class StuckTraces
{
  public:
    explicit StuckTraces(uint32_t ranks)
        : m_scratch("stuck")
    {
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            m_builders.emplace_back("rank " + std::to_string(rank));
        }
    }

    ExecutionGraphBuilder& Rank(uint32_t rank)
    {
        return m_builders[rank];
    }

    void Groups(const std::string& json)
    {
        m_scratch.Write("groups.json", json);
        m_groups = ", groups: groups.json";
    }

    ProcessResult Run()
    {
        for (size_t rank = 0; rank < m_builders.size(); ++rank)
        {
            const auto file = m_scratch.Path() / ("job." + std::to_string(rank) + ".et");
            WriteTrace(m_builders[rank].Build(), file.string());
        }
        m_scratch.Write("c.yaml",
                        "workload: {trace: \"job.{rank}.et\"" + m_groups +
                            "}\n"
                            "network:\n  dimensions: [{shape: switch, size: " +
                            std::to_string(m_builders.size()) +
                            ", bandwidth: 400 Gb/s, latency: 500 ns}]\n");
        return RunNadi(m_scratch, {"run", "c.yaml", "--out", "out"});
    }

    nlohmann::json Written(const std::string& file) const
    {
        return nlohmann::json::parse(ReadWholeFile(m_scratch.Path() / "out" / file));
    }

  private:
    ScratchDirectory m_scratch;
    std::vector<ExecutionGraphBuilder> m_builders;
    std::string m_groups;
};

ExecutionNode
Collective(uint64_t id, uint64_t size, uint32_t group = 0)
{
    return {.id = id, .size = size, .group = group, .type = NodeType::Collective};
}

ExecutionNode
MakeMessageNode(uint64_t id, NodeType type, uint32_t peer)
{
    return {.id = id, .size = 1024, .tag = 7, .peer = peer, .type = type};
}

/// Exit 4, and the files and the terminal agree on why.
void
CheckStuck(const StuckTraces& job, const ProcessResult& result)
{
    CAPTURE(result.out, result.error);
    CHECK(result.exitCode == 4);
    const nlohmann::json summary = job.Written("summary.json");
    const nlohmann::json causes = job.Written("waits.json")["causes"];
    CHECK(summary["status"] == "stuck");
    CHECK(summary["exit_reason"] ==
          (causes.empty() ? nlohmann::json("ranks wait for each other") : causes[0]));
    for (const nlohmann::json& cause : causes)
    {
        CHECK(Contains(result.error, cause.get<std::string>()));
    }
    CHECK(Contains(result.out, "The job cannot finish"));
}

} // namespace

TEST_CASE("Stuck: a send that nobody receives ends; a receive that nobody sends waits",
          "[golden][stuck]")
{
    StuckTraces job(2);
    job.Rank(0).AddNode({.id = 1, .durationPs = 1000000, .type = NodeType::Compute}, "forward");
    job.Rank(0).AddNode(MakeMessageNode(2, NodeType::Receive, 1), "activations", {1});
    job.Rank(0).AddNode({.id = 3, .durationPs = 1000000, .type = NodeType::Compute}, "next", {2});
    job.Rank(1).AddNode({.id = 1, .durationPs = 1000000, .type = NodeType::Compute}, "forward");
    const ProcessResult result = job.Run();
    CheckStuck(job, result);
    const nlohmann::json waits = job.Written("waits.json");
    UNSCOPED_INFO(waits.dump(2));
    INFO(result.out << result.error);
    REQUIRE(waits["ranks"].size() == 1);
    const nlohmann::json& waiting = waits["ranks"][0];
    CHECK(waiting["rank"] == 0);
    CHECK(waiting["node"] == 2);
    CHECK(waiting["name"] == "activations");
    CHECK(waiting["waits_for_ranks"] == nlohmann::json({1}));
    CHECK(waiting["nodes_left"] == 2);
    CHECK(waits["cycle"].empty());
    CHECK(Contains(waits["causes"][0], "tag 7 from rank 1"));
    CHECK(Contains(result.error + result.out, "rank 0 waits in node 2 \"activations\""));
}

TEST_CASE("Stuck: a collective that one rank never calls", "[golden][stuck]")
{
    StuckTraces job(4);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        job.Rank(rank).AddNode(Collective(10, 1024), "first");
        if (rank != 2)
        {
            job.Rank(rank).AddNode(Collective(11, 1024), "second", {10});
        }
    }
    const ProcessResult result = job.Run();
    CheckStuck(job, result);
    const nlohmann::json waits = job.Written("waits.json");
    INFO(waits.dump(2) << result.out << result.error);
    REQUIRE(waits["ranks"].size() == 3);
    for (const nlohmann::json& waiting : waits["ranks"])
    {
        CHECK(waiting["node"] == 11);
        CHECK(waiting["name"] == "second");
        CHECK(waiting["waits_for_ranks"] == nlohmann::json({2}));
    }
    REQUIRE(waits["causes"].size() == 1);
    CHECK(Contains(waits["causes"][0], "rank 2 never calls all-reduce #1"));
}

TEST_CASE("Stuck: calls that do not match name ranks and nodes", "[golden][stuck]")
{
    struct Mismatch
    {
        ExecutionNode mine;
        ExecutionNode yours;
        std::string part; ///< of the text
    };

    const ExecutionNode plain = Collective(10, 1024);
    ExecutionNode gather = Collective(20, 1024);
    gather.collective = CollectiveType::AllGather;
    ExecutionNode fromRoot0 = plain;
    fromRoot0.collective = CollectiveType::Broadcast;
    fromRoot0.peer = 0;
    ExecutionNode fromRoot1 = fromRoot0;
    fromRoot1.id = 20;
    fromRoot1.peer = 1;
    const std::vector<Mismatch> mismatches = {{plain, Collective(20, 2048), "with 2048 B"},
                                              {plain, gather, "all-gather"},
                                              {fromRoot0, fromRoot1, "root 1"}};
    for (const Mismatch& mismatch : mismatches)
    {
        StuckTraces job(2);
        job.Rank(0).AddNode(mismatch.mine, "mine");
        job.Rank(1).AddNode(mismatch.yours, "yours");
        const ProcessResult result = job.Run();
        CheckStuck(job, result);
        const std::string reason = job.Written("summary.json")["exit_reason"];
        CAPTURE(reason);
        CHECK(Contains(reason, mismatch.part));
        CHECK(Contains(reason, "rank 0 (node 10 \"mine\")"));
        CHECK(Contains(reason, "rank 1 (node 20 \"yours\")"));
    }
}

TEST_CASE("Stuck: two communicators in opposite order are a cycle", "[golden][stuck]")
{
    StuckTraces job(3);
    job.Groups(R"({"left": [0, 1], "right": [1, 2], "outer": [0, 2]})");
    const std::vector<std::vector<std::string>> order = {
        {"left", "outer"}, {"right", "left"}, {"outer", "right"}};
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        ExecutionGraphBuilder& builder = job.Rank(rank);
        const uint32_t first = builder.AddGroup(order[rank][0]);
        const uint32_t second = builder.AddGroup(order[rank][1]);
        builder.AddNode(Collective(1, 1024, first), order[rank][0]);
        builder.AddNode(Collective(2, 1024, second), order[rank][1], {1});
    }
    const ProcessResult result = job.Run();
    CheckStuck(job, result);
    const nlohmann::json waits = job.Written("waits.json");
    INFO(waits.dump(2) << result.out << result.error);
    REQUIRE(waits["ranks"].size() == 3);
    // Each waits for the peer of its own first call: 0 for 1, 1 for 2, 2 for 0.
    CHECK(waits["cycle"] == nlohmann::json({0, 1, 2}));
    CHECK(Contains(result.error + result.out, "rank 0 -> rank 1 -> rank 2 -> rank 0"));
}

TEST_CASE("Stuck: two ranks that call two communicators in opposite order", "[golden][stuck]")
{
    StuckTraces job(2);
    job.Groups(R"({"pair": [0, 1], "same": [1, 0]})");
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        ExecutionGraphBuilder& builder = job.Rank(rank);
        const uint32_t first = builder.AddGroup(rank == 0 ? "pair" : "same");
        const uint32_t second = builder.AddGroup(rank == 0 ? "same" : "pair");
        builder.AddNode(Collective(1, 1024, first), "first");
        builder.AddNode(Collective(2, 1024, second), "second", {1});
    }
    const ProcessResult result = job.Run();
    CheckStuck(job, result);
    const nlohmann::json waits = job.Written("waits.json");
    INFO(waits.dump(2) << result.out << result.error);
    CHECK(waits["cycle"] == nlohmann::json({0, 1}));
    REQUIRE(!waits["causes"].empty());
    CHECK(Contains(waits["causes"][0], "ranks 0 and 1 call two collectives in opposite order"));
}
