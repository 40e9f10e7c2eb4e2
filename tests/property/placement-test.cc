// SPDX-License-Identifier: GPL-2.0-only
// A job on placed ranks is the job on a network whose NPUs were renumbered by hand.
#include "common/hash.h"
#include "network/rank-placement.h"
#include "tests/support/case-count.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A random network, a job on some of its NPUs, and where the ranks of it stand.
class PlacedCase
{
  public:
    explicit PlacedCase(uint64_t seed)
        : m_seed(seed)
        , m_npus(3 + Pick(5, 0))
        , m_ranks(2 + Pick(m_npus - 1, 1))
        , m_switches(1 + Pick(3, 2))
        , m_placement(DrawNpus(seed, m_npus, m_ranks))
    {
        std::vector<std::string> switches;
        for (uint32_t at = 0; at < m_switches; ++at)
        {
            switches.push_back(fmt::format("sw{}", at));
        }
        m_nodes = fmt::format(
            "nodes: {{npus: {}, switches: [{}]}}\nlinks:\n", m_npus, fmt::join(switches, ", "));
    }

    /// The ranks placed on the network as it is drawn.
    RunResults RunPlaced(const std::vector<std::string>& settings) const
    {
        return Run(fmt::format("[{}]", fmt::join(m_placement, ", ")), RankPlacement(), settings);
    }

    /// Rank r on npu<r> of a network in which the NPU that hosts it is called so.
    RunResults RunRenamed(const std::vector<std::string>& settings) const
    {
        return Run("linear", RankPlacement(m_placement, m_npus), settings);
    }

  private:
    uint32_t Pick(uint32_t count, uint32_t purpose) const
    {
        return static_cast<uint32_t>(Hash64({m_seed, 0x706c616365, purpose}) % count);
    }

    std::string LinkText(const std::string& from, const std::string& to, uint32_t number) const
    {
        return fmt::format("  - {{from: {}, to: {}, bandwidth: {} GB/s, latency: {} ns}}\n",
                           from,
                           to,
                           10 + Pick(4, 3 * number + 100) * 15,
                           100 + Pick(300, 3 * number + 101));
    }

    /// A line of switches, each NPU at one of them, some at a second one or at a neighbour too.
    std::string NetworkText(const RankPlacement& names) const
    {
        const auto npu = [&](uint32_t number)
        { return fmt::format("npu{}", names.RankAt(number)); };
        std::string text = m_nodes;
        for (uint32_t at = 0; at < m_npus; ++at)
        {
            text += LinkText(npu(at), fmt::format("sw{}", Pick(m_switches, 10 + at)), at);
            if (Pick(3, 30 + at) == 0)
            {
                text += LinkText(npu(at), fmt::format("sw{}", Pick(m_switches, 50 + at)), 20 + at);
            }
            if (at > 0 && Pick(4, 70 + at) == 0)
            {
                text += LinkText(npu(at), npu(at - 1), 40 + at);
            }
        }
        for (uint32_t at = 1; at < m_switches; ++at)
        {
            text += LinkText(fmt::format("sw{}", at - 1), fmt::format("sw{}", at), 60 + at);
        }
        return text;
    }

    RunResults Run(const std::string& placement,
                   const RankPlacement& names,
                   const std::vector<std::string>& settings) const
    {
        const ScratchDirectory scratch("placement-property");
        const auto file = scratch.Write("t.yaml", NetworkText(names));
        const std::string yaml = fmt::format("workload:\n"
                                             "  ranks: {}\n"
                                             "  placement: {}\n"
                                             "  collective:\n"
                                             "    - {{type: all-reduce, size: 48 KiB, repeat: 3}}\n"
                                             "    - parallel: [{{type: all-to-all, size: 20 KiB}}, "
                                             "{{type: broadcast, size: 9 KiB}}]\n"
                                             "    - {{type: all-gather, size: 5000 B, repeat: 2}}\n"
                                             "network: {{topology: {{file: \"{}\"}}}}\n",
                                             m_ranks,
                                             placement,
                                             file.string());
        return RunYaml({yaml, settings});
    }

    uint64_t m_seed;
    uint32_t m_npus;
    uint32_t m_ranks;
    uint32_t m_switches;
    std::vector<uint32_t> m_placement;
    std::string m_nodes;
};

const std::vector<std::vector<std::string>> WAYS_TO_RUN{
    {"network.backend=packet", "network.packet.memo=on"},
    {"network.backend=packet", "network.packet.memo=off"},
    {"network.backend=packet", "network.packet.pfc=on", "network.packet.buffer=1 MiB"},
    {"network.backend=flow"},
    {"network.backend=analytical"}};

/// Two dimensions; a job that has all of its NPUs, in groups of all and of some.
std::string
StackYaml(const std::string& backend)
{
    return "workload: {generate: {model: transformer, layers: 2, hidden: 64, heads: 4,\n"
           "  sequence: 16, tp: 2, dp: 4, batch: 4}}\n"
           "network:\n"
           "  backend: " +
           backend +
           "\n"
           "  dimensions:\n"
           "    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
           "    - {shape: mesh, size: 2, bandwidth: 25 GB/s, latency: 700 ns}\n";
}

} // namespace

TEST_CASE("Placement: the same events at the same times as on a network renumbered by hand",
          "[property][placement]")
{
    const uint32_t cases = CaseCount{.reduced = 5, .normal = 40, .full = 200}.Pick();
    for (uint64_t seed = 0; seed < cases; ++seed)
    {
        const PlacedCase placed(seed);
        for (const std::vector<std::string>& settings : WAYS_TO_RUN)
        {
            CAPTURE(seed, settings);
            const RunResults given = placed.RunPlaced(settings);
            const RunResults renamed = placed.RunRenamed(settings);
            REQUIRE(given.status == RunStatus::Done);
            CHECK(given.digest == renamed.digest);
            CHECK(given.finish == renamed.finish);
            CHECK(given.events == renamed.events);
            CHECK(given.totals.packetHops == renamed.totals.packetHops);
            REQUIRE(given.collectives.size() == renamed.collectives.size());
            for (size_t call = 0; call < given.collectives.size(); ++call)
            {
                CHECK(given.collectives[call].lowerBound == renamed.collectives[call].lowerBound);
            }
        }
    }
}

TEST_CASE("Placement: whichever NPUs are drawn, the ranks send the same bytes",
          "[property][placement]")
{
    for (const char* backend : {"packet", "flow", "analytical"})
    {
        const RunResults linear = RunYaml({StackYaml(backend)});
        uint32_t different = 0;
        for (uint32_t seed = 1; seed <= 8; ++seed)
        {
            CAPTURE(backend, seed);
            const RunResults drawn =
                RunYaml({StackYaml(backend),
                         {"workload.placement=random", "seed=" + std::to_string(seed)}});
            REQUIRE(drawn.status == RunStatus::Done);
            CHECK(drawn.BytesSent() == linear.BytesSent());
            different += drawn.finish != linear.finish ? 1 : 0;
        }
        CHECK(different > 0);
    }
}
