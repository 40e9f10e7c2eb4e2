// SPDX-License-Identifier: GPL-2.0-only
// With priority flow control nothing is ever dropped, however small the buffers are.
#include "common/error.h"
#include "simulation/simulation.h"
#include "tests/support/case-count.h"
#include "tests/support/draws.h"
#include "tests/support/packet-forms.h"
#include "tests/support/random-network.h"
#include "tests/support/scratch-directory.h"

#include <algorithm>
#include <filesystem>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What a number of runs did, so that a test sees that the mechanisms acted.
struct Seen
{
    uint64_t drops = 0;
    uint32_t pausing = 0; ///< runs in which something paused
    uint32_t marking = 0;
    uint64_t pauses = 0;
};

uint64_t
CountFrames(Bytes size, Bytes payload)
{
    const int64_t frames = (size.Count() + payload.Count() - 1) / payload.Count();
    return static_cast<uint64_t>(std::max<int64_t>(frames, 1)); // an empty message is one frame
}

/// Links of the network that are slower or faster than usual for a while.
std::string
DrawFaults(const RunInput& input, uint64_t seed)
{
    Draws draws(seed + 77);
    std::string faults;
    for (uint64_t left = 40; left > 0; --left)
    {
        const uint64_t links = input.Topology().LinkCount();
        const TopologyLink& link =
            input.Topology().Link(LinkId{static_cast<uint32_t>(draws.Below(links))});
        const uint64_t at = draws.Below(60'000);
        faults += fmt::format("{{at: {} ns, until: {} ns, link: [{}, {}], bandwidth: {} Gb/s}}, ",
                              at,
                              at + 20 + draws.Below(2000),
                              input.Topology().Vertex(link.from).name,
                              input.Topology().Vertex(link.to).name,
                              draws.Pick({"1", "3", "40", "900"}));
    }
    return "network.faults=[" + faults + "]";
}

RunResults
RunWithBuffer(const std::filesystem::path& file,
              const std::string& buffer,
              const std::string& faults = "network.faults=[]")
{
    const RunInput input(file, {"network.packet.buffer=" + buffer, faults});
    RunProgress progress;
    Simulation simulation(input, progress);
    RunResults results = simulation.Run();
    simulation.CheckConservation();
    return results;
}

void
CheckAllArrived(const RunInput& input, const RunResults& results)
{
    Bytes delivered;
    uint64_t frames = 0;
    for (const FlowRecord& flow : *results.flows)
    {
        delivered += flow.size;
        frames += CountFrames(flow.size, input.Config().network.packet.payload);
    }
    CHECK(delivered == results.BytesSent());
    CHECK(results.totals.packets == frames + results.totals.retransmissions);
}

/// A run with the least buffer and a margin, in which all that was sent has arrived.
RunResults
RunToEnd(const std::filesystem::path& file, Bytes margin, Seen& seen, const std::string& faults)
{
    const RunInput input(file, {"network.packet.buffer=1 B", faults});
    const Bytes least =
        FindLeastBuffer(input.Topology(), input.Routing(), input.Config().network.packet);
    RunResults results = RunWithBuffer(file, fmt::format("{} B", (least + margin).Count()), faults);
    CAPTURE(least.Count(), margin.Count(), results.exitReason);
    REQUIRE(results.status == RunStatus::Done);
    CheckAllArrived(input, results);
    seen.drops += results.totals.drops;
    seen.pausing += results.totals.pauses > 0 ? 1 : 0;
    seen.marking += results.totals.ecnMarks > 0 ? 1 : 0;
    seen.pauses += results.totals.pauses;
    return results;
}

} // namespace

TEST_CASE("Priority flow control: random networks with the least buffers drop nothing",
          "[property][packet]")
{
    const uint32_t count = CaseCount{.reduced = 12, .normal = 120, .full = 3000}.Pick();
    const ScratchDirectory scratch("lossless");
    Seen seen;
    for (uint64_t seed = 0; seed < count; ++seed)
    {
        const RandomNetwork network(seed);
        const std::string yaml = network.Yaml();
        CAPTURE(seed, yaml);
        const RunResults results = RunToEnd(
            scratch.Write("run.yaml", yaml), network.DrawMargin(), seen, "network.faults=[]");
        CHECK(results.totals.retransmissions == 0);
    }
    CHECK(seen.drops == 0);
    CHECK(seen.pausing > count / 2);
    CHECK(seen.marking > count / 8);
    CHECK(seen.pauses > 20 * uint64_t{count});
}

TEST_CASE("Priority flow control: what slow frames before a pause let drop is sent once more",
          "[property][packet]")
{
    const uint32_t count = CaseCount{.reduced = 12, .normal = 120, .full = 3000}.Pick();
    const ScratchDirectory scratch("lossless-faults");
    Seen seen;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + count; ++seed)
    {
        const RandomNetwork network(seed);
        const std::string yaml = network.Yaml();
        const std::filesystem::path file = scratch.Write("run.yaml", yaml);
        const std::string faults = DrawFaults(RunInput(file, {"network.packet.buffer=1 B"}), seed);
        CAPTURE(seed, yaml, faults);
        const RunResults results = RunToEnd(file, Bytes(0), seen, faults);
        CHECK(results.totals.retransmissions >= results.totals.drops);
    }
    CHECK(seen.pausing > count / 2);
    CHECK((count < 200 || seen.drops > 0));
}

TEST_CASE("Priority flow control: a byte less than the least buffer is refused",
          "[property][packet]")
{
    const ScratchDirectory scratch("lossless");
    for (uint64_t seed = 0; seed < 12; ++seed)
    {
        const std::string yaml = RandomNetwork(seed).Yaml();
        CAPTURE(seed, yaml);
        const std::filesystem::path file = scratch.Write("run.yaml", yaml);
        const RunInput input(file, {"network.packet.buffer=1 B"});
        const Bytes least =
            FindLeastBuffer(input.Topology(), input.Routing(), input.Config().network.packet);
        if (least > Bytes(1)) // else nothing forwards frames
        {
            CHECK_THROWS_AS(RunWithBuffer(file, fmt::format("{} B", least.Count() - 1)),
                            ConfigError);
        }
    }
}
