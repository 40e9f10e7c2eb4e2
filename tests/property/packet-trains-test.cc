// SPDX-License-Identifier: GPL-2.0-only
// Trains change no result: not a finish time, not a delivery, not a counter of a link.
#include "common/error.h"
#include "common/hash.h"
#include "tests/support/case-count.h"
#include "tests/support/draws.h"
#include "tests/support/packet-forms.h"
#include "tests/support/train-case.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

bool
IsWrong(const TrainCase& test)
{
    try
    {
        return !test.IsAlike();
    }
    catch (const ConfigError&)
    {
        return false; // what was left out was needed
    }
}

/// Without the settings of these keys.
void
LeaveOut(const std::vector<std::string>& keys, TrainCase& drawn)
{
    std::erase_if(drawn.settings,
                  [&keys](const std::string& setting)
                  {
                      return std::ranges::any_of(keys,
                                                 [&setting](const std::string& key)
                                                 { return setting.starts_with(key); });
                  });
}

const std::vector<std::string> THRESHOLDS{
    "network.packet.ecn", "network.packet.buffer", "network.packet.pfc"};

/// Without what marks, pauses, drops or slows down.
TrainCase
DrawWithoutThresholds(uint64_t seed)
{
    TrainCase drawn = DrawTrainCase(seed);
    LeaveOut(THRESHOLDS, drawn);
    return drawn;
}

/// The same traffic with a threshold next to the highest queue that it has without any.
std::optional<TrainCase>
DrawNextToHighestQueue(uint64_t seed)
{
    TrainCase drawn = DrawWithoutThresholds(seed);
    const uint64_t highest = drawn.RunToEnd("off").highestQueue;
    if (highest == 0)
    {
        return {};
    }
    const uint64_t min = highest - 1 + seed % 3;
    drawn.settings.push_back(fmt::format(
        "network.packet.ecn={{min: {} B, max: {} B, probability: 1}}", min, 2 * min + 2));
    drawn.settings.push_back("network.packet.congestion-control=dcqcn");
    if (seed % 2 == 0)
    {
        // An egress of an otherwise empty memory may hold half of it.
        const uint64_t size = std::max<uint64_t>(2 * highest - 2 + seed % 5, 20'000);
        drawn.settings.push_back(fmt::format("network.packet.buffer={} B", size));
    }
    return drawn;
}

TrainCase
WithPausesAt(TrainCase drawn, uint64_t buffer)
{
    drawn.settings.push_back(fmt::format("network.packet.buffer={} B", buffer));
    drawn.settings.emplace_back("network.packet.pfc={headroom: auto, alpha: 0.05}");
    return drawn;
}

/// Nothing where the buffer is smaller than its headroom.
std::optional<uint64_t>
CountPauses(const TrainCase& drawn, uint64_t buffer)
{
    try
    {
        return WithPausesAt(drawn, buffer).RunToEnd("off").totals.pauses;
    }
    catch (const ConfigError&)
    {
        return {};
    }
}

/// The buffer, doubled until the headroom of every switch fits into it.
uint64_t
GrowToHeadroom(const TrainCase& drawn, uint64_t buffer)
{
    const uint64_t most = 1'000'000'000;
    while (buffer < most && !CountPauses(drawn, buffer))
    {
        buffer *= 2;
    }
    return buffer;
}

/// The least buffer with which nobody is paused, at most 64 MB: up to the first pause, all buffers
/// have the same run.
uint64_t
FindBufferWithoutPauses(const TrainCase& drawn)
{
    uint64_t pausing = 1000;
    uint64_t quiet = 64'000'000;
    while (quiet - pausing > 1)
    {
        const uint64_t middle = pausing + (quiet - pausing) / 2;
        (CountPauses(drawn, middle).value_or(1) > 0 ? pausing : quiet) = middle;
    }
    return quiet;
}

/// Senders that are slowed down by marks, and whose rates grow again while they send: by steps
/// that come and go within a few frames, or as seldom as in real networks.
TrainCase
DrawPaced(uint64_t seed)
{
    TrainCase drawn = DrawTrainCase(seed);
    std::erase_if(drawn.settings,
                  [](const std::string& setting)
                  {
                      return setting.starts_with("network.faults") ||
                             setting.starts_with("network.ns3") ||
                             (setting.starts_with("network.packet.") &&
                              !setting.starts_with("network.packet.payload") &&
                              !setting.starts_with("network.packet.header"));
                  });
    const auto draw = [seed](uint64_t what, uint64_t end) { return Hash64({seed, what}) % end; };
    for (uint64_t part = 0; part < 30 && drawn.traffic == TrainTraffic::Flows; part += 10)
    {
        drawn.parts.push_back(fmt::format("{{src: {}, dst: 0, size: {} B, at: {} us}}",
                                          1 + draw(part, drawn.npus - 1),
                                          100'000 + draw(part + 1, 900'000),
                                          draw(part + 2, 3) * draw(part + 3, 100)));
    }
    drawn.settings.push_back(
        fmt::format("network.packet.congestion-control={{name: dcqcn, alpha-interval: {} ns, "
                    "decrease-interval: {} ns, increase-interval: {} ns, notification-interval: "
                    "{} ns, hyper-increase: {} Gb/s, first-rate-factor: {}, clamp-target: {}}}",
                    1 + draw(100, 2000),
                    100 + draw(101, 8000),
                    500 + draw(102, draw(103, 2) == 0 ? 3000 : 60'000),
                    draw(104, 3) * 2000,
                    1 + draw(105, 5),
                    draw(106, 2) == 0 ? "1" : "0.6",
                    draw(107, 2) == 0 ? "on" : "off"));
    drawn.settings.push_back(fmt::format("network.packet.ecn={{min: {} B, max: {} B, "
                                         "probability: {}}}",
                                         1000 + draw(108, 20'000),
                                         21'000 + draw(109, 100'000),
                                         draw(110, 2) == 0 ? "1" : "0.1"));
    switch (draw(111, 4))
    {
    case 0:
        drawn.settings.emplace_back("network.packet.buffer=300 KB"); // drops in some
        break;
    case 1: // the calm of a memory ends and begins again
        drawn.settings.emplace_back("network.packet.buffer=4 MB");
        drawn.settings.push_back(fmt::format("network.packet.pfc={{headroom: auto, alpha: {}}}",
                                             draw(112, 2) == 0 ? "0.01" : "0.03"));
        break;
    default:
        break;
    }
    return drawn;
}

/// Incasts to several NPUs, which fill memories and empty them again: the calm of one switch begins
/// anew while queues at its neighbours are above their first mark.
TrainCase
DrawIncasts(uint64_t seed)
{
    TrainCase drawn = DrawPaced(seed);
    LeaveOut(THRESHOLDS, drawn);
    LeaveOut({"network.packet.congestion-control"}, drawn);
    const auto draw = [seed](uint64_t what, uint64_t end) {
        return Hash64({seed, what + 1000}) % end;
    };
    for (uint64_t part = 0; part < 120 && drawn.traffic == TrainTraffic::Flows; part += 4)
    {
        const uint64_t target = draw(part, 3) * (drawn.npus / 3);
        const uint64_t sender = draw(part + 1, drawn.npus - 1);
        drawn.parts.push_back(fmt::format("{{src: {}, dst: {}, size: {} B, at: {} ns}}",
                                          sender + (sender >= target ? 1 : 0),
                                          target,
                                          20'000 + draw(part + 2, 280'000),
                                          draw(part + 3, 100'000)));
    }
    const uint64_t min = draw(200, 2) == 0 ? 5000 : 20'000;
    drawn.settings.push_back(fmt::format("network.packet.ecn={{min: {} B, max: {} B, "
                                         "probability: {}}}",
                                         min,
                                         4 * min,
                                         draw(201, 2) == 0 ? "1" : "0.2"));
    drawn = WithPausesAt(drawn, GrowToHeadroom(drawn, 1'000'000ULL << draw(202, 4)));
    if (draw(203, 2) == 0)
    {
        drawn.settings.emplace_back("network.packet.congestion-control=dcqcn");
    }
    return drawn;
}

bool
HasSetting(const TrainCase& drawn, const std::string& key)
{
    return std::ranges::any_of(
        drawn.settings, [&key](const std::string& setting) { return setting.starts_with(key); });
}

/// "rail", "leaf-spine", ...; "stack" of dimensions.
std::string
NameFabric(const TrainCase& drawn)
{
    const std::string before = "generator: ";
    const size_t begin = drawn.network.find(before);
    if (begin == std::string::npos)
    {
        return "stack";
    }
    const size_t name = begin + before.size();
    return drawn.network.substr(name, drawn.network.find(',', name) - name);
}

/// In how many cases trains were made, and something acted that ends them.
struct Coverage
{
    uint32_t marks = 0;
    uint32_t notifications = 0;
    uint32_t pauses = 0;
    uint32_t drops = 0;
    std::set<std::string> fabrics; ///< that had trains beside memories that can drop

    void Count(const TrainCase& drawn, const NetworkTotals& totals)
    {
        const bool hasTrains = totals.trains > 0;
        marks += hasTrains && totals.ecnMarks > 0;
        notifications += hasTrains && totals.cnps > 0;
        pauses += hasTrains && totals.pauses > 0;
        drops += hasTrains && totals.drops > 0;
        if (hasTrains && HasSetting(drawn, "network.packet.buffer") &&
            !HasSetting(drawn, "network.packet.pfc"))
        {
            fabrics.insert(NameFabric(drawn));
        }
    }
};

void
RequireAlike(const TrainCase& drawn, uint64_t seed, Coverage& coverage)
{
    INFO("seed " << seed << ":\n" << drawn.Describe()); // where a run aborts
    const TrainCase::Outcome with = drawn.RunToEnd("on");
    coverage.Count(drawn, with.totals);
    if (with.text == drawn.Run("off"))
    {
        return;
    }
    const TrainCase least = Minimise(drawn, IsWrong);
    UNSCOPED_INFO("seed " << seed << ", made as small as possible:\n" << least.Describe());
    REQUIRE(least.Run("on") == least.Run("off"));
}

} // namespace

TEST_CASE("Trains: digests with and without them are equal", "[property][packet][trains]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 8, .normal = 80, .full = 10'000}.Pick();
    Coverage coverage;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        RequireAlike(DrawTrainCase(seed), seed, coverage);
    }
    CAPTURE(coverage.marks, coverage.notifications, coverage.pauses, coverage.drops);
    const bool isCovered = coverage.marks > 0 && coverage.notifications > 0 &&
                           coverage.pauses > 0 && coverage.drops > 0;
    CHECK((count < 400 || isCovered)); // what breaks bounds is among what is drawn
}

TEST_CASE("Trains: digests are equal where memories may drop, on fabrics of every kind",
          "[property][packet][trains]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 6, .normal = 50, .full = 4'000}.Pick();
    Coverage coverage;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        TrainCase drawn = DrawWithoutThresholds(seed);
        const uint64_t kilobytes = std::array{100, 1000, 32'000}.at(seed % 3);
        drawn.settings.push_back(fmt::format("network.packet.buffer={} KB", kilobytes));
        RequireAlike(drawn, seed, coverage);
    }
    const std::set<std::string> all{
        "dragonfly", "fat-tree", "leaf-spine", "nodes", "rail", "stack"};
    CHECK((count < 120 || (coverage.fabrics == all && coverage.drops > 0)));
}

TEST_CASE("Trains: digests are equal where memories pause, with one data priority or two",
          "[property][packet][trains]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 6, .normal = 60, .full = 10'000}.Pick();
    Coverage coverage;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        RequireAlike(DrawLosslessCase(seed), seed, coverage);
    }
    CAPTURE(coverage.marks, coverage.pauses);
    CHECK((count < 150 || (coverage.marks > 0 && coverage.pauses > 0)));
}

TEST_CASE("Trains: digests are equal where senders are paced", "[property][packet][trains]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 6, .normal = 50, .full = 4'000}.Pick();
    Coverage coverage;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        RequireAlike(DrawPaced(seed), seed, coverage);
    }
    CAPTURE(coverage.marks, coverage.notifications, coverage.drops);
    CHECK((count < 100 || (coverage.notifications > 20 && coverage.drops > 0)));
}

TEST_CASE("Trains: digests are equal where memories fill and become quiet again",
          "[property][packet][trains]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 8, .normal = 80, .full = 10'000}.Pick();
    Coverage coverage;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        RequireAlike(DrawIncasts(seed), seed, coverage);
    }
    CAPTURE(coverage.marks, coverage.pauses);
    CHECK((count < 200 || (coverage.marks > 10 && coverage.pauses > 0)));
}

TEST_CASE("Trains: digests are equal where a threshold lies next to the highest queue",
          "[property][packet][trains]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 6, .normal = 50, .full = 4'000}.Pick();
    Coverage coverage;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        if (const std::optional<TrainCase> drawn = DrawNextToHighestQueue(seed))
        {
            RequireAlike(*drawn, seed, coverage);
        }
    }
    CHECK((count < 120 || (coverage.marks > 0 && coverage.drops > 0)));
}

TEST_CASE("Trains: digests are equal where the threshold of a pause lies next to what is held",
          "[property][packet][trains]")
{
    const uint64_t first = FirstSeed();
    const uint32_t count = CaseCount{.reduced = 2, .normal = 8, .full = 400}.Pick();
    Coverage coverage;
    for (uint64_t seed = first; seed < first + count; ++seed)
    {
        const TrainCase drawn = DrawWithoutThresholds(seed);
        const uint64_t quiet = FindBufferWithoutPauses(drawn);
        for (const uint64_t buffer : {quiet - 1, quiet, quiet + 1})
        {
            if (CountPauses(drawn, buffer))
            {
                RequireAlike(WithPausesAt(drawn, buffer), seed, coverage);
            }
        }
    }
    CHECK((count < 12 || coverage.pauses > 0));
}
