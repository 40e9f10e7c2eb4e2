// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_DCQCN_H
#define FABRIC_DCQCN_H

#include "fabric-congestion-control.h"

#include "ns3/fabric-time.h"
#include "ns3/nstime.h"

#include <algorithm>

namespace ns3
{

/// \ingroup fabric
/// The parameters of DCQCN on one path: picoseconds and bits per second.
struct FabricDcqcnParameters
{
    int64_t alphaInterval = 0;
    int64_t decreaseInterval = 0;
    int64_t increaseInterval = 0;
    double gain = 0;
    double additiveIncrease = 0;
    double hyperIncrease = 0;
    double firstRateFactor = 1;
    double minRate = 0;
    uint32_t fastRecoveryStages = 0;
    bool clampsTarget = false;
};

/// \ingroup fabric
/// The sender (reaction point) of DCQCN: Zhu et al., "Congestion Control for Large-Scale RDMA
/// Deployments", SIGCOMM 2015, section 3, in the variant of the NICs and of the HPCC simulator,
/// where three timers and no byte counter act. The first notification starts them:
///
/// * alpha timer: alpha = (1 - g) alpha, + g if a notification came since it last ran (equations 1
///   and 2);
/// * decrease timer: if a notification came since it last ran, the target becomes the rate (only
///   after an increase, unless the target is clamped), the rate becomes rate (1 - alpha / 2), and
///   the increase timer starts anew;
/// * increase timer: the target grows by nothing in the first stages (fast recovery), by the
///   additive increase in the one after them, then by the hyper increase; the rate goes half the
///   way to the target (equations 3 and 4).
///
/// Order at one instant: alpha, increase, decrease. A notification counts for what runs after its
/// instant. Losses change nothing. Between notifications alpha is a power, taken from its value
/// when one was last counted: no bit of it depends on when it was looked at.
///
/// Only ticks that change something are kept (m_alphaDue, m_decreaseDue, m_increaseDue). Example:
/// the timers start at 0, the alpha interval is 1 us, and a notification comes at 3.4 us. Then
/// m_alphaDue is 4 us, and alpha after that tick is (1 - g) alpha(3 us) + g. At 9.2 us it is that,
/// times (1 - g)^5, for the ticks at 5, 6, 7, 8 and 9 us, which were never executed.
class FabricDcqcnRateControl : public FabricRateControl
{
  public:
    FabricDcqcnRateControl(const FabricPathProperties& path,
                           const FabricDcqcnParameters& parameters);

    void Advance(int64_t now) override;
    void OnCongestionNotification(int64_t now) override;

    /// The next tick of the timers that change the rate.
    int64_t FindRateEnd() const override
    {
        return std::min(m_decreaseDue, m_increaseDue);
    }

    /// Requires: Advance(now) was called, and a notification came.
    double ComputeAlpha(int64_t now) const;

    /// Bits per second.
    double GetTarget() const
    {
        return m_target;
    }

  private:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    void Start(int64_t now);
    void CountNotification();
    void Increase();
    void Decrease();

    /// The first instant after `now` at which a timer of this interval runs.
    int64_t ComputeNextTick(int64_t now, int64_t interval) const
    {
        return FabricAddTime(now, interval - (now - m_start) % interval);
    }

    double Bound(double rate) const;

    FabricDcqcnParameters m_parameters;
    int64_t m_start = NEVER;       ///< of the timers
    int64_t m_alphaDue = NEVER;    ///< the tick of alpha that counts a notification
    int64_t m_decreaseDue = NEVER; ///< the tick that decreases the rate
    int64_t m_increaseDue = NEVER; ///< NEVER also where an increase would change nothing
    double m_alpha = 1;            ///< as it was after the tick at m_alphaTime
    int64_t m_alphaTime = 0;
    double m_target;
    uint32_t m_stage = 0; ///< increases since the last decrease
};

/// \ingroup fabric
/// DCQCN. The defaults are those of the HPCC simulator, scaled to the line rate.
class FabricDcqcn : public FabricCongestionControl
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;
    FabricCongestionSignals GetSignals() const override;
    int64_t GetNotificationInterval() const override;
    std::unique_ptr<FabricRateControl> Open(const FabricPathProperties& path,
                                            int64_t now) const override;

  private:
    Time m_alphaInterval;
    Time m_decreaseInterval;
    Time m_increaseInterval;
    Time m_notificationInterval;
    double m_gain = 0;
    double m_firstRateFactor = 1;
    DataRate m_additiveIncrease;
    DataRate m_hyperIncrease;
    uint32_t m_fastRecoveryStages = 0;
    bool m_clampsTarget = false;
};

} // namespace ns3

#endif /* FABRIC_DCQCN_H */
