// SPDX-License-Identifier: GPL-2.0-only
// Flows that enter a bottleneck one by one come to equal shares.
#include "tests/support/congestion-bench.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <optional>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// How flows enter, for long enough that the published steps even them out.
struct Entry
{
    std::string control;
    int64_t endUs = 0;
    std::map<std::string, std::string> parameters = {};
    std::optional<EcnOptions> ecn = std::nullopt;
};

CongestionSight
Enter(const Entry& entry, uint32_t senders)
{
    CongestionCase one = CongestionCase::Of(entry.control, SimTime::FromNs(1000 * entry.endUs));
    one.senders = senders;
    one.stagger = SimTime::FromNs(100'000);
    one.latency = SimTime::FromNs(3'000); // round trips of 12 us, as those of the HPCC paper
    one.options.ecn = entry.ecn;
    one.options.congestionControl.parameters = entry.parameters;
    return Watch(one);
}

} // namespace

TEST_CASE("Congestion control: equal flows that enter one by one get equal shares",
          "[component][packet][congestion]")
{
    const std::string control = GENERATE("dcqcn", "hpcc", "swift", "dctcp", "timely");
    const std::map<std::string, Entry> entries{
        {"dcqcn", {"dcqcn", 20'000, {}, EcnOptions{}}},
        {"hpcc", {"hpcc", 40'000, {{"max-stage", "5"}}}},
        {"swift", {"swift", 10'000}},
        // A step would lock the phases of two flows; a ramp, as switches have it, does not.
        {"dctcp", {"dctcp", 20'000, {}, EcnOptions{Bytes(60'000), Bytes(70'000), 0.5}}},
        {"timely", {"timely", 20'000}},
    };
    for (const uint32_t senders : {2U, 4U})
    {
        const CongestionSight seen = Enter(entries.at(control), senders);
        CAPTURE(control, senders, seen.shares);
        CHECK(seen.FairnessIndex() > 0.95);
        CHECK(seen.utilization > 0.75);
    }
}

TEST_CASE("Congestion control: without one, and with a window, the round robin alone is fair",
          "[component][packet][congestion]")
{
    CongestionCase one = CongestionCase::Of("none", SimTime::FromNs(2'000'000));
    one.senders = 4;
    one.stagger = SimTime::FromNs(100'000);
    one.options.window.kind = WindowChoice::Kind::BandwidthDelayProduct;
    const CongestionSight seen = Watch(one);
    CHECK(seen.FairnessIndex() > 0.999);
    // Each has a bandwidth-delay product of payload in flight, rounded up to whole frames; one
    // product of wire bytes is on the way, the rest waits.
    const double product = static_cast<double>(one.BaseRoundTrip().Ps()) *
                           static_cast<double>(one.rate.BitsPerSecond()) / 8e12;
    const double frames = std::ceil(product / static_cast<double>(one.options.payload.Count()));
    const double flying = 4 * frames * static_cast<double>(one.FullFrame().Count());
    CHECK(seen.meanQueue == Approx(flying - product).epsilon(0.01));
}
