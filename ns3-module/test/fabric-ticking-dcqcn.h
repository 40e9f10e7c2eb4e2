// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TICKING_DCQCN_H
#define FABRIC_TICKING_DCQCN_H

#include "fabric-congestion-test.h"

#include "ns3/fabric-dcqcn.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ns3
{

/// \ingroup fabric
/// DCQCN as three timers that run at each of their ticks: an obvious model to compare with.
class FabricTickingDcqcn
{
  public:
    explicit FabricTickingDcqcn(const FabricDcqcnParameters& parameters)
        : m_parameters(parameters)
    {
    }

    void Advance(int64_t now)
    {
        while (std::min({m_alphaTick, m_increaseTick, m_decreaseTick}) <= now)
        {
            const int64_t next = std::min({m_alphaTick, m_increaseTick, m_decreaseTick});
            if (next == m_alphaTick)
            {
                alpha = (1 - m_parameters.gain) * alpha + (m_alphaSaw ? m_parameters.gain : 0);
                m_alphaSaw = false;
                m_alphaTick += m_parameters.alphaInterval;
            }
            else if (next == m_increaseTick)
            {
                Increase();
            }
            else
            {
                Decrease();
            }
        }
    }

    void Notify(int64_t now)
    {
        m_decreaseSaw = true;
        m_alphaSaw = m_alphaTick != NEVER;
        if (m_alphaTick == NEVER)
        {
            m_alphaTick = now + m_parameters.alphaInterval;
            m_decreaseTick = now + m_parameters.decreaseInterval;
        }
    }

    double alpha = 1;
    double rate = FabricCongestionTest::LINE_RATE;
    double target = FabricCongestionTest::LINE_RATE;

  private:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    void Increase()
    {
        const uint32_t recovery = m_parameters.fastRecoveryStages;
        target += m_stage < recovery    ? 0
                  : m_stage == recovery ? m_parameters.additiveIncrease
                                        : m_parameters.hyperIncrease;
        target = std::min(target, FabricCongestionTest::LINE_RATE);
        rate = (rate + target) / 2;
        ++m_stage;
        m_increaseTick += m_parameters.increaseInterval;
    }

    void Decrease()
    {
        if (m_decreaseSaw)
        {
            target = m_stage > 0 ? rate : target;
            rate = std::max(rate * (1 - alpha / 2), m_parameters.minRate);
            m_stage = 0;
            m_decreaseSaw = false;
            m_increaseTick = m_decreaseTick + m_parameters.increaseInterval;
        }
        m_decreaseTick += m_parameters.decreaseInterval;
    }

    FabricDcqcnParameters m_parameters;
    int64_t m_alphaTick = NEVER;
    int64_t m_increaseTick = NEVER;
    int64_t m_decreaseTick = NEVER;
    bool m_alphaSaw = false;
    bool m_decreaseSaw = false;
    uint32_t m_stage = 0;
};

} // namespace ns3

#endif /* FABRIC_TICKING_DCQCN_H */
