// SPDX-License-Identifier: GPL-2.0-only
// Do jobs whose collectives are all synthesised end, and in the same way, whatever delays their
// ranks and whatever happens at once?
#include "simulation/simulate.h"
#include "simulation/synthesis-job.h"
#include "tests/support/case-count.h"
#include "tests/support/drawn-network.h"
#include "tests/support/random-job.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/spell-program.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// `system.collectives` with one choice for all types.
std::string
CollectivesOf(const std::string& choice)
{
    std::string text;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", ToText(type), choice);
    }
    return "system.collectives={" + text + "}";
}

/// A job of several groups with skewed ranks and stragglers, on a drawn network.
class SynthesisedJob
{
  public:
    explicit SynthesisedJob(uint64_t seed)
        : m_scratch("synthesised-jobs")
    {
        DrawnNetwork network(seed);
        const uint64_t ranks = network.NpuCount();
        const RandomJob job(network.NpuCount(),
                            seed,
                            {.width = 1 + static_cast<uint32_t>(network.More().Below(4)),
                             .sizes = {0, 1, ranks - 1, 7 * ranks + 3, 100'003},
                             .types = AllCollectiveTypes()});
        m_scratch.Write("network.yaml", network.Write(0));
        m_config =
            m_scratch.Write("c.yaml",
                            job.Write(m_scratch, 10) + "network: {topology: {file: network.yaml}}\n"
                                                       "output: {flows: on}\n");
        Draws& draws = network.More();
        m_settings = {
            CollectivesOf(fmt::format("{{name: synthesized, seed: {}, tries: 1, chunks: {}}}",
                                      draws.Below(100),
                                      1 + draws.Below(4))),
            fmt::format("system.sends-in-flight={}", 1 + draws.Below(3)),
            fmt::format("system.concurrent-collectives={}", draws.Below(3)),
            "network.packet.window=" + draws.Pick({"none", "bdp", "10 KB"})};
    }

    RunResults Run(const std::string& more, std::optional<uint64_t> scramble) const
    {
        std::vector<std::string> all = m_settings;
        all.push_back(more);
        return Simulate(m_config, all, {.scrambleSeed = scramble});
    }

  private:
    ScratchDirectory m_scratch;
    std::filesystem::path m_config;
    std::vector<std::string> m_settings;
};

} // namespace

TEST_CASE("Synthesised jobs: all end, with equal digests however events are scrambled, and with "
          "trains and without",
          "[property][synthesised-jobs]")
{
    const uint32_t cases = CaseCount{.reduced = 3, .normal = 30, .full = 1000}.Pick();
    size_t collectives = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        CAPTURE(seed);
        const SynthesisedJob job(seed);
        const RunResults results = job.Run("network.packet.trains=on", std::nullopt);
        REQUIRE(results.status == RunStatus::Done);
        collectives += results.collectives.size();
        CHECK(job.Run("network.packet.trains=on", 1 + seed).digest == results.digest);
        CHECK(job.Run("network.packet.trains=off", std::nullopt).digest == results.digest);
    }
    CHECK(collectives > 4 * cases);
}

TEST_CASE("Synthesised jobs: the plan is the same for any order of links in the topology file",
          "[property][synthesised-jobs]")
{
    const uint32_t cases = CaseCount{.reduced = 2, .normal = 12, .full = 500}.Pick();
    const ScratchDirectory scratch("synthesised-orders");
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases; ++seed)
    {
        const DrawnNetwork network(seed);
        const CollectiveType type = AllCollectiveTypes()[seed % AllCollectiveTypes().size()];
        CAPTURE(seed, ToText(type));
        const auto programOf = [&](uint64_t order)
        {
            scratch.Write("network.yaml", network.Write(order));
            const std::string size = type == CollectiveType::Barrier ? "" : ", size: 100 KB";
            const RunInput input(
                scratch.Write("c.yaml",
                              fmt::format("workload: {{collective: {{type: {}{}}}}}\n"
                                          // ECMP picks links by their order.
                                          "network: {{topology: {{file: network.yaml}}, packet: "
                                          "{{load-balancing: spray}}}}\n",
                                          ToText(type),
                                          size)),
                {CollectivesOf("{name: synthesized, tries: 2}")});
            return Spell(MakeJobProgram(input).program);
        };
        const auto program = programOf(0);
        CHECK(programOf(1 + seed) == program);
        CHECK(programOf(2 + seed) == program);
    }
}
