// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-timely.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricTimely);

namespace
{

// The paper's thresholds of 50 us and 500 us belong to round trips of 20 us.
constexpr double LOW_THRESHOLD_ROUND_TRIPS = 2.5;
constexpr double HIGH_THRESHOLD_ROUND_TRIPS = 25;

} // namespace

FabricTimelyRateControl::FabricTimelyRateControl(const FabricPathProperties& path,
                                                 const FabricTimelyParameters& parameters)
    : FabricRateControl(path)
    , m_parameters(parameters)
{
}

void
FabricTimelyRateControl::OnAcknowledgement(const FabricFeedback& feedback)
{
    // Negative acknowledgements measure no delay (FabricQueuePair::OnGap).
    if (feedback.roundTrip == 0)
    {
        return;
    }
    // By the starts of frames, not by what is acknowledged (FabricRoundTrips): behind a frame that
    // is missing nothing more is, for as long as nobody sends it again, but delays are measured.
    const int64_t start = feedback.now - feedback.roundTrip;
    if (start < m_roundTripBegin)
    {
        return;
    }
    m_roundTripBegin = feedback.now;
    const double delay = static_cast<double>(feedback.roundTrip);
    // The first round trip has no previous delay to differ from.
    if (m_lastDelay > 0)
    {
        const double weight = m_parameters.weight;
        m_difference = (1 - weight) * m_difference + weight * (delay - m_lastDelay);
        React(delay);
    }
    m_lastDelay = delay;
}

void
FabricTimelyRateControl::React(double delay)
{
    const double beta = m_parameters.decreaseFactor;
    // The tests come in the order of algorithm 1: outside the thresholds the delay itself decides,
    // and its gradient counts only between them.
    if (delay < m_parameters.lowThreshold)
    {
        Increase();
    }
    else if (delay > m_parameters.highThreshold)
    {
        Decrease(1 - beta * (1 - m_parameters.highThreshold / delay));
    }
    else if (GetGradient() <= 0)
    {
        Increase();
    }
    else
    {
        // With beta 0.8 a gradient above 1.25 would make the factor negative.
        Decrease(std::max(0.0, 1 - beta * GetGradient()));
    }
}

void
FabricTimelyRateControl::Increase()
{
    const bool isHyper = m_increases >= m_parameters.hyperAfter;
    ++m_increases;
    SetRate(m_rate + (isHyper ? m_parameters.hyperIncrease : m_parameters.additiveIncrease));
}

void
FabricTimelyRateControl::Decrease(double factor)
{
    // Hyper increases begin only after another row of increases.
    m_increases = 0;
    SetRate(m_rate * factor);
}

void
FabricTimelyRateControl::SetRate(double rate)
{
    const double before = m_rate;
    m_rate = std::clamp(rate, m_parameters.minRate, static_cast<double>(m_path.lineRate));
    if (m_rate < before)
    {
        CountSlowdown();
    }
}

TypeId
FabricTimely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricTimely")
            .SetParent<FabricCongestionControl>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricTimely>()
            .AddAttribute("MinRoundTrip",
                          "The round-trip time by which a change of the delay is divided to give "
                          "its gradient. 0 stands for that of the empty path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricTimely::m_minRoundTrip),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "LowThreshold",
                "The threshold Tlow: the rate grows whenever the round-trip time is below it. 0 "
                "stands for 2.5 times the minimum round-trip time, the ratio of the published 50 "
                "us to a round trip of 20 us; 50 us themselves would let 2.5 MB wait at 400 Gb/s.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&FabricTimely::m_lowThreshold),
                MakeTimeChecker(Time(0)))
            .AddAttribute("HighThreshold",
                          "The threshold Thigh: the rate falls whenever the round-trip time is "
                          "above it. 0 stands for 25 times the minimum round-trip time, the ratio "
                          "of the published 500 us to a round trip of 20 us.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricTimely::m_highThreshold),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Weight",
                          "The weight alpha of the newest change of the round-trip time in the "
                          "average of these changes, from 0 to 1.",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&FabricTimely::m_weight),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("DecreaseFactor",
                          "The strength beta of a multiplicative decrease, from 0 to 1. Between "
                          "the thresholds a decrease takes the part beta * gradient of the rate, "
                          "above Thigh the part beta * (1 - Thigh / delay).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&FabricTimely::m_decreaseFactor),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AdditiveIncrease",
                          "The growth delta of the rate in a round trip. By default (0, auto) it "
                          "is 10 Mb/s for each 10 Gb/s of line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&FabricTimely::m_additiveIncrease),
                          MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "The growth of the rate in a round trip after several increases in a "
                          "row. By default (0, auto) it is 50 Mb/s for each 10 Gb/s of line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&FabricTimely::m_hyperIncrease),
                          MakeDataRateChecker())
            .AddAttribute("HyperAfter",
                          "The number of increases in a row after which the hyper increase takes "
                          "the place of the additive one.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&FabricTimely::m_hyperAfter),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

std::string
FabricTimely::GetHelp() const
{
    return "TIMELY (Mittal et al., SIGCOMM 2015) raises or lowers the rate of a sender by the "
           "gradient "
           "of its round-trip time.";
}

FabricCongestionSignals
FabricTimely::GetSignals() const
{
    FabricCongestionSignals signals;
    signals.everyAcknowledgement = true;
    return signals;
}

std::unique_ptr<FabricRateControl>
FabricTimely::Open(const FabricPathProperties& path, int64_t /*now*/) const
{
    const double base = static_cast<double>(std::max<int64_t>(path.baseRoundTrip, 1));
    FabricTimelyParameters parameters;
    parameters.minRoundTrip = ScaleTime(m_minRoundTrip, base);
    parameters.lowThreshold =
        ScaleTime(m_lowThreshold, LOW_THRESHOLD_ROUND_TRIPS * parameters.minRoundTrip);
    parameters.highThreshold =
        ScaleTime(m_highThreshold, HIGH_THRESHOLD_ROUND_TRIPS * parameters.minRoundTrip);
    parameters.weight = m_weight;
    parameters.decreaseFactor = m_decreaseFactor;
    parameters.additiveIncrease = ScaleRate(m_additiveIncrease, {10'000'000, 10'000'000'000}, path);
    parameters.hyperIncrease = ScaleRate(m_hyperIncrease, {50'000'000, 10'000'000'000}, path);
    parameters.minRate = GetMinRate(path);
    parameters.hyperAfter = m_hyperAfter;
    return std::make_unique<FabricTimelyRateControl>(path, parameters);
}

} // namespace ns3
