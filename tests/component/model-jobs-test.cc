// SPDX-License-Identifier: GPL-2.0-only
// Generated jobs on the real engine: they end, and pipelines stand still as their papers say.
#include "tests/support/job-bench.h"
#include "tests/support/model-bench.h"
#include "tests/support/run-yaml.h"
#include "workload/models/generated-graph.h"
#include "workload/models/generated-job.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint32_t BATCH = 16;

struct Cut
{
    uint32_t tensor = 1;
    uint32_t context = 1;
    uint32_t pipeline = 1;
    uint32_t data = 1;
    uint32_t expert = 1;
    std::string schedule = "1f1b";
    std::string zero = "0";
    std::string recompute = "none";

    uint32_t Ranks() const
    {
        return tensor * context * pipeline * data;
    }

    std::string Text() const
    {
        return fmt::format("tp {} cp {} pp {} dp {} ep {} {} zero {} recompute {}",
                           tensor,
                           context,
                           pipeline,
                           data,
                           expert,
                           schedule,
                           zero,
                           recompute);
    }
};

Workload
MakeJob(const Cut& cut)
{
    return MakeModelJob("transformer",
                        {{"layers", "8"},
                         {"hidden", "16"},
                         {"heads", "4"},
                         {"sequence", "16"},
                         {"vocabulary", "32"},
                         {"batch", std::to_string(BATCH)},
                         {"experts", cut.expert > 1 ? "4" : "0"},
                         {"tp", std::to_string(cut.tensor)},
                         {"sp", cut.expert > 1 ? "on" : "off"},
                         {"cp", std::to_string(cut.context)},
                         {"pp", std::to_string(cut.pipeline)},
                         {"dp", std::to_string(cut.data)},
                         {"ep", std::to_string(cut.expert)},
                         {"schedule", cut.schedule},
                         {"zero", cut.zero},
                         {"recompute", cut.recompute}},
                        {cut.Ranks()});
}

void
CheckEnds(const Cut& cut)
{
    CAPTURE(cut.Text());
    JobBench bench(MakeJob(cut));
    bench.Run();
    CHECK(bench.Engine().IsFinished());
    CHECK(bench.TieCount() == 0);
}

} // namespace

TEST_CASE("JobEngine: ranks that share a graph send to peers of their own", "[component][workload]")
{
    // Each sends to the one after it, and the last node waits for what the one before it sent.
    GeneratedGraph graph("ring");
    graph.AddSend("pass on", {0, 7, 64}, {});
    const auto received = graph.AddReceive("take", {1, 7, 64}, {});
    graph.AddTimedCompute("use", SimTime::FromNs(10), {received});
    GeneratedJob job;
    job.graphs.push_back(graph.Build());
    job.graphOfRank = {0, 0, 0};
    job.peersOf = [](uint32_t rank) {
        return std::vector<RankId>{RankId{(rank + 1) % 3}, RankId{(rank + 2) % 3}};
    };
    JobBench bench(MakeGeneratedWorkload(std::move(job)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        CHECK(bench.Span(rank, 2).start == static_cast<double>(JobBench::DELAY_NS));
    }
}

TEST_CASE("JobEngine: a receive that nobody sends names the rank that its peer means",
          "[component][workload]")
{
    GeneratedGraph graph("lonely");
    graph.AddReceive("take", {0, 7, 64}, {});
    GeneratedJob job;
    job.graphs.push_back(graph.Build());
    job.graphs.push_back(GeneratedGraph("idle").Build());
    job.graphOfRank = {1, 1, 0};
    job.peersOf = [](uint32_t rank)
    { return std::vector<RankId>{RankId{rank == 0 ? 2 : rank - 1}}; };
    JobBench bench(MakeGeneratedWorkload(std::move(job)));
    bench.Run();
    REQUIRE(!bench.Engine().IsFinished());
    const WaitReport report = bench.Engine().MakeWaitReport();
    REQUIRE(report.ranks.size() == 1);
    CHECK(report.ranks[0].rank == RankId{2});
    CHECK(report.ranks[0].waitsForRanks == std::vector<RankId>{RankId{1}});
    REQUIRE(report.causes.size() == 1); // counted from the graphs: rank 1 never sends it
    CHECK(report.causes[0].find("rank 1") != std::string::npos);
}

TEST_CASE("Generated transformers: every cut of a job ends", "[component][workload]")
{
    for (const uint32_t tensor : {1, 2})
    {
        for (const uint32_t pipeline : {1, 2, 4})
        {
            for (const uint32_t expert : {1, 2})
            {
                for (const std::string schedule : {"gpipe", "1f1b", "interleaved"})
                {
                    CheckEnds({.tensor = tensor,
                               .pipeline = pipeline,
                               .data = 2,
                               .expert = expert,
                               .schedule = schedule});
                }
            }
        }
    }
}

TEST_CASE("Generated transformers: context parallelism, ZeRO and recomputation end too",
          "[component][workload]")
{
    for (const std::string zero : {"0", "1", "2", "3"})
    {
        for (const std::string recompute : {"none", "full"})
        {
            CheckEnds({.context = 2,
                       .pipeline = 2,
                       .data = 2,
                       .expert = 2,
                       .schedule = "interleaved",
                       .zero = zero,
                       .recompute = recompute});
            CheckEnds({.tensor = 2, .context = 4, .zero = zero, .recompute = recompute});
        }
    }
}

TEST_CASE("Generated transformers: pipelines stand still for (p - 1) / v passes of a micro-batch",
          "[component][workload]")
{
    // A network that costs next to nothing: 1 ps and 8 Pb/s. Products at 1 TFLOP/s.
    constexpr uint64_t hidden = 256;
    constexpr uint64_t sequence = 256;
    constexpr uint64_t layers = 16;
    constexpr uint64_t operationsPerNs = 1000;
    const auto run = [&](uint64_t stages, uint64_t microBatches, const std::string& schedule)
    {
        return RunYaml({fmt::format(
            "workload: {{generate: {{model: transformer, layers: {}, hidden: {}, heads: 4, "
            "sequence: {}, batch: {}, pp: {}, schedule: {}, chunks: 2}}}}\n"
            "system: {{endpoint-delay: 0 ns, compute: {{model: roofline, peak: 1 TFLOP/s, "
            "memory-bandwidth: 1000 TB/s}}}}\n"
            "network: {{backend: analytical, dimensions: [{{shape: switch, size: {}, bandwidth: "
            "1000 TB/s, latency: 1 ps}}]}}\n",
            layers,
            hidden,
            sequence,
            microBatches,
            stages,
            schedule,
            stages)});
    };
    // Of a layer and micro-batch: 24 b s h^2 + 4 b s^2 h operations forward, twice as many
    // backward.
    const uint64_t layer = 3 * (24 * sequence * hidden * hidden + 4 * sequence * sequence * hidden);
    for (const uint64_t stages : {2, 4})
    {
        for (const uint64_t microBatches : {4, 8, 16})
        {
            for (const auto& [schedule, chunks] :
                 {std::pair<std::string, uint64_t>{"gpipe", 1}, {"1f1b", 1}, {"interleaved", 2}})
            {
                CAPTURE(stages, microBatches, schedule);
                const RunResults results = run(stages, microBatches, schedule);
                REQUIRE(results.status == RunStatus::Done);
                const double pass = static_cast<double>(layer * layers / stages) / operationsPerNs;
                const double work = pass * static_cast<double>(microBatches);
                const double bubble =
                    pass * static_cast<double>(stages - 1) / static_cast<double>(chunks);
                const uint64_t parameters = (12 * hidden * hidden + 13 * hidden) * layers / stages;
                const double optimizer = static_cast<double>(12 * parameters) / operationsPerNs;
                const double finish = results.finish.Ns();
                // Above it only: a message takes its 128 KiB twice at 1000 TB/s, below 1 ns with
                // headers, and no chain has more than a message for each pass of a stage.
                const double messages = static_cast<double>(2 * (microBatches + stages) * chunks);
                CHECK(finish >= work + bubble + optimizer);
                CHECK(finish <= work + bubble + optimizer + messages);
                CHECK(messages < 0.001 * bubble); // so that the bubble is what is measured
            }
        }
    }
}
