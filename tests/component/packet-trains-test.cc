// SPDX-License-Identifier: GPL-2.0-only
// What trains save: numbers of events, counted.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>

using namespace nadi;

namespace
{

RunResults
RunWithTrains(const std::string& yaml, const std::string& trains)
{
    return RunYaml({yaml, {"network.packet.trains=" + trains}});
}

/// The last of `npus` NPUs in a line sends to the first.
std::string
MakeLineYaml(uint32_t npus, const std::string& flows)
{
    return fmt::format("workload: {{flows: [{}]}}\n"
                       "network:\n"
                       "  dimensions: [{{shape: mesh, size: {}, bandwidth: 100 Gb/s, latency: 500 "
                       "ns}}]\n"
                       "  packet: {{payload: 1000 B}}\n",
                       flows,
                       npus);
}

} // namespace

TEST_CASE("Trains: a message costs at most six events a hop, however long it is",
          "[component][packet][trains]")
{
    for (const uint32_t hops : {1U, 2U, 4U, 7U})
    {
        CAPTURE(hops);
        const auto count = [hops](uint64_t size)
        {
            const std::string flow = fmt::format("{{src: {}, dst: 0, size: {} B}}", hops, size);
            return RunWithTrains(MakeLineYaml(hops + 1, flow), "on").events;
        };
        // The loop's own start and end, and the delivery, are events too.
        constexpr uint64_t OWN = 8;
        CHECK(count(100'000) <= 6 * hops + OWN);
        CHECK(count(100'000) == count(100'000'000));
    }
}

TEST_CASE("Trains: none is longer than what is committed between two looks at an interrupt",
          "[component][packet][trains]")
{
    // Three times 2^20 frames over one hop and another one, so no less than three promises.
    const std::string flow = "{src: 2, dst: 0, size: 3145728000 B}";
    const RunResults results = RunWithTrains(MakeLineYaml(3, flow), "on");
    CHECK(results.totals.trains >= 3);
    CHECK(results.totals.trains <= 8);
    CHECK(results.digest == RunWithTrains(MakeLineYaml(3, flow), "off").digest);
}

TEST_CASE("Trains: messages that take turns at a port and part behind it cost events by the "
          "message, not by the frame",
          "[component][packet][trains]")
{
    // Each of 8 NPUs sends to all others through one switch: two links each, 56 messages.
    const auto run = [](uint64_t size, const std::string& trains)
    {
        return RunWithTrains(
            fmt::format(
                "workload: {{collective: {{type: all-to-all, size: {} B}}}}\n"
                "system: {{chunks: 1}}\n"
                "network:\n"
                "  dimensions: [{{shape: switch, size: 8, bandwidth: 100 Gb/s, latency: 500 "
                "ns}}]\n"
                "  packet: {{payload: 1000 B}}\n",
                size),
            trains);
    };
    const RunResults shorter = run(8'000'000, "on");
    const RunResults longer = run(80'000'000, "on");
    CHECK(longer.totals.packetHops == 10 * shorter.totals.packetHops);
    CHECK(longer.events <= 56 * 2 * 10);
    CHECK(longer.events <= shorter.events + shorter.events / 10);
    CHECK(longer.totals.trains >= 56);
    const RunResults slow = run(8'000'000, "off");
    CHECK(slow.totals.trains == 0);
    CHECK(slow.events >= slow.totals.packetHops);
    CHECK(slow.digest == shorter.digest);
}

TEST_CASE("Trains: one that is cut goes on as another", "[component][packet][trains]")
{
    // Over the line 3 > 2 > 1 > 0; in the middle of it NPU 2 sends a message of its own.
    const std::string first = "{src: 3, dst: 0, size: 10 MB}";
    const std::string second = ", {src: 2, dst: 0, size: 100 KB, at: 100 us}";
    const RunResults alone = RunWithTrains(MakeLineYaml(4, first), "on");
    const RunResults cut = RunWithTrains(MakeLineYaml(4, first + second), "on");
    CHECK(cut.digest == RunWithTrains(MakeLineYaml(4, first + second), "off").digest);
    CHECK(cut.totals.trains > alone.totals.trains);
    CHECK(cut.events < cut.totals.packetHops / 20);
}
