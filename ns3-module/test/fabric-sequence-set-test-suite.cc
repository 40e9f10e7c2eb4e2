// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-test-random.h"

#include "ns3/fabric-sequence-set.h"
#include "ns3/test.h"

#include <cstdint>
#include <set>

using namespace ns3;

/// \ingroup fabric
/// A set of numbers in runs agrees with std::set.
class FabricSequenceSetTestCase : public TestCase
{
  public:
    FabricSequenceSetTestCase()
        : TestCase("a set of runs holds what a plain set holds")
    {
    }

  private:
    static constexpr uint64_t RANGE = 60;

    void DoRun() override
    {
        FabricTestRandom random(1);
        for (uint32_t step = 0; step < 20000; ++step)
        {
            const uint64_t number = random.Below(RANGE);
            switch (random.Below(21))
            {
            case 0:
                m_runs.EraseBelow(number);
                m_plain.erase(m_plain.begin(), m_plain.lower_bound(number));
                break;
            case 1:
                EraseFirstRun();
                break;
            case 2:
            case 3:
            case 4:
                NS_TEST_ASSERT_MSG_EQ(m_runs.Erase(number), (m_plain.erase(number) > 0), "there");
                break;
            case 20:
                AssignMissing(number, random.Below(RANGE));
                break;
            default:
                NS_TEST_ASSERT_MSG_EQ(
                    m_runs.Insert(number), m_plain.insert(number).second, "is new");
            }
            Compare();
        }
    }

    void EraseFirstRun()
    {
        if (m_plain.empty())
        {
            return;
        }
        uint64_t end = *m_plain.begin();
        while (m_plain.erase(end) > 0)
        {
            ++end;
        }
        NS_TEST_ASSERT_MSG_EQ(m_runs.EraseFirstRun(), end, "the end of the run");
    }

    /// Becomes what it lacks in a range, which may be empty.
    void AssignMissing(uint64_t begin, uint64_t end)
    {
        const FabricSequenceSet before = m_runs;
        m_runs.AssignMissing(before, begin, end);
        std::set<uint64_t> missing;
        for (uint64_t number = begin; number < end; ++number)
        {
            if (m_plain.count(number) == 0)
            {
                missing.insert(number);
            }
        }
        m_plain = missing;
    }

    void Compare()
    {
        NS_TEST_ASSERT_MSG_EQ(m_runs.GetSize(), m_plain.size(), "size");
        NS_TEST_ASSERT_MSG_EQ(m_runs.IsEmpty(), m_plain.empty(), "empty");
        for (uint64_t number = 0; number < RANGE; ++number)
        {
            NS_TEST_ASSERT_MSG_EQ(m_runs.Contains(number), (m_plain.count(number) > 0), "member");
        }
        if (!m_plain.empty())
        {
            NS_TEST_ASSERT_MSG_EQ(m_runs.GetFirst(), *m_plain.begin(), "first");
        }
    }

    FabricSequenceSet m_runs;
    std::set<uint64_t> m_plain;
};

/// \ingroup fabric
/// The suite of the set of frame numbers.
class FabricSequenceSetTestSuite : public TestSuite
{
  public:
    FabricSequenceSetTestSuite()
        : TestSuite("fabric-sequence-set", UNIT)
    {
        AddTestCase(new FabricSequenceSetTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricSequenceSetTestSuite g_fabricSequenceSetTestSuite;
