// SPDX-License-Identifier: GPL-2.0-only
// Where each congestion control holds the queue and the load of one bottleneck.
#include "tests/support/congestion-bench.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// The network and the parameters of the paper (Zhu et al., 2015): 40 Gb/s, marks from 5 to 200 KB,
/// notifications each 50 us, timers of 55 us.
///
/// The defaults, those of the HPCC simulator, have no such point. Their increase timer of 300 us
/// starts anew at each decrease, so rates grow only after 300 us without a mark: some 1800 frames
/// of one of two flows at 100 Gb/s. Growth and decrease balance where p is about 1/1800, which with
/// marks from 400 to 1600 KB and p = 0.2 is 3 KB above the lower threshold. Any more, and all only
/// decrease, until the queue is empty enough for 300 us: it swings across 400 KB, mostly below.
CongestionCase
MakePublishedDcqcn(uint32_t senders)
{
    CongestionCase one = CongestionCase::Of("dcqcn", SimTime::FromNs(60'000'000));
    one.senders = senders;
    one.rate = Bandwidth::FromBitsPerSecond(40'000'000'000);
    one.stagger = SimTime::FromNs(100'000);
    one.options.ecn = EcnOptions{Bytes(5'000), Bytes(200'000), 0.01};
    one.options.congestionControl.parameters = {{"alpha-interval", "55us"},
                                                {"decrease-interval", "50us"},
                                                {"increase-interval", "55us"},
                                                {"notification-interval", "50us"},
                                                {"fast-recovery-stages", "5"},
                                                {"additive-increase", "40Mb/s"},
                                                {"hyper-increase", "400Mb/s"}};
    return one;
}

/// Marks every frame that leaves more than `threshold` behind it, and no other.
CongestionCase
MakeDctcpCase(uint32_t senders, Bytes threshold)
{
    CongestionCase one = CongestionCase::Of("dctcp", SimTime::FromNs(4'000'000));
    one.senders = senders;
    one.options.ecn = EcnOptions{threshold, threshold, 1};
    return one;
}

double
ToDouble(Bytes size)
{
    return static_cast<double>(size.Count());
}

/// What passes in this time.
double
BytesIn(double microseconds, Bandwidth rate)
{
    return microseconds * static_cast<double>(rate.BitsPerSecond()) / 8e6;
}

double
ToUs(SimTime time)
{
    return static_cast<double>(time.Ps()) / 1e6;
}

} // namespace

TEST_CASE("DCQCN: the queue settles between the marking thresholds, higher with more flows",
          "[component][packet][congestion]")
{
    double before = 0;
    for (const uint32_t senders : {2U, 4U, 8U})
    {
        const CongestionCase one = MakePublishedDcqcn(senders);
        const CongestionSight seen = Watch(one);
        CAPTURE(senders, seen.meanQueue);
        CHECK(seen.meanQueue > ToDouble(one.options.ecn->min));
        CHECK(seen.meanQueue < ToDouble(one.options.ecn->max));
        CHECK(seen.meanQueue > before); // each flow needs its marks, so there must be more of them
        CHECK(seen.utilization > 0.98);
        CHECK(seen.totals.cnps > 0);
        before = seen.meanQueue;
    }
}

TEST_CASE("HPCC: the bottleneck carries eta of its rate, and hardly a frame waits",
          "[component][packet][congestion]")
{
    for (const char* eta : {"0.95", "0.8"})
    {
        for (const uint32_t senders : {2U, 4U})
        {
            CongestionCase one = CongestionCase::Of("hpcc", SimTime::FromNs(4'000'000));
            one.senders = senders;
            one.options.congestionControl.parameters = {{"target-utilization", eta}};
            const CongestionSight seen = Watch(one);
            CAPTURE(senders, eta, seen.utilization, seen.meanQueue);
            // The additive step, 1/2500 of the line rate for each sender, comes on top; what waits
            // counts as load and is taken off.
            CHECK(seen.utilization == Approx(std::stod(eta)).margin(0.01));
            CHECK(seen.meanQueue < ToDouble(one.FullFrame()));
            CHECK(seen.largestQueue <= ToDouble(one.FullFrame() * int64_t{senders}));
        }
    }
}

TEST_CASE("HPCC: a link that a fault slows down carries eta of the rate that it has then",
          "[component][packet][congestion]")
{
    CongestionCase one = CongestionCase::Of("hpcc", SimTime::FromNs(4'000'000));
    one.slowed = Bandwidth::FromBitsPerSecond(one.rate.BitsPerSecond() / 4);
    one.options.congestionControl.parameters = {{"target-utilization", "0.95"}};
    const CongestionSight seen = Watch(one);
    CAPTURE(seen.utilization, seen.meanQueue);
    // The additive step is four times as large a share of this link. Measured against the rate
    // without the fault, load would be a quarter of what it is, and the queue would have to stand
    // for the rest: 0.7 of what is in flight at the full rate.
    CHECK(seen.utilization * 4 == Approx(0.95).margin(0.03));
    CHECK(seen.meanQueue < ToDouble(one.FullFrame()) * 2);
}

TEST_CASE("Swift: round trips stay at the target delay of the window that each flow has",
          "[component][packet][congestion]")
{
    for (const uint32_t senders : {2U, 4U, 8U})
    {
        CongestionCase one = CongestionCase::Of("swift", SimTime::FromNs(4'000'000));
        one.senders = senders;
        const CongestionSight seen = Watch(one);
        const double base = ToUs(one.BaseRoundTrip());
        const double delay = base + seen.meanQueue / BytesIn(1, one.rate);
        // All flows together have in flight what the link takes in one round trip.
        const double window =
            BytesIn(delay, one.rate) / ToDouble(one.FullFrame()) / static_cast<double>(senders);
        // target = base + hops x 0.15 base + fs, fs = 5 base x (w^-1/2 - wmax^-1/2) / (wmin^-1/2 -
        // wmax^-1/2), with wmin = 0.1 and wmax = 100 frames.
        const double most = 1 / std::sqrt(0.1) - 0.1;
        const double target = base * (1 + 2 * 0.15 + 5 * (1 / std::sqrt(window) - 0.1) / most);
        CAPTURE(senders, delay, target);
        CHECK(delay == Approx(target).epsilon(0.05));
        CHECK(seen.utilization > 0.999);
    }
}

TEST_CASE("DCTCP: the queue stays as near below its threshold as the paper computes",
          "[component][packet][congestion]")
{
    for (const int64_t frames : {30, 60})
    {
        for (const uint32_t senders : {2U, 4U})
        {
            CongestionCase one = MakeDctcpCase(senders, Bytes(1048 * frames));
            one.options.congestionControl.parameters = {{"max-window", "400000"}};
            const CongestionSight seen = Watch(one);
            const double frame = ToDouble(one.FullFrame());
            const double threshold = static_cast<double>(frames);
            const double flying = BytesIn(ToUs(one.BaseRoundTrip()), one.rate) / frame;
            // Alizadeh et al., 2010: the queue rises to K + n frames and falls by
            // sqrt(2 n (C RTT + K)) / 2 when all windows shrink together.
            const double swing = std::sqrt(2 * senders * (flying + threshold)) / 2;
            CAPTURE(frames, senders, seen.meanQueue / frame, swing);
            CHECK(seen.largestQueue / frame <= threshold + senders + 1);
            CHECK(seen.smallestQueue / frame >= threshold + senders - swing - 2);
            CHECK(seen.meanQueue / frame == Approx(threshold).margin(swing));
            CHECK(seen.utilization > 0.999);
        }
    }
}

TEST_CASE("TIMELY: round trips stay bounded by its thresholds while the link stays busy",
          "[component][packet][congestion]")
{
    for (const uint32_t senders : {2U, 4U})
    {
        CongestionCase one = CongestionCase::Of("timely", SimTime::FromNs(20'000'000));
        one.senders = senders;
        one.stagger = SimTime::FromNs(100'000);
        const CongestionSight seen = Watch(one);
        const double base = ToUs(one.BaseRoundTrip());
        const double mean = base + seen.meanQueue / BytesIn(1, one.rate);
        const double longest = base + seen.largestQueue / BytesIn(1, one.rate);
        CAPTURE(senders, base, mean, longest);
        // It has no unique fixed point; below 2.5 base round trips it always speeds up, above 25
        // it always slows down.
        CHECK(mean < 2.5 * base);
        CHECK(longest > 1.5 * base); // it does probe
        CHECK(longest < 25 * base);
        CHECK(seen.utilization > 0.8);
    }
}

TEST_CASE("Congestion control: without one an overload waits whole",
          "[component][packet][congestion]")
{
    CongestionCase one = CongestionCase::Of("none", SimTime::FromNs(1'000'000));
    const CongestionSight seen = Watch(one);
    // Two links' worth come in, one goes out.
    const double expected = BytesIn(1000, one.rate);
    CHECK(seen.largestQueue == Approx(expected).epsilon(0.01));
    CHECK(seen.utilization == Approx(1).margin(0.001));
}
