// SPDX-License-Identifier: GPL-2.0-only
// One configuration, one digest: in whatever order the events of an instant are executed.
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/intra-dimension-policy.h"
#include "tests/support/case-count.h"
#include "tests/support/packet-forms.h"
#include "tests/support/random-job.h"
#include "tests/support/test-paths.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct TieCase
{
    std::string name;
    std::string base; ///< below configs/systems, or the text of a configuration
    std::vector<std::string> settings;
};

std::string
DigestOf(const TieCase& test, std::optional<uint64_t> scramble)
{
    const bool isFile = test.base.find('\n') == std::string::npos;
    const RunResults results =
        isFile ? Simulate(std::filesystem::path(SOURCE_DIR) / "configs/systems" / test.base,
                          test.settings,
                          {.scrambleSeed = scramble})
               : RunYaml({test.base, test.settings, scramble});
    REQUIRE(results.status == RunStatus::Done);
    return results.digest;
}

/// Returns the digest.
std::string
CheckSameDigest(const TieCase& test)
{
    CAPTURE(test.name);
    const std::string digest = DigestOf(test, std::nullopt);
    CHECK(DigestOf(test, std::nullopt) == digest);
    const uint32_t scrambles = CaseCount{.reduced = 1, .normal = 4, .full = 20}.Pick();
    for (uint64_t seed = 1; seed <= scrambles; ++seed)
    {
        CAPTURE(seed);
        CHECK(DigestOf(test, seed) == digest);
    }
    return digest;
}

/// Equal rates and no latency at all: whatever can happen at once does.
std::string
MakeStackYaml(const std::string& dimensions, const std::string& collective)
{
    std::string text = "workload: {collective: " + collective +
                       "}\nsystem: {endpoint-delay: 0 ns}\nnetwork:\n dimensions:\n";
    size_t begin = 0;
    while (begin < dimensions.size())
    {
        const size_t end = std::min(dimensions.find(' ', begin), dimensions.size());
        const std::string one = dimensions.substr(begin, end - begin);
        const size_t colon = one.find(':');
        text += fmt::format("  - {{shape: {}, size: {}, bandwidth: 100 Gb/s, latency: 0 ns}}\n",
                            one.substr(0, colon),
                            one.substr(colon + 1));
        begin = end + 1;
    }
    return text;
}

/// Every rank to the one half way round, and to the next.
std::string
MakeFlows(uint32_t ranks, int64_t size)
{
    std::string flows = "[";
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (const uint32_t distance : {1U, ranks / 2})
        {
            flows += fmt::format("{}{{src: {}, dst: {}, size: {} B}}",
                                 flows.size() > 1 ? ", " : "",
                                 rank,
                                 (rank + distance) % ranks,
                                 size);
        }
    }
    return flows + "]";
}

const std::string ALL_TO_ALL = "{type: all-to-all, size: 200 KB}";
const std::string ALL_REDUCE = "{type: all-reduce, size: 300 KB}";
const std::string SEVERAL = "{parallel: [" + ALL_TO_ALL + ", " + ALL_REDUCE +
                            ", {type: all-gather, size: 20 KB}, " + ALL_REDUCE + "]}";

std::vector<TieCase>
MakeTieCases()
{
    const std::string flows = MakeStackYaml("switch:8", ALL_REDUCE);
    const std::string flowsOnly =
        "workload: {flows: " + MakeFlows(8, 50'000) + "}\n" + flows.substr(flows.find("system:"));
    return {
        {"torus transit", MakeStackYaml("ring:4 ring:4", ALL_TO_ALL), {}},
        {"3D torus transit", MakeStackYaml("ring:3 ring:4 ring:2", ALL_TO_ALL), {}},
        {"flat all-to-all",
         MakeStackYaml("ring:4 switch:4", ALL_TO_ALL),
         {"system.collectives.all-to-all={flat: direct}"}},
        {"switch", MakeStackYaml("switch:8", ALL_TO_ALL), {}},
        {"direct on a switch",
         MakeStackYaml("switch:8", ALL_REDUCE),
         {"system.collectives.all-reduce=direct"}},
        {"tree",
         MakeStackYaml("switch:7", ALL_REDUCE),
         {"system.collectives.all-reduce={name: double-binary-tree, slice: 8 KiB}"}},
        {"mesh", MakeStackYaml("mesh:6", ALL_REDUCE), {}},
        {"concurrent", MakeStackYaml("ring:4 switch:4", SEVERAL), {}},
        {"concurrent, in slots",
         MakeStackYaml("switch:4 switch:2", SEVERAL),
         {"system.concurrent-collectives=1"}},
        {"chunks in flight",
         MakeStackYaml("switch:4 switch:4", SEVERAL),
         {"system.chunks-in-flight=4", "system.inter-dimension=themis"}},
        {"acknowledged frames",
         MakeStackYaml("ring:4 ring:3", ALL_TO_ALL),
         {"network.packet.acknowledge=frame"}},
        {"no header", MakeStackYaml("fully-connected:5", SEVERAL), {"network.packet.header=0 B"}},
        {"point-to-point", flowsOnly, {}},
        {"ECMP",
         "leaf-spine-8.yaml",
         {"workload.collective.type=all-to-all", "workload.collective.size=1 MB"}},
        {"ECMP, several", "leaf-spine-8.yaml", {"workload.collective=" + SEVERAL}},
        {"torus 8x8",
         "torus-8x8.yaml",
         {"workload.collective.type=all-to-all",
          "workload.collective.size=256 KiB",
          "network.dimensions[0].latency=0 ns",
          "network.dimensions[1].latency=0 ns"}},
    };
}

TieCase
MakeRandomTieCase(const ScratchDirectory& scratch, uint64_t seed)
{
    const std::vector<std::string> stacks{
        "ring:4 ring:2", "switch:8", "switch:4 ring:2", "fully-connected:4 switch:2", "mesh:8"};
    const std::string text = MakeStackYaml(stacks[seed % stacks.size()], ALL_REDUCE);
    const std::string network = text.substr(text.find("system:"));
    const std::string yaml = RandomJob(8, seed).Write(scratch, 16) + network;
    const auto inter = Registry<InterDimensionPolicy>::Instance().Names();
    const auto intra = Registry<IntraDimensionPolicy>::Instance().Names();
    // None; that of a control frame, or of a full frame: so that frames meet all the time.
    const std::vector<std::string> latencies{"0 ps", "5120 ps", "332800 ps"};
    const std::vector<std::string> acknowledge{"message", "frame"};
    return {fmt::format("random {}", seed),
            scratch.Write("run.yaml", yaml).string(),
            {"system.inter-dimension=" + inter[Hash64({seed, 1}) % inter.size()],
             "system.intra-dimension=" + intra[Hash64({seed, 2}) % intra.size()],
             fmt::format("system.chunks-in-flight={}", 1 + Hash64({seed, 3}) % 3),
             fmt::format("system.concurrent-collectives={}", Hash64({seed, 4}) % 3),
             "network.dimensions[0].latency=" + latencies[Hash64({seed, 5}) % 3],
             "network.packet.acknowledge=" + acknowledge[Hash64({seed, 6}) % 2]}};
}

} // namespace

TEST_CASE("Digest: equal for equal configurations, whatever the order of simultaneous events",
          "[property][packet]")
{
    std::set<std::string> digests;
    const std::vector<TieCase> cases = MakeTieCases();
    for (const TieCase& test : cases)
    {
        digests.insert(CheckSameDigest(test));
    }
    CHECK(digests.size() == cases.size());
}

TEST_CASE("Digest: equal for random jobs of collectives and messages, however scrambled",
          "[property][packet]")
{
    const uint32_t count = CaseCount{.reduced = 2, .normal = 12, .full = 150}.Pick();
    const ScratchDirectory scratch("determinism");
    std::set<std::string> digests;
    for (uint64_t seed = 0; seed < count; ++seed)
    {
        digests.insert(CheckSameDigest(MakeRandomTieCase(scratch, seed)));
    }
    CHECK(digests.size() == count);
}

TEST_CASE("Digest: differs with whatever changes a run", "[property][packet]")
{
    const TieCase base{"base", "leaf-spine-8.yaml", {"workload.collective.size=100 KB"}};
    std::vector<TieCase> cases(8, base);
    cases[1].settings = {"workload.collective.size=100001 B"};
    cases[2].settings.emplace_back("seed=2"); // other spines
    cases[3].settings.emplace_back("network.packet.payload=500 B");
    cases[4].settings.emplace_back("network.packet.control-frame=65 B");
    cases[5].settings.emplace_back("system.endpoint-delay=11 ns");
    cases[6].settings.emplace_back("system.chunks=15");
    cases[7].settings.emplace_back("workload.collective.type=reduce-scatter");
    std::set<std::string> digests;
    for (const TieCase& test : cases)
    {
        CAPTURE(test.settings.back());
        CHECK(digests.insert(DigestOf(test, std::nullopt)).second);
    }
}
