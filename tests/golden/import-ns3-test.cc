// SPDX-License-Identifier: GPL-2.0-only
// Inputs of another simulator's ns-3 backend run as the configuration that stands for them.
#include "tests/golden/peers-data.h"
#include "tests/support/nadi-process.h"
#include "tests/support/run-yaml.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::string
ConfigOf(uint32_t mode, uint32_t payload)
{
    return fmt::format("ENABLE_QCN 1\n"
                       "PACKET_PAYLOAD_SIZE {}\n"
                       "TOPOLOGY_FILE t.txt\n"
                       "CC_MODE {}\n"
                       "RATE_AI 50Mb/s\n"
                       "U_TARGET 0.95\n"
                       "MI_THRESH 0\n"
                       "MIN_RATE 100Mb/s\n"
                       "L2_ACK_INTERVAL 1\n"
                       "HAS_WIN 1\n"
                       "KMAX_MAP 2 400000000000 3200 532575944704 3200\n"
                       "KMIN_MAP 2 400000000000 800 532575944704 800\n"
                       "PMAX_MAP 2 400000000000 0.2 532575944704 0.2\n"
                       "BUFFER_SIZE 32\n",
                       payload,
                       mode);
}

/// Hosts 0 to 7 on switch 8.
std::string
Switch8()
{
    std::string text = "9 1 8\n8\n";
    for (uint32_t host = 0; host < 8; ++host)
    {
        text += fmt::format("8 {} 400Gbps 0.0005ms 0\n", host);
    }
    return text;
}

/// Links both ways of 62 GiB/s in two dimensions of 8.
std::string
Torus8x8()
{
    std::string text = "64 0 128\n\n";
    for (uint32_t host = 0; host < 64; ++host)
    {
        const uint32_t row = host / 8;
        const uint32_t column = host % 8;
        const std::string link = " 532575944704bps 500ns 0\n";
        text += fmt::format("{} {}", host, row * 8 + (column + 1) % 8) + link;
        text += fmt::format("{} {}", host, (row + 1) % 8 * 8 + column) + link;
    }
    return text;
}

struct Ns3Case
{
    std::string name; ///< of tests/data/peers
    uint32_t mode = 12;
    uint32_t payload = 1000;
    std::string control = "none"; ///< as written by hand
    uint32_t telemetry = 0;
};

bool
IsTorus(const Ns3Case& imported)
{
    return imported.name.find("torus") != std::string::npos;
}

/// ar_ring_sw8_1MB: an all-reduce by ring.
std::string
AlgorithmOf(const Ns3Case& imported)
{
    const size_t begin = imported.name.find('_') + 1;
    const std::string name = imported.name.substr(begin, imported.name.find('_', begin) - begin);
    const std::string quoted = '"' + name + '"';
    return IsTorus(imported) ? quoted + ", " + quoted : quoted;
}

void
WriteInputs(const ScratchDirectory& scratch, const Ns3Case& imported)
{
    const bool isTorus = IsTorus(imported);
    const std::string algorithm = AlgorithmOf(imported);
    scratch.Write("config.txt", ConfigOf(imported.mode, imported.payload));
    scratch.Write("t.txt", isTorus ? Torus8x8() : Switch8());
    scratch.Write("l.json",
                  isTorus ? R"({"logical-dims": ["8", "8"]})" : R"({"logical-dims": ["8"]})");
    scratch.Write("s.json",
                  "{\"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1, "
                  "\"preferred-dataset-splits\": 1, \"local-mem-bw\": 1600, "
                  "\"collective-optimization\": \"localBWAware\", "
                  "\"all-reduce-implementation\": [" +
                      algorithm + "], \"all-to-all-implementation\": [" + algorithm + "]}");
}

std::vector<std::string>
ImportArguments(const std::string& trace)
{
    return {"import",
            "astra-sim",
            "--workload",
            trace,
            "--system",
            "s.json",
            "--network",
            "config.txt",
            "--logical-topology",
            "l.json",
            "--out",
            "c.yaml"};
}

std::string
TraceOf(const Ns3Case& imported)
{
    const size_t last = imported.name.rfind('_');
    const std::string collective = imported.name.substr(0, imported.name.find('_'));
    return std::string(TEST_DATA) + "/peers/" + collective + imported.name.substr(last) + ".et";
}

/// What docs/comparison.md writes by hand.
std::string
PacketByHand(const Ns3Case& imported)
{
    return fmt::format("payload: {} B, header: {} B, control-frame: {} B, acknowledge: frame, "
                       "window: bdp, congestion-control: {}, buffer: 32 MB, pfc: on, "
                       "ecn: {{min: 800 KB, max: 3200 KB, probability: 0.2}}",
                       imported.payload,
                       48 + imported.telemetry,
                       60 + imported.telemetry,
                       imported.control);
}

} // namespace

TEST_CASE("Import: inputs of an ns-3 backend take as long as the same job written by hand",
          "[golden][cli][peers]")
{
    const Ns3Case imported =
        GENERATE(Ns3Case{.name = "ar_ring_sw8_1MB"},
                 Ns3Case{.name = "ar_ring_sw8_1MB", .payload = 4096},
                 Ns3Case{.name = "ar_direct_sw8_16MB"},
                 Ns3Case{.name = "ar_ring_torus8x8_1MB"},
                 Ns3Case{.name = "ar_ring_sw8_16MB",
                         .mode = 3,
                         .control = "{name: hpcc, additive-increase: 50 Mb/s}",
                         .telemetry = 42},
                 Ns3Case{.name = "ar_direct_sw8_16MB", .mode = 1, .control = "dcqcn"});
    const ScratchDirectory scratch("import-ns3");
    WriteInputs(scratch, imported);
    const ProcessResult result = RunNadi(scratch, ImportArguments(TraceOf(imported)));
    CAPTURE(imported.name, imported.mode, result.error);
    REQUIRE(result.exitCode == 0);
    CHECK(result.out.find("\nwritten: c.yaml and c-topology.yaml; ") != std::string::npos);
    REQUIRE(RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"}).exitCode == 0);
    const auto summary = nlohmann::json::parse(ReadWholeFile(scratch.Path() / "r/summary.json"));
    const RunResults byHand =
        RunYaml({PeerConfiguration({.name = imported.name}, PacketByHand(imported)), {}, {}});
    // The rate of reductions is rounded elsewhere: a picosecond for each step.
    const double finish = summary["finish_time_ns"];
    CHECK(std::abs(finish - byHand.finish.Ns()) < 0.1);
}

TEST_CASE("Import: a topology is written with its configuration or not at all", "[golden][cli]")
{
    const ScratchDirectory scratch("import-ns3-errors");
    const Ns3Case star{.name = "ar_ring_sw8_1MB"};
    WriteInputs(scratch, star);
    scratch.Write("c-topology.yaml", "mine");
    const ProcessResult taken = RunNadi(scratch, ImportArguments(TraceOf(star)));
    CHECK(taken.exitCode == 2);
    CHECK(taken.error == "nadi: \"c-topology.yaml\" exists; name a new file with --out\n");
    CHECK(ReadWholeFile(scratch.Path() / "c-topology.yaml") == "mine");
    CHECK(!std::filesystem::exists(scratch.Path() / "c.yaml"));

    std::filesystem::remove(scratch.Path() / "c-topology.yaml");
    scratch.Write("t.txt", "9 1 8\n9\n");
    const ProcessResult wrong = RunNadi(scratch, ImportArguments(TraceOf(star)));
    CHECK(wrong.exitCode == 3);
    CHECK(wrong.error == "t.txt:2: switch 9 does not exist; ids go from 0 to 8\n");
    CHECK(!std::filesystem::exists(scratch.Path() / "c.yaml"));
    CHECK(!std::filesystem::exists(scratch.Path() / "c-topology.yaml"));
}
