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

/// How flows enter.
struct Entry
{
    std::string control;
    int64_t endUs = 0; ///< of the watch, whose last half counts
    std::map<std::string, std::string> parameters = {};
    std::optional<EcnOptions> ecn = std::nullopt;
};

constexpr uint32_t MOST_SENDERS = 4;
constexpr int64_t STAGGER_NS = 100'000;

CongestionCase
MakeCase(const std::string& control, SimTime end)
{
    CongestionCase one = CongestionCase::Of(control, end);
    one.stagger = SimTime::FromNs(STAGGER_NS);
    return one;
}

double
BandwidthDelayBytes(const CongestionCase& one)
{
    return static_cast<double>(one.BaseRoundTrip().Ps()) *
           static_cast<double>(one.rate.BitsPerSecond()) / 8e12;
}

CongestionSight
Enter(const Entry& entry, uint32_t senders)
{
    CongestionCase one = MakeCase(entry.control, SimTime::FromNs(1000 * entry.endUs));
    one.senders = senders;
    one.options.ecn = entry.ecn;
    one.options.congestionControl.parameters = entry.parameters;
    return Watch(one);
}

/// HPCC with the step that its paper's rule gives to a link of rate C for N senders: C (1 - eta) /
/// N. At its fixed point eta / U = 1 - n AI / (eta C) for n senders. Each round trip multiplies the
/// difference of two rates by that, so it falls to 1/e in eta C / (n AI) round trips: 38 for two
/// senders where N is four. The watch begins ten times that after the last entry.
///
/// The default is the step of the HPCC simulator, which the rule gives for 125 senders: 1190 round
/// trips, and pulls so weak that whole frames outweigh them (docs/congestion/convergence.md).
Entry
MakeHpccEntry()
{
    const double eta = 0.95;
    const CongestionCase one = MakeCase("hpcc", {});
    const auto rate = static_cast<double>(one.rate.BitsPerSecond());
    const double step = rate * (1 - eta) / MOST_SENDERS;
    const double roundTrips = eta * rate / (2 * step);
    const double roundTripUs = static_cast<double>(one.BaseRoundTrip().Ps()) / 1e6;
    const double entriesUs = STAGGER_NS / 1e3 * (MOST_SENDERS - 1);
    const double beginUs = entriesUs + 10 * roundTrips * roundTripUs;
    return {"hpcc",
            static_cast<int64_t>(std::ceil(2 * beginUs)),
            {{"additive-increase", std::to_string(std::llround(step)) + "b/s"}}};
}

/// DCTCP with the threshold of its paper (Alizadeh et al., 2010): the least that never lets the
/// queue run empty, a seventh of a bandwidth-delay product.
Entry
MakeDctcpEntry()
{
    const CongestionCase one = MakeCase("dctcp", {});
    const Bytes threshold(std::llround(BandwidthDelayBytes(one) / 7));
    return {"dctcp", 4'000, {}, EcnOptions{threshold, threshold, 1}};
}

} // namespace

TEST_CASE("Congestion control: equal flows that enter one by one get equal shares",
          "[component][packet][congestion]")
{
    const std::string control = GENERATE("dcqcn", "hpcc", "swift", "dctcp", "timely");
    const std::map<std::string, Entry> entries{
        {"dcqcn", {"dcqcn", 20'000, {}, EcnOptions{}}},
        {"hpcc", MakeHpccEntry()},
        {"swift", {"swift", 4'000}},
        {"dctcp", MakeDctcpEntry()},
        {"timely", {"timely", 20'000}},
    };
    for (const uint32_t senders : {2U, MOST_SENDERS})
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
    const double product = BandwidthDelayBytes(one);
    const double frames = std::ceil(product / static_cast<double>(one.options.payload.Count()));
    const double flying = 4 * frames * static_cast<double>(one.FullFrame().Count());
    CHECK(seen.meanQueue == Approx(flying - product).epsilon(0.01));
}
