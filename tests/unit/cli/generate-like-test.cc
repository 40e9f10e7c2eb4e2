// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command-line.h"
#include "tests/support/random-job.h"
#include "tests/support/recorded-traces.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What `nadi trace generate --like` makes of a recorded job, in a directory of its own.
class LikeBench
{
  public:
    ExitCode Generate(const RecordedJob& job, uint32_t ranks, uint32_t seed)
    {
        std::filesystem::remove_all(m_scratch.Path() / "made");
        std::vector<std::string> arguments{"--like",
                                           job.pattern,
                                           "--ranks",
                                           std::to_string(ranks),
                                           "--seed",
                                           std::to_string(seed),
                                           "--out",
                                           (m_scratch.Path() / "made").string()};
        if (!job.groups.empty())
        {
            arguments.insert(arguments.end(), {"--groups", job.groups});
        }
        m_ranks = ranks;
        return Run(arguments);
    }

    static ExitCode Run(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), {"trace", "generate"});
        return RunCommandLine(arguments, {});
    }

    RunResults Simulate(const std::string& name) const
    {
        const std::string made = (m_scratch.Path() / "made").string();
        const std::string groups = std::filesystem::exists(made + "/groups.json")
                                       ? fmt::format(", groups: \"{}/groups.json\"", made)
                                       : "";
        return RunYaml({fmt::format("workload: {{trace: \"{}/{}.{{rank}}.et\"{}}}\n"
                                    "network: {{backend: analytical, dimensions: [{{shape: "
                                    "switch, size: {}, bandwidth: 100 GB/s, latency: 500 ns}}]}}\n",
                                    made,
                                    name,
                                    groups,
                                    m_ranks)});
    }

    const ScratchDirectory& Scratch() const
    {
        return m_scratch;
    }

  private:
    ScratchDirectory m_scratch{"generate-like"};
    uint32_t m_ranks = 0;
};

/// "workload" of ".../workload.{rank}.et"
std::string
StemOfPattern(const std::string& pattern)
{
    const std::string name = std::filesystem::path(pattern).filename().string();
    return name.substr(0, name.find('.'));
}

} // namespace

TEST_CASE("nadi trace generate --like: what it makes of recorded traces runs to its end",
          "[unit][cli]")
{
    std::vector<RecordedJob> jobs = SampleJobs();
    const std::vector<RecordedJob> collection = CollectionJobs();
    jobs.insert(jobs.end(), collection.begin(), collection.end());
    for (const RecordedJob& job : jobs)
    {
        CAPTURE(job.pattern);
        const uint32_t recorded = ReadRecordedJob(job).RankCount();
        for (const uint32_t ranks : {recorded, 6U})
        {
            LikeBench bench;
            REQUIRE(bench.Generate(job, ranks, 1) == EXIT_DONE);
            const RunResults results = bench.Simulate(StemOfPattern(job.pattern));
            CHECK(results.status == RunStatus::Done);
            CHECK(results.ranks.size() == ranks);
        }
    }
}

TEST_CASE("nadi trace generate --like: jobs of overlapping groups and messages run to their end",
          "[unit][cli]")
{
    for (uint32_t seed = 1; seed <= 8; ++seed)
    {
        CAPTURE(seed);
        LikeBench bench;
        RandomJob(5, seed).Write(bench.Scratch(), 60);
        const std::string folder = bench.Scratch().Path().string();
        const RecordedJob job{folder + "/job.{rank}.et", folder + "/groups.json"};
        for (const uint32_t ranks : {3U, 5U, 12U})
        {
            CAPTURE(ranks);
            REQUIRE(bench.Generate(job, ranks, seed) == EXIT_DONE);
            CHECK(bench.Simulate("job").status == RunStatus::Done);
        }
    }
}

TEST_CASE("nadi trace generate: options of --like and of models do not mix", "[unit][cli]")
{
    const LikeBench bench;
    const std::string out = (bench.Scratch().Path() / "made").string();
    const std::string traces = std::string(TEST_DATA) + "/traces/all-reduce-4/all_reduce.{rank}.et";
    CHECK(LikeBench::Run({"--out", out}) == EXIT_USAGE);
    CHECK(LikeBench::Run({"mlp", "--like", traces, "--out", out}) == EXIT_USAGE);
    CHECK(LikeBench::Run({"--like", traces, "--dimensions", "2,2", "--out", out}) == EXIT_USAGE);
    CHECK(LikeBench::Run({"mlp", "--seed", "3", "--ranks", "4", "--out", out}) == EXIT_USAGE);
    CHECK(LikeBench::Run({"--like", traces, "--ranks", "0", "--out", out}) == EXIT_USAGE);
    CHECK(LikeBench::Run({"--like", out + "/none.{rank}.et", "--out", out}) == EXIT_CONFIG);
    CHECK_FALSE(std::filesystem::exists(out));
}
