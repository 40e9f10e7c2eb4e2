// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/fabric-path.h"
#include "ns3/fabric-posted-messages.h"
#include "ns3/test.h"

#include <cstdint>

using namespace ns3;

/// \ingroup fabric
/// A path of any length keeps its hops.
class FabricPathTestCase : public TestCase
{
  public:
    FabricPathTestCase()
        : TestCase("a path keeps ports of 29 bits and priorities, in the object and beyond it")
    {
    }

  private:
    static uint32_t MakePort(uint32_t index)
    {
        return (1U << 29) - 1 - index;
    }

    static FabricPriority MakePriority(uint32_t index)
    {
        return static_cast<FabricPriority>(index % FABRIC_PRIORITIES);
    }

    void DoRun() override
    {
        for (const uint32_t length : {0U, 1U, FabricPath::NEAR, FabricPath::NEAR + 5})
        {
            for (uint32_t i = 0; i < length; ++i)
            {
                m_path.Add(MakePort(i), MakePriority(i));
            }
            NS_TEST_ASSERT_MSG_EQ(m_path.IsEmpty(), (length == 0), "empty");
            NS_TEST_ASSERT_MSG_EQ(m_path.GetSize(), length, "links");
            for (uint32_t i = 0; i < length; ++i)
            {
                NS_TEST_ASSERT_MSG_EQ(m_path.GetPort(i), MakePort(i), "port " << i);
                NS_TEST_ASSERT_MSG_EQ(+m_path.GetPriority(i), +MakePriority(i), "priority " << i);
            }
            m_path.Clear();
        }
    }

    FabricPath m_path; ///< used again after Clear
};

/// \ingroup fabric
/// Posted messages come out as they went in, whatever is in the object.
class FabricPostedMessagesTestCase : public TestCase
{
  public:
    FabricPostedMessagesTestCase()
        : TestCase("posted messages are first in, first out, however many there are")
    {
    }

  private:
    void DoRun() override
    {
        // Grows to `most` by two messages for each that leaves, and empties again; twice, as the
        // memory of all but the oldest goes with the last one.
        for (const uint64_t most : {1U, 2U, 9U, 1U})
        {
            while (m_in - m_out < most)
            {
                Push();
                Push();
                Pop();
            }
            while (m_in > m_out)
            {
                Pop();
            }
            NS_TEST_ASSERT_MSG_EQ(m_messages.IsEmpty(), true, "all are out");
        }
    }

    void Push()
    {
        FabricPostedMessage message;
        message.cookie = m_in++;
        m_messages.PushBack(message);
    }

    void Pop()
    {
        NS_TEST_ASSERT_MSG_EQ(m_messages.GetSize(), m_in - m_out, "all are there");
        NS_TEST_ASSERT_MSG_EQ(m_messages.Front().cookie, m_out, "the oldest is first");
        for (uint64_t i = 0; i < m_messages.GetSize(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(m_messages[i].cookie, m_out + i, "in order");
        }
        m_messages.PopFront();
        ++m_out;
    }

    FabricPostedMessages m_messages;
    uint64_t m_in = 0;  ///< were put in
    uint64_t m_out = 0; ///< were taken out
};

/// \ingroup fabric
/// The suite of the parts that records of flows and queue pairs keep in themselves.
class FabricPathTestSuite : public TestSuite
{
  public:
    FabricPathTestSuite()
        : TestSuite("fabric-path", UNIT)
    {
        AddTestCase(new FabricPathTestCase, TestCase::QUICK);
        AddTestCase(new FabricPostedMessagesTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricPathTestSuite g_fabricPathTestSuite;
