// SPDX-License-Identifier: GPL-2.0-only
// Every way to get a collective from a file wrong, with the line that the user reads.
#include "tests/support/config-cases.h"
#include "tests/support/msccl-programs.h"
#include "tests/support/test-paths.h"

#include <filesystem>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What the user reads before a run whose file is this one; empty when it begins.
std::string
MessageOfProgram(const std::string& xml,
                 const std::string& type = "all-gather",
                 uint32_t ranks = 4,
                 const std::string& keys = "")
{
    const ScratchDirectory scratch("custom-errors");
    scratch.Write("p.xml", xml);
    const auto file = scratch.Write("c.yaml",
                                    "workload: {collective: {type: " + type +
                                        ", size: 1 MiB}}\n"
                                        "network: {dimensions: [{shape: ring, size: " +
                                        std::to_string(ranks) +
                                        ", bandwidth: 62 GB/s, latency: 500 ns}]}\n"
                                        "system: {collectives: {" +
                                        type + ": {from: p.xml" + keys + "}}}\n");
    return scratch.WithoutPath(ConfigErrorText(
        [&]
        {
            const RunInput input(file, {});
            RunProgress progress;
            const Simulation simulation(input, progress);
        }));
}

/// The same text with the first of `from` after `after` replaced.
std::string
Replaced(std::string text, const std::string& after, const std::string& from, const std::string& to)
{
    const size_t at = text.find(from, text.find(after));
    return text.replace(at, from.size(), to);
}

const std::string RING_TRACES =
    std::string(TEST_DATA) + "/traces/custom-ring/custom_allreduce.{rank}.et";

/// An all-reduce of 4 MiB over the eight ranks that the traces are of.
std::filesystem::path
WriteRingOfEight(const ScratchDirectory& scratch, const std::string& collectives)
{
    return scratch.Write(
        "c.yaml",
        "workload: {collective: {type: all-reduce, size: 4 MiB}}\n"
        "network: {dimensions: [{shape: ring, size: 8, bandwidth: 62 GB/s, latency: 500 ns}]}\n"
        "system: {collectives: {" +
            collectives + "}}\n");
}

} // namespace

TEST_CASE("Custom collectives: a file that does not fit the call is refused", "[golden]")
{
    const std::string ring = MakeAllGatherRing(4);
    CHECK(MessageOfProgram(ring).empty());
    CHECK(MessageOfProgram(ring, "all-gather", 8) ==
          "p.xml: is a program of 4 ranks, but all-gather of 8 MiB on ranks {0..7} wants it");
    CHECK(MessageOfProgram(ring, "all-reduce") ==
          "p.xml: is a program of all-gather, but all-reduce of 1 MiB on ranks {0..3} wants it");
    CHECK(MessageOfProgram(ring, "all-gather", 4, ", chunks: 3") ==
          "c.yaml:3: system.collectives.all-gather.chunks: unknown key; known: name, from, scale");
}

TEST_CASE("Custom collectives: a file that loses, doubles or mixes up data is refused at the step",
          "[golden]")
{
    // The addition does not wait for what it adds.
    const std::string unread = MakeExchange("-1", "-1");
    CHECK(MessageOfProgram(unread, "all-reduce", 2) ==
          "p.xml:12: GPU 0, thread block 2, step 2: it reads scratch chunk 0, which holds nothing "
          "yet");
    const std::string scatter = MakeReduceScatterRing();
    CHECK(MessageOfProgram(scatter, "reduce-scatter", 3).empty());
    CHECK(MessageOfProgram(
              Replaced(scatter, "rrs", "srcoff=\"1\"", "srcoff=\"2\""), "reduce-scatter", 3) ==
          "p.xml:5: GPU 0, thread block 0, step 1: it reduces chunk 2 into scratch chunk 0, which "
          "holds chunk 1");
    const std::string gather = MakeAllGatherRing(4);
    CHECK(MessageOfProgram(Replaced(gather, "cpy", "dstoff=\"0\"", "dstoff=\"1\"")) != "");
}

TEST_CASE("Custom collectives: what is no choice of a file is refused", "[golden]")
{
    CheckAll({
        {WithSystem("{collectives: {all-reduce: custom}}"),
         "c.yaml:3: system.collectives.all-reduce: custom reads a file; write {from: FILE}"},
        {WithSystem("{collectives: {all-reduce: [{from: p.xml}]}}"),
         "c.yaml:3: system.collectives.all-reduce[0]: custom runs over all ranks of a group at "
         "once, not along one dimension; write it alone, without a list"},
        {WithSystem("{collectives: {all-reduce: [{from: p.xml}, {from: p.xml, bogus: 1}]}}"),
         "c.yaml:3: system.collectives.all-reduce[1].bogus: unknown key; known: name, from, scale"},
        {WithSystem("{collectives: {all-reduce: {from: nowhere.xml}}}"),
         "nowhere.xml: there is no such file; write the path of XML of MSCCL, or of traces with "
         "{rank}"},
    });
}

TEST_CASE("Custom collectives: traces that two types name with another scale each are refused",
          "[golden]")
{
    const ScratchDirectory scratch("custom-scales");
    const auto both =
        WriteRingOfEight(scratch,
                         "all-reduce: {from: \"" + RING_TRACES +
                             "\", scale: on}, all-gather: {from: \"" + RING_TRACES + "\"}");
    CHECK(ConfigErrorText([&] { const RunInput input(both, {}); }) ==
          RING_TRACES + ": types of system.collectives name these traces with scale: on and with "
                        "off; write one of both");
    // A node cannot say it, so its file is that of the type.
    const RunInput input(WriteRingOfEight(scratch,
                                          "all-reduce: {from: \"" + RING_TRACES +
                                              "\", scale: on}, per-node: {0: \"" + RING_TRACES +
                                              "\"}"),
                         {});
    RunProgress progress;
    CHECK_NOTHROW(Simulation(input, progress));
}

TEST_CASE("Custom collectives: traces that carry too little are refused with both sizes",
          "[golden]")
{
    const ScratchDirectory scratch("custom-traces");
    const auto file = WriteRingOfEight(scratch, "all-reduce: {from: \"" + RING_TRACES + "\"}");
    const std::string message = ConfigErrorText(
        [&]
        {
            const RunInput input(file, {});
            RunProgress progress;
            const Simulation simulation(input, progress);
        });
    CHECK(message == RING_TRACES +
                         ": its messages carry 14680064 B in all, enough for all-reduce of "
                         "1048576 B, but one of 4194304 B is called; write scale: on to "
                         "scale them");
}
