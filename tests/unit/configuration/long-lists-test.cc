// SPDX-License-Identifier: GPL-2.0-only
// Lists as long as users make them by program. How long they take is a matter of benchmarks: a
// bound of seconds would fail on a slower machine and under the sanitizers.
#include "configuration/config-file.h"
#include "configuration/topology-file.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint32_t COUNT = 20'000;

/// Flow i has i KiB and goes from rank i to the next, of 64; `last` stands behind them all.
std::string
MakeFlows(const std::string& last)
{
    std::string text =
        "network: {dimensions: [{shape: ring, size: 64, bandwidth: 1 GB/s, latency: 1 us}]}\n"
        "workload:\n  flows:\n";
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        text += "    - {src: " + std::to_string(i % 64) + ", dst: " + std::to_string((i + 1) % 64) +
                ", size: " + std::to_string(i) + " KiB}\n";
    }
    return text + last;
}

} // namespace

TEST_CASE("ReadConfig: twenty thousand flows are read as they were written",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("long-flows");
    const auto file = scratch.Write("c.yaml", MakeFlows(""));
    const Config config = ReadConfig(file, {});
    const std::string written = WriteConfig(config);
    REQUIRE(config.workload.flows->size() == COUNT);
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        const FlowSpec& flow = (*config.workload.flows)[i];
        REQUIRE(flow.source == i % 64);
        REQUIRE(flow.destination == (i + 1) % 64);
        REQUIRE(flow.size == Bytes{int64_t{1024} * i});
    }
    CHECK(WriteConfig(ReadConfig(scratch.Write("d.yaml", written), {})) == written);
}

TEST_CASE("ReadConfig: an error in a long list has its line and number", "[unit][configuration]")
{
    const ScratchDirectory scratch("long-flows-error");
    const auto file = scratch.Write("c.yaml", MakeFlows("    - {src: 1, dts: 2, size: 1 B}\n"));
    const std::string item = std::to_string(COUNT);
    CHECK(scratch.WithoutPath(ConfigErrorText([&] { ReadConfig(file, {}); })) ==
          "c.yaml:" + std::to_string(3 + COUNT + 1) + ": workload.flows[" + item +
              "].dts: unknown key (did you mean dst?)");
}

TEST_CASE("ReadTopologyFile: twenty thousand links are read, each with its line",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("long-links");
    std::string text = "nodes: {npus: " + std::to_string(COUNT) + ", switches: [s]}\nlinks:\n";
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        text += "  - {from: npu" + std::to_string(i) +
                ", to: s, bandwidth: 400 Gb/s, latency: 500 ns}\n";
    }
    const auto file = scratch.Write("t.yaml", text);
    const ExplicitTopology topology = ReadTopologyFile(file, "");
    REQUIRE(topology.links.size() == COUNT);
    CHECK(topology.links.back().from == "npu" + std::to_string(COUNT - 1));
    CHECK(scratch.WithoutPath(topology.links.back().where) ==
          "t.yaml:" + std::to_string(2 + COUNT) + ": links[" + std::to_string(COUNT - 1) + "]");
}
