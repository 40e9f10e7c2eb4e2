// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/simulation.h"
#include "tests/support/case-count.h"
#include "tests/support/draws.h"
#include "tests/support/keeps-bounds.h"
#include "tests/support/random-network.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi::test
{

/// A random network of switches with NPUs on any of them, a job on some of its NPUs, and how it is
/// run. The switches form a tree, with some parallel links, so that frames cannot wait for each
/// other in a circle.
class RandomTreeJob
{
  public:
    explicit RandomTreeJob(uint64_t seed)
        : m_draws(seed)
        , m_switches(static_cast<uint32_t>(1 + m_draws.Below(5)))
        , m_npus(static_cast<uint32_t>(3 + m_draws.Below(7)))
    {
        DrawTopology();
        m_draws.Below(3) == 0 && m_npus > 3 ? DrawSteps() : DrawCalls();
        DrawAlgorithm();
    }

    const std::string& Topology() const
    {
        return m_topology;
    }

    /// Switches have one place, and what finds it taken runs at endpoints.
    void LetOnePlaceDo()
    {
        m_groups = "1";
        m_whenBusy = "endpoint";
    }

    std::string Yaml(const std::string& packet, const std::string& faults) const
    {
        return fmt::format("workload:\n  placement: random\n{}"
                           "system:\n  concurrent-collectives: {}\n  chunks: {}\n"
                           "  collectives: {{{}}}\n  compute: {}\n"
                           "network:\n"
                           "  topology: {{file: t.yaml}}\n"
                           "  in-network: {{latency: {} ns, bandwidth: {}, groups: {}, "
                           "when-busy: {}}}\n"
                           "  packet: {}\n"
                           "  faults: {}\n"
                           "seed: {}\n",
                           m_workload,
                           m_concurrent,
                           m_chunks,
                           m_algorithms,
                           m_compute,
                           m_latency,
                           m_bandwidth,
                           m_groups,
                           m_whenBusy,
                           packet,
                           faults,
                           m_placement);
    }

  private:
    std::string Link(const std::string& from, const std::string& to)
    {
        return fmt::format(
            "  - {{from: {}, to: {}, bandwidth: {} GB/s, latency: {} ns, count: {}}}\n",
            from,
            to,
            10 + 20 * m_draws.Below(4),
            50 + m_draws.Below(700),
            1 + m_draws.Below(4) / 3);
    }

    void DrawTopology()
    {
        std::vector<std::string> names;
        std::string links;
        for (uint32_t at = 0; at < m_switches; ++at)
        {
            names.push_back(fmt::format("sw{}", at));
            links += at == 0 ? "" : Link(names[at], names[m_draws.Below(at)]);
        }
        for (uint32_t npu = 0; npu < m_npus; ++npu)
        {
            links += Link(fmt::format("npu{}", npu), names[m_draws.Below(m_switches)]);
        }
        m_topology = fmt::format("nodes: {{npus: {}, switches: [{}]}}\nlinks:\n{}",
                                 m_npus,
                                 fmt::join(names, ", "),
                                 links);
    }

    /// Training steps of groups of two and of half the ranks, which come to their calls at
    /// different times: some ranks compute slower than others.
    void DrawSteps()
    {
        const uint32_t dp = m_npus / 2;
        m_workload =
            fmt::format("  generate: {{model: transformer, layers: 2, hidden: 64, heads: 4, "
                        "sequence: 16, tp: 2, dp: {}, batch: {}}}\n",
                        dp,
                        dp);
        m_compute = fmt::format("{{model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 100 GB/s, "
                                "per-rank: {{0: {}, 2: {}}}}}",
                                1 + m_draws.Below(4),
                                1 + m_draws.Below(3));
    }

    /// Some one after the other, some at once.
    void DrawCalls()
    {
        m_workload = fmt::format("  ranks: {}\n  collective:\n", 2 + m_draws.Below(m_npus - 1));
        const std::vector<std::string> types{
            "all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce"};
        const auto call = [&]
        {
            return fmt::format(
                "{{type: {}, size: {} B}}", m_draws.Pick(types), 1 + m_draws.Below(200'000));
        };
        for (uint64_t step = 1 + m_draws.Below(3); step > 0; --step)
        {
            m_workload +=
                m_draws.Below(2) == 0
                    ? fmt::format("    - {}\n", call())
                    : fmt::format("    - parallel: [{}, {}, {{type: all-to-all, size: {} B}}]\n",
                                  call(),
                                  call(),
                                  1 + m_draws.Below(20'000));
        }
        m_workload += "    - {type: barrier}\n";
    }

    void DrawAlgorithm()
    {
        const uint64_t slice = std::vector<uint64_t>{1024, 4096, 65'536}[m_draws.Below(3)];
        const uint64_t window = m_draws.Below(4); // in slices; 0: auto
        const std::string algorithm =
            fmt::format("{{name: in-network, slice: {} B, window: {}, trees: {}}}",
                        slice,
                        window == 0 ? "auto" : fmt::format("{} B", slice * window),
                        m_draws.Pick({"auto", "1", "2"}));
        for (const std::string type :
             {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "barrier"})
        {
            m_algorithms +=
                fmt::format("{}{}: {}", m_algorithms.empty() ? "" : ", ", type, algorithm);
        }
        m_concurrent = m_draws.Below(3);
        m_chunks = 1 + m_draws.Below(3);
        m_latency = m_draws.Below(300);
        m_bandwidth = m_draws.Pick({"line-rate", "7 GB/s", "60 GB/s"});
        m_placement = m_draws.Below(1000);
        m_groups = m_draws.Pick({"unlimited", "unlimited", "1", "2", "{per-port: 1}"});
    }

    Draws m_draws;
    uint32_t m_switches;
    uint32_t m_npus;
    std::string m_topology;
    std::string m_workload;
    std::string m_compute = "{model: trace}";
    std::string m_algorithms;
    uint64_t m_concurrent = 0;
    uint64_t m_chunks = 1;
    uint64_t m_latency = 0;
    std::string m_bandwidth;
    uint64_t m_placement = 0;
    std::string m_groups;
    std::string m_whenBusy = "wait";
};

/// Runs it and checks what holds of every run that ends in this way.
inline RunResults
RunTreeJob(const RandomTreeJob& job,
           const std::string& packet,
           const std::string& faults = "[]",
           std::optional<uint64_t> scrambleSeed = std::nullopt,
           RunStatus expected = RunStatus::Done)
{
    const ScratchDirectory scratch("packet-in-network");
    scratch.Write("t.yaml", job.Topology());
    const std::string yaml = job.Yaml(packet, faults);
    CAPTURE(yaml, job.Topology());
    const RunInput input(scratch.Write("c.yaml", yaml), {}, {.scrambleSeed = scrambleSeed});
    RunProgress progress;
    Simulation simulation(input, progress);
    RunResults results = simulation.Run();
    CAPTURE(results.exitReason);
    REQUIRE(results.status == expected);
    simulation.CheckConservation();
    for (const CollectiveResult& collective : results.collectives)
    {
        CHECK(KeepsBounds(collective));
    }
    return results;
}

/// The smallest buffer that the nodes accept with priority flow control.
inline int64_t
LeastBufferFor(const RandomTreeJob& job)
{
    const ScratchDirectory scratch("packet-in-network");
    scratch.Write("t.yaml", job.Topology());
    const RunInput input(scratch.Write("c.yaml", job.Yaml("{pfc: on, buffer: 1 B}", "[]")), {});
    return FindLeastBuffer(input.Topology(), input.Routing(), input.Config().network.packet)
        .Count();
}

} // namespace nadi::test
