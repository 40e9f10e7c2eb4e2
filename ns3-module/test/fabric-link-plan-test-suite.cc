// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/fabric-hash.h"
#include "ns3/fabric-link-plan.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t FOREVER = FabricLinkFault::FOREVER;

FabricLinkFault
MakeDown(int64_t from, int64_t until)
{
    FabricLinkFault fault;
    fault.from = from;
    fault.until = until;
    fault.isDown = true;
    return fault;
}

FabricLinkFault
MakeLoss(int64_t from, int64_t until, double loss)
{
    FabricLinkFault fault;
    fault.from = from;
    fault.until = until;
    fault.loss = loss;
    return fault;
}

FabricLinkFault
MakeSlow(int64_t from, int64_t until, uint64_t rate)
{
    FabricLinkFault fault;
    fault.from = from;
    fault.until = until;
    fault.rate = rate;
    return fault;
}

} // namespace

/// \ingroup fabric
/// What starts, and what is cut, at the very edges of a failure.
class FabricLinkDownTestCase : public TestCase
{
  public:
    FabricLinkDownTestCase()
        : TestCase("a link is down from the beginning of a failure to before its end")
    {
    }

  private:
    void DoRun() override
    {
        CheckOne();
        CheckTouching();
        CheckForever();
    }

    void CheckOne()
    {
        FabricLinkPlan plan;
        NS_TEST_ASSERT_MSG_EQ(plan.IsDown(10), false, "nothing was added");
        NS_TEST_ASSERT_MSG_EQ(plan.FindUp(10), 10, "nothing was added");
        plan.Add(MakeDown(10, 20));
        NS_TEST_ASSERT_MSG_EQ(plan.IsDown(9), false, "before");
        NS_TEST_ASSERT_MSG_EQ(plan.IsDown(10), true, "its first instant");
        NS_TEST_ASSERT_MSG_EQ(plan.IsDown(19), true, "its last instant");
        NS_TEST_ASSERT_MSG_EQ(plan.IsDown(20), false, "after");
        NS_TEST_ASSERT_MSG_EQ(plan.FindUp(9), 9, "still up");
        NS_TEST_ASSERT_MSG_EQ(plan.FindUp(10), 20, "up again");
        NS_TEST_ASSERT_MSG_EQ(plan.FindUp(25), 25, "up again before");
        NS_TEST_ASSERT_MSG_EQ(plan.IsCut(5, 9), false, "arrives just before");
        NS_TEST_ASSERT_MSG_EQ(plan.IsCut(5, 10), true, "arrives as the link fails");
        NS_TEST_ASSERT_MSG_EQ(plan.IsCut(9, 100), true, "on the link when it fails");
        NS_TEST_ASSERT_MSG_EQ(plan.IsCut(20, 100), false, "starts as the link comes back");
    }

    /// Failures that overlap or touch are one.
    void CheckTouching()
    {
        FabricLinkPlan plan;
        plan.Add(MakeDown(30, 40));
        plan.Add(MakeDown(10, 20));
        plan.Add(MakeDown(20, 25));
        plan.Add(MakeDown(22, 30));
        NS_TEST_ASSERT_MSG_EQ(plan.FindUp(10), 40, "past all of them");
        NS_TEST_ASSERT_MSG_EQ(plan.IsDown(20), true, "where two touch");
        NS_TEST_ASSERT_MSG_EQ(plan.IsCut(40, 50), false, "after all of them");
    }

    void CheckForever()
    {
        FabricLinkPlan plan;
        plan.Add(MakeDown(10, FOREVER));
        plan.Add(MakeDown(5, 7));
        NS_TEST_ASSERT_MSG_EQ(plan.FindUp(5), 7, "between the failures");
        NS_TEST_ASSERT_MSG_EQ(plan.FindUp(11), FOREVER, "never again");
        NS_TEST_ASSERT_MSG_EQ(plan.IsDown(FOREVER - 1), true, "to the end of time");
    }
};

/// \ingroup fabric
/// Losses and rates apply to what starts during a fault.
class FabricLinkLossAndRateTestCase : public TestCase
{
  public:
    FabricLinkLossAndRateTestCase()
        : TestCase("losses combine as independent, and the lowest rate applies")
    {
    }

  private:
    void DoRun() override
    {
        const double rare = 1e-3;
        const uint64_t usual = 400;
        FabricLinkPlan plan;
        plan.Add(MakeLoss(0, 100, rare));
        plan.Add(MakeLoss(50, FOREVER, 0.5));
        plan.Add(MakeLoss(60, 70, 1));
        plan.Add(MakeSlow(10, 30, 100));
        plan.Add(MakeSlow(20, 40, 200));
        NS_TEST_ASSERT_MSG_EQ(plan.GetLoss(-1), 0, "before");
        NS_TEST_ASSERT_MSG_EQ(plan.GetLoss(49), rare, "alone: exactly as it was given");
        NS_TEST_ASSERT_MSG_EQ_TOL(plan.GetLoss(50), 1 - (1 - rare) * (1 - 0.5), 1e-15, "two");
        NS_TEST_ASSERT_MSG_EQ(plan.GetLoss(65), 1, "nothing gets through");
        NS_TEST_ASSERT_MSG_EQ(plan.GetLoss(100), 0.5, "the other alone");
        NS_TEST_ASSERT_MSG_EQ(plan.GetRate(9, usual), usual, "before");
        NS_TEST_ASSERT_MSG_EQ(plan.GetRate(10, usual), 100, "slow");
        NS_TEST_ASSERT_MSG_EQ(plan.GetRate(20, usual), 100, "the slower of two");
        NS_TEST_ASSERT_MSG_EQ(plan.GetRate(30, usual), 200, "the other alone");
        NS_TEST_ASSERT_MSG_EQ(plan.GetRate(40, usual), usual, "after");
        NS_TEST_ASSERT_MSG_EQ(plan.IsDown(20), false, "slow is not down");
        NS_TEST_ASSERT_MSG_EQ(plan.IsCut(0, 1000), false, "nor is lossy");
    }
};

/// \ingroup fabric
/// Random plans against the definition, instant by instant.
class FabricLinkPlanModelTestCase : public TestCase
{
  public:
    FabricLinkPlanModelTestCase()
        : TestCase("random plans agree with the definition at every instant")
    {
    }

  private:
    static constexpr int64_t END = 60; ///< all faults end before, or never
    static constexpr uint64_t USUAL = 1000;

    void DoRun() override
    {
        for (uint64_t round = 0; round < 100; ++round)
        {
            m_faults.clear();
            m_plan = FabricLinkPlan();
            for (uint64_t i = 0; i < 1 + round % 7; ++i)
            {
                m_faults.push_back(Draw(FabricHash({round, i})));
                m_plan.Add(m_faults.back());
            }
            CheckStates();
            CheckCuts();
            CheckExtremes();
            CheckStretches();
        }
    }

    static FabricLinkFault Draw(uint64_t hash)
    {
        const int64_t from = static_cast<int64_t>(hash % (END - 10));
        const int64_t length = static_cast<int64_t>(1 + (hash >> 8) % 9);
        const int64_t until = (hash >> 16) % 16 == 0 ? FOREVER : from + length;
        switch ((hash >> 24) % 3)
        {
        case 0:
            return MakeDown(from, until);
        case 1:
            return MakeLoss(from, until, FabricUniform(hash));
        default:
            return MakeSlow(from, until, 1 + (hash >> 32) % USUAL);
        }
    }

    bool IsDown(int64_t at) const
    {
        return std::any_of(m_faults.begin(),
                           m_faults.end(),
                           [at](const FabricLinkFault& fault)
                           { return fault.isDown && fault.from <= at && at < fault.until; });
    }

    void CheckStates()
    {
        for (int64_t at = 0; at < END; ++at)
        {
            double kept = 1;
            uint64_t rate = USUAL;
            for (const FabricLinkFault& fault : m_faults)
            {
                const bool applies = fault.from <= at && at < fault.until;
                kept *= applies ? 1 - fault.loss : 1;
                rate = applies && fault.rate != 0 ? std::min(rate, fault.rate) : rate;
            }
            NS_TEST_ASSERT_MSG_EQ(m_plan.IsDown(at), IsDown(at), "down at " << at);
            NS_TEST_ASSERT_MSG_EQ_TOL(m_plan.GetLoss(at), 1 - kept, 1e-12, "loss at " << at);
            NS_TEST_ASSERT_MSG_EQ(m_plan.GetRate(at, USUAL), rate, "rate at " << at);
            int64_t up = at;
            while (up < END && IsDown(up))
            {
                ++up;
            }
            up = up < END ? up : FOREVER;
            NS_TEST_ASSERT_MSG_EQ(m_plan.FindUp(at), up, "up from " << at);
        }
    }

    void CheckCuts()
    {
        for (int64_t start = 0; start < END; ++start)
        {
            bool isCut = false;
            for (int64_t arrival = start + 1; arrival < END; ++arrival)
            {
                isCut = isCut || (IsDown(arrival) && !IsDown(arrival - 1));
                NS_TEST_ASSERT_MSG_EQ(
                    m_plan.IsCut(start, arrival), isCut, start << " to " << arrival);
            }
        }
    }

    void CheckExtremes()
    {
        for (int64_t from = 0; from < END; from += 7)
        {
            uint64_t lowest = USUAL;
            uint64_t highest = 0;
            for (int64_t until = from; until < END; ++until)
            {
                lowest = std::min(lowest, m_plan.GetRate(until, USUAL));
                highest = std::max(highest, m_plan.GetRate(until, USUAL));
                NS_TEST_ASSERT_MSG_EQ(m_plan.FindLowestRate(from, until, USUAL),
                                      lowest,
                                      "lowest rate from " << from << " to " << until);
                NS_TEST_ASSERT_MSG_EQ(m_plan.FindHighestRate(from, until, USUAL),
                                      highest,
                                      "highest rate from " << from << " to " << until);
            }
        }
    }

    void CheckStretches()
    {
        int64_t next = 0;
        m_plan.VisitRates(USUAL,
                          [&](int64_t from, int64_t until, uint64_t rate)
                          {
                              NS_TEST_ASSERT_MSG_EQ(from, next, "stretches follow each other");
                              NS_TEST_ASSERT_MSG_EQ(m_plan.FindLowestRate(from, until - 1, USUAL),
                                                    rate,
                                                    "lowest rate from " << from);
                              NS_TEST_ASSERT_MSG_EQ(m_plan.FindHighestRate(from, until - 1, USUAL),
                                                    rate,
                                                    "highest rate from " << from);
                              next = until;
                          });
        NS_TEST_ASSERT_MSG_EQ(next, FOREVER, "stretches cover all times");
    }

    std::vector<FabricLinkFault> m_faults;
    FabricLinkPlan m_plan;
};

/// \ingroup fabric
/// The suite of the plan of a link's faults.
class FabricLinkPlanTestSuite : public TestSuite
{
  public:
    FabricLinkPlanTestSuite()
        : TestSuite("fabric-link-plan", UNIT)
    {
        AddTestCase(new FabricLinkDownTestCase, TestCase::QUICK);
        AddTestCase(new FabricLinkLossAndRateTestCase, TestCase::QUICK);
        AddTestCase(new FabricLinkPlanModelTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricLinkPlanTestSuite g_fabricLinkPlanTestSuite;
