// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-swift.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricSwift);

namespace
{

// Defaults of the delays, in base targets.
constexpr double HOP_DELAY = 0.15;
constexpr double SCALING_RANGE = 5;

} // namespace

FabricSwiftRateControl::FabricSwiftRateControl(const FabricPathProperties& path,
                                               const Limits& limits,
                                               const FabricSwiftParameters& parameters)
    : FabricWindowControl(path, limits)
    , m_parameters(parameters)
{
}

double
FabricSwiftRateControl::ComputeTarget() const
{
    // Many flows mean small windows and short bursts that collide by chance, so the target grows as
    // the window shrinks (flow-based scaling in the paper).
    const double scaling =
        m_parameters.scalingFactor / std::sqrt(GetFrames()) - m_parameters.scalingOffset;
    return m_parameters.baseTarget + std::clamp(scaling, 0.0, m_parameters.scalingRange);
}

void
FabricSwiftRateControl::OnAcknowledgement(const FabricFeedback& feedback)
{
    // Negative acknowledgements measure no delay (FabricFeedback).
    if (feedback.roundTrip == 0)
    {
        return;
    }
    Measure(feedback);
    const double delay = static_cast<double>(feedback.roundTrip);
    const double target = ComputeTarget();
    if (delay < target)
    {
        Grow(m_parameters.additiveIncrease, feedback.newlyAcknowledged);
        return;
    }
    const double factor = 1 - m_parameters.decreaseFactor * (delay - target) / delay;
    // However long the delay is, one decrease takes at most the part max_mdf of the window.
    ShrinkOncePerRoundTrip(std::max(factor, 1 - m_parameters.maxDecreaseFactor), feedback.now);
}

void
FabricSwiftRateControl::OnLoss(int64_t now)
{
    ShrinkOncePerRoundTrip(1 - m_parameters.maxDecreaseFactor, now);
}

TypeId
FabricSwift::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricSwift")
            .SetParent<FabricCongestionControl>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricSwift>()
            .AddAttribute("BaseTarget",
                          "The target delay without what the links of the path and small windows "
                          "add to it. 0 stands for the round-trip time of the empty path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricSwift::m_baseTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HopDelay",
                          "The delay h that each link of the path adds to the target delay. 0 "
                          "stands for 0.15 of the base target, with which a path of four links "
                          "aims at 1.6 round trips of the empty path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricSwift::m_hopDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ScalingRange",
                          "The most that a small window adds to the target delay (fs_range). 0 "
                          "stands for 5 times the base target.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricSwift::m_scalingRange),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ScalingMinWindow",
                          "The window, in frames, at and below which the target delay is longest "
                          "(fs_min_cwnd). It is at most 1.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&FabricSwift::m_scalingMinWindow),
                          MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("ScalingMaxWindow",
                          "The window, in frames, at and above which the target delay is shortest "
                          "(fs_max_cwnd). It is at least 2.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&FabricSwift::m_scalingMaxWindow),
                          MakeDoubleChecker<double>(2))
            .AddAttribute("AdditiveIncrease",
                          "The growth ai of the window in a round trip whose delay is below the "
                          "target, in frames.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&FabricSwift::m_additiveIncrease),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("DecreaseFactor",
                          "The strength beta of a multiplicative decrease, from 0 to 1. A decrease "
                          "takes the part beta * (delay - target) / delay of the window.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&FabricSwift::m_decreaseFactor),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecreaseFactor",
                          "The largest part of the window that one decrease takes (max_mdf), from "
                          "0 to 1. A loss takes this part.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&FabricSwift::m_maxDecreaseFactor),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxWindow",
                          "The largest window, in bytes of payload. 0 stands for the line rate "
                          "times the target delay of a large window.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricSwift::m_maxWindow),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

std::string
FabricSwift::GetHelp() const
{
    return "Swift (Kumar et al., SIGCOMM 2020) grows the window of a sender while the round-trip "
           "time is "
           "below a target, and shrinks it above the target.";
}

FabricCongestionSignals
FabricSwift::GetSignals() const
{
    FabricCongestionSignals signals;
    signals.everyAcknowledgement = true;
    return signals;
}

FabricSwiftParameters
FabricSwift::MakeParameters(const FabricPathProperties& path) const
{
    // Delays that are not set are multiples of `base`, so that one set of defaults fits networks of
    // any size.
    const double base = ScaleTime(m_baseTarget, static_cast<double>(path.baseRoundTrip));
    FabricSwiftParameters parameters;
    parameters.baseTarget = base + path.links * ScaleTime(m_hopDelay, HOP_DELAY * base);
    parameters.scalingRange = ScaleTime(m_scalingRange, SCALING_RANGE * base);
    // These are a and a / sqrt(fs_max) of FabricSwiftRateControl. Computed once, they leave only
    // sqrt(cwnd) to each acknowledgement.
    const double atMinWindow = 1 / std::sqrt(m_scalingMinWindow);
    const double atMaxWindow = 1 / std::sqrt(m_scalingMaxWindow);
    parameters.scalingFactor = parameters.scalingRange / (atMinWindow - atMaxWindow);
    parameters.scalingOffset = parameters.scalingFactor * atMaxWindow;
    parameters.additiveIncrease = m_additiveIncrease;
    parameters.decreaseFactor = m_decreaseFactor;
    parameters.maxDecreaseFactor = m_maxDecreaseFactor;
    return parameters;
}

std::unique_ptr<FabricRateControl>
FabricSwift::Open(const FabricPathProperties& path, int64_t /*now*/) const
{
    const FabricSwiftParameters parameters = MakeParameters(path);
    uint64_t maxWindow = m_maxWindow;
    if (maxWindow == 0)
    {
        const double bitPs = static_cast<double>(path.lineRate) * parameters.baseTarget;
        maxWindow = static_cast<uint64_t>(std::ceil(bitPs / FABRIC_BYTE_PICOSECONDS));
    }
    return std::make_unique<FabricSwiftRateControl>(
        path, FabricWindowControl::Limits{GetMinRate(path), maxWindow}, parameters);
}

} // namespace ns3
