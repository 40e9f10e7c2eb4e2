// SPDX-License-Identifier: GPL-2.0-only
// Whole runs have the same results with and without the memo, also where answers are given up at
// any instant.
#include "common/hash.h"
#include "network/network-options.h"
#include "tests/support/case-count.h"
#include "tests/support/draws.h"
#include "tests/support/train-case.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A leaf or two with some ranks each, joined by a spine.
void
DrawLeaves(Draws& draws, TrainCase& drawn)
{
    const std::string link = draws.Pick({"50 Gb/s, latency: 0 ns",
                                         "100 Gb/s, latency: 500 ns",
                                         "100 Gb/s, latency: 85120 ps",
                                         "800 Gb/s, latency: 1 ps"});
    drawn.npus = static_cast<uint32_t>(2 + draws.Below(8));
    const bool isEven = drawn.npus % 2 == 0;
    drawn.network =
        fmt::format("  topology: {{generator: leaf-spine, npus: {}, npus-per-leaf: {}, spines: 1, "
                    "link: {{bandwidth: {}}}, uplink: {{bandwidth: {}}}}}\n",
                    drawn.npus,
                    isEven && draws.Below(2) == 0 ? drawn.npus / 2 : drawn.npus,
                    link,
                    link);
    if (isEven && draws.Below(2) == 0)
    {
        drawn.settings.push_back(fmt::format("system.dimensions=[2, {}]", drawn.npus / 2));
    }
}

/// Leaves out most of what rules a memo out.
void
DropHindrances(Draws& draws, TrainCase& drawn)
{
    const auto isDropped = [&draws](const std::string& setting)
    {
        const bool isHindrance = setting.find("output.series") == 0 ||
                                 setting.find("network.faults") == 0 ||
                                 setting.find("load-balancing") != std::string::npos;
        return isHindrance && draws.Below(8) != 0;
    };
    drawn.settings.erase(std::remove_if(drawn.settings.begin(), drawn.settings.end(), isDropped),
                         drawn.settings.end());
}

void
DrawCollectives(Draws& draws, TrainCase& drawn)
{
    const auto set = [&drawn](const std::string& text)
    { drawn.settings.push_back("system." + text); };
    for (const std::string type : {"all-reduce", "all-gather", "reduce-scatter"})
    {
        set("collectives." + type + "=" +
            draws.Pick({"ring", "ring", "halving-doubling", "direct"}));
    }
    set("collectives.broadcast=" + draws.Pick({"halving-doubling", "double-binary-tree", "ring"}));
    set("chunks=" + draws.Pick({"1", "2", "4", "8"}));
    set("endpoint-delay=" + draws.Pick({"0 ns", "10 ns", "85120 ps", "2 us"}));
    if (draws.Below(3) == 0)
    {
        set("reduction-bandwidth=" + draws.Pick({"100 GB/s", "1 GB/s"}));
    }
    if (draws.Below(4) == 0)
    {
        set("concurrent-collectives=1");
    }
}

/// A job of few operations that come again and again, on a network that seldom rules a memo out.
TrainCase
DrawRepeatingCase(uint64_t seed)
{
    Draws draws(Hash64({seed, 15}));
    const bool isLossless = draws.Below(4) == 0; // often with two data priorities
    TrainCase drawn = isLossless ? DrawLosslessCase(seed) : DrawTrainCase(seed);
    drawn.traffic = TrainTraffic::Job;
    drawn.jobSeed = seed;
    drawn.jobShape.width = static_cast<uint32_t>(1 + draws.Below(8) / 4);
    drawn.jobShape.period = static_cast<uint32_t>(1 + draws.Below(4));
    drawn.parts.assign(6 + draws.Below(20), "operation");
    if (!isLossless && draws.Below(3) > 0)
    {
        DrawLeaves(draws, drawn);
    }
    DropHindrances(draws, drawn);
    DrawCollectives(draws, drawn);
    if (draws.Below(4) == 0)
    {
        drawn.settings.push_back("output.flows=on");
    }
    return drawn;
}

/// What keeps a memo from answering all that it could.
struct Hindrance
{
    uint32_t interrupt = 0; ///< answers are given up with one chance in this number; 0: never
    uint64_t words = PacketOptions().memoWords;
};

/// The outcome with the memo. Where answers are given up, the events of an instant come in another
/// order too.
TrainCase::Outcome
RunWithMemo(TrainCase drawn, const std::string& memo, const Hindrance& hindrance)
{
    drawn.settings.push_back("network.packet.memo=" + memo);
    drawn.modes.memoInterrupt = hindrance.interrupt;
    drawn.modes.memoWords = hindrance.words;
    if (hindrance.interrupt > 0)
    {
        drawn.modes.scrambleSeed = drawn.jobSeed;
    }
    return drawn.RunToEnd("on");
}

} // namespace

TEST_CASE("Memo: whole collectives end as without it, also where answers are given up",
          "[property][packet][memo]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 8, .normal = 24, .full = 5000}.Pick();
    uint32_t skipped = 0;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        const TrainCase drawn = DrawRepeatingCase(seed);
        const std::string without = RunWithMemo(drawn, "off", {}).text;
        skipped += RunWithMemo(drawn, "on", {}).totals.memoSkipped > 0 ? 1 : 0;
        // Room for little, and room for much of what the job brings.
        const Hindrance forgets{.words = uint64_t{1} << seed % 16};
        for (const Hindrance& hindrance : {Hindrance(), Hindrance{3}, Hindrance{1}, forgets})
        {
            const auto isWrong = [&](const TrainCase& test) {
                return RunWithMemo(test, "on", hindrance).text != RunWithMemo(test, "off", {}).text;
            };
            if (RunWithMemo(drawn, "on", hindrance).text != without)
            {
                const TrainCase least = Minimise(drawn, isWrong);
                UNSCOPED_INFO("seed " << seed << ", given up one in " << hindrance.interrupt << ", "
                                      << hindrance.words << " words, made as small as possible:\n"
                                      << least.Describe());
                REQUIRE(RunWithMemo(least, "on", hindrance).text ==
                        RunWithMemo(least, "off", {}).text);
            }
        }
    }
    // Else nothing was tested.
    CHECK(skipped > count / 4);
}

TEST_CASE("Memo: digests with and without it are equal", "[property][packet][memo]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 8, .normal = 120, .full = 10'000}.Pick();
    const auto runWith = [](const TrainCase& drawn, const std::string& memo)
    { return RunWithMemo(drawn, memo, {}); };
    uint32_t answered = 0;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        const TrainCase drawn = DrawTrainCase(seed);
        const TrainCase::Outcome with = runWith(drawn, "on");
        answered += with.totals.memoAnswered > 0 ? 1 : 0;
        if (with.text == runWith(drawn, "off").text)
        {
            continue;
        }
        const auto isWrong = [&](const TrainCase& test)
        { return runWith(test, "on").text != runWith(test, "off").text; };
        const TrainCase least = Minimise(drawn, isWrong);
        UNSCOPED_INFO("seed " << seed << ", made as small as possible:\n" << least.Describe());
        REQUIRE(runWith(least, "on").text == runWith(least, "off").text);
    }
    CAPTURE(answered);
    CHECK((count < 400 || answered > count / 10)); // else nothing was tested
}
