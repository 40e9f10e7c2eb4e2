// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-dcqcn.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricDcqcn);

FabricDcqcnRateControl::FabricDcqcnRateControl(const FabricPathProperties& path,
                                               const FabricDcqcnParameters& parameters)
    : FabricRateControl(path)
    , m_parameters(parameters)
    , m_target(m_rate)
{
    m_isUntouched = true; // the timers start with the first notification
    m_isForeseeable = true;
}

void
FabricDcqcnRateControl::Advance(int64_t now)
{
    while (true)
    {
        const int64_t due = std::min({m_alphaDue, m_increaseDue, m_decreaseDue});
        if (due > now)
        {
            return;
        }
        // The order of the branches is the order of timers that run at one instant.
        if (due == m_alphaDue)
        {
            CountNotification();
        }
        else if (due == m_increaseDue)
        {
            Increase();
        }
        else
        {
            Decrease();
        }
    }
}

void
FabricDcqcnRateControl::OnCongestionNotification(int64_t now)
{
    if (m_start == NEVER)
    {
        Start(now);
        return;
    }
    // Several notifications before a tick are the same tick: the timers ask whether one came, not
    // how many.
    m_alphaDue = ComputeNextTick(now, m_parameters.alphaInterval);
    m_decreaseDue = ComputeNextTick(now, m_parameters.decreaseInterval);
}

void
FabricDcqcnRateControl::Start(int64_t now)
{
    m_start = now;
    m_isUntouched = false;
    m_alphaTime = now;
    m_alpha = 1;
    const double before = m_rate;
    m_rate = Bound(m_rate * m_parameters.firstRateFactor);
    // With the default factor, 1, this is no slowdown.
    if (m_rate < before)
    {
        CountSlowdown();
    }
    m_target = m_rate;
    // The first notification counts for the decrease, but not for alpha, which begins at 1.
    m_decreaseDue = FabricAddTime(now, m_parameters.decreaseInterval);
}

double
FabricDcqcnRateControl::ComputeAlpha(int64_t now) const
{
    const int64_t ticks = (now - m_alphaTime) / m_parameters.alphaInterval;
    return m_alpha * std::pow(1 - m_parameters.gain, static_cast<double>(ticks));
}

/// The step at the tick m_alphaDue. Increase and Decrease are likewise the steps at m_increaseDue
/// and m_decreaseDue, whatever the time of the call.
void
FabricDcqcnRateControl::CountNotification()
{
    // alpha as the tick before left it: the power must be taken in one step, or rounding would
    // depend on how often somebody looked.
    const double before = ComputeAlpha(m_alphaDue - m_parameters.alphaInterval);
    m_alpha = (1 - m_parameters.gain) * before + m_parameters.gain;
    m_alphaTime = m_alphaDue;
    m_alphaDue = NEVER;
}

void
FabricDcqcnRateControl::Increase()
{
    const double lineRate = static_cast<double>(m_path.lineRate);
    if (m_stage >= m_parameters.fastRecoveryStages)
    {
        // m_stage counts from 0: after the increases of fast recovery comes one additive increase,
        // and then come hyper increases.
        const bool isHyper = m_stage > m_parameters.fastRecoveryStages;
        m_target += isHyper ? m_parameters.hyperIncrease : m_parameters.additiveIncrease;
        m_target = std::min(m_target, lineRate);
    }
    const double before = m_rate;
    m_rate = Bound((m_rate + m_target) / 2);
    ++m_stage;
    // At line rate with nothing left to grow the timer would run for ever without effect. The rate
    // goes half the way to the target each time, until rounding leaves it where it is.
    const bool isRecovered = m_target == lineRate && m_rate == before;
    m_increaseDue =
        isRecovered ? NEVER : FabricAddTime(m_increaseDue, m_parameters.increaseInterval);
}

void
FabricDcqcnRateControl::Decrease()
{
    // Unless the target is clamped, decreases in a row keep the target of the first one. So fast
    // recovery leads back towards the rate before all of them.
    if (m_parameters.clampsTarget || m_stage > 0)
    {
        m_target = m_rate;
    }
    const double before = m_rate;
    m_rate = Bound(m_rate * (1 - ComputeAlpha(m_decreaseDue) / 2));
    if (m_rate < before)
    {
        CountSlowdown();
    }
    m_stage = 0;
    // Counted from the tick and not from the call, which may be later.
    m_increaseDue = FabricAddTime(m_decreaseDue, m_parameters.increaseInterval);
    m_decreaseDue = NEVER;
}

double
FabricDcqcnRateControl::Bound(double rate) const
{
    return std::clamp(rate, m_parameters.minRate, static_cast<double>(m_path.lineRate));
}

TypeId
FabricDcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricDcqcn")
            .SetParent<FabricCongestionControl>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricDcqcn>()
            .AddAttribute("AlphaInterval",
                          "The time between two updates of alpha, the estimate of congestion. The "
                          "paper has 55 us, the HPCC simulator 1 us.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&FabricDcqcn::m_alphaInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("DecreaseInterval",
                          "The time between two instants at which the rate may be decreased. The "
                          "paper has 50 us, the HPCC simulator 4 us.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&FabricDcqcn::m_decreaseInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("IncreaseInterval",
                          "The time between two increases of the rate, counted from the last "
                          "decrease. The paper has 55 us, the HPCC simulator 300 us.",
                          TimeValue(MicroSeconds(300)),
                          MakeTimeAccessor(&FabricDcqcn::m_increaseInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "NotificationInterval",
                "The least time between two congestion notifications (CNPs) that a receiver sends "
                "to one queue pair. With 0 it sends one for each marked frame.",
                TimeValue(MicroSeconds(4)),
                MakeTimeAccessor(&FabricDcqcn::m_notificationInterval),
                MakeTimeChecker(Time(0)))
            .AddAttribute("Gain",
                          "The weight g of the newest observation in alpha, the estimate of "
                          "congestion; from 0 to 1.",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&FabricDcqcn::m_gain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "FastRecoveryStages",
                "The number F of increases after a decrease that leave the target rate as it is. "
                "The paper has 5, the parameter files of the HPCC simulator have 1.",
                UintegerValue(1),
                MakeUintegerAccessor(&FabricDcqcn::m_fastRecoveryStages),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "AdditiveIncrease",
                "The growth of the target rate at the first increase after fast recovery. By "
                "default (0, auto) it is 5 Mb/s for each 25 Gb/s of line rate.",
                DataRateValue(DataRate(0)),
                MakeDataRateAccessor(&FabricDcqcn::m_additiveIncrease),
                MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "The growth of the target rate at each increase after the additive one. "
                          "By default (0, auto) it is 50 Mb/s for each 25 Gb/s of line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&FabricDcqcn::m_hyperIncrease),
                          MakeDataRateChecker())
            .AddAttribute(
                "FirstRateFactor",
                "The factor, from 0 to 1, by which the first congestion notification multiplies "
                "the rate at once. 1 leaves the rate as it is until the first decrease.",
                DoubleValue(1.0),
                MakeDoubleAccessor(&FabricDcqcn::m_firstRateFactor),
                MakeDoubleChecker<double>(0, 1))
            .AddAttribute("ClampTarget",
                          "Whether each decrease sets the target rate to the rate before the "
                          "decrease. Otherwise only the first decrease after an increase does.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricDcqcn::m_clampsTarget),
                          MakeBooleanChecker());
    return tid;
}

std::string
FabricDcqcn::GetHelp() const
{
    return "DCQCN (Zhu et al., SIGCOMM 2015) lowers the rate of a sender when the receiver reports "
           "ECN "
           "marks in congestion notifications (CNPs), and raises it again by timers.";
}

FabricCongestionSignals
FabricDcqcn::GetSignals() const
{
    FabricCongestionSignals signals;
    signals.notifications = true;
    signals.marks = true;
    return signals;
}

int64_t
FabricDcqcn::GetNotificationInterval() const
{
    return m_notificationInterval.GetPicoSeconds();
}

std::unique_ptr<FabricRateControl>
FabricDcqcn::Open(const FabricPathProperties& path, int64_t /*now*/) const
{
    FabricDcqcnParameters parameters;
    parameters.alphaInterval = m_alphaInterval.GetPicoSeconds();
    parameters.decreaseInterval = m_decreaseInterval.GetPicoSeconds();
    parameters.increaseInterval = m_increaseInterval.GetPicoSeconds();
    parameters.gain = m_gain;
    parameters.additiveIncrease = ScaleRate(m_additiveIncrease, {5'000'000, 25'000'000'000}, path);
    parameters.hyperIncrease = ScaleRate(m_hyperIncrease, {50'000'000, 25'000'000'000}, path);
    parameters.firstRateFactor = m_firstRateFactor;
    parameters.minRate = GetMinRate(path);
    parameters.fastRecoveryStages = m_fastRecoveryStages;
    parameters.clampsTarget = m_clampsTarget;
    return std::make_unique<FabricDcqcnRateControl>(path, parameters);
}

} // namespace ns3
