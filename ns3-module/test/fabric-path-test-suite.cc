// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/fabric-framing.h"
#include "ns3/fabric-path.h"
#include "ns3/fabric-posted-messages.h"
#include "ns3/test.h"

#include <cstdint>
#include <vector>

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
/// Frames of several messages: whose they are, how long, and when a message has arrived.
class FabricFramingTestCase : public TestCase
{
  public:
    FabricFramingTestCase()
        : TestCase("messages are cut into full frames and a rest, and kept until they are needed "
                   "no more")
    {
    }

  private:
    void DoRun() override
    {
        FabricFraming framing(4096);
        Post(framing, 10000, 3); // frames 0 to 2
        Post(framing, 0, 1);     // frame 3
        Post(framing, 4096, 1);  // frame 4
        NS_TEST_ASSERT_MSG_EQ(framing.GetPostedBytes(), 14096, "all of them");
        const std::vector<uint32_t> payloads{4096, 4096, 1808, 0, 4096};
        const std::vector<uint64_t> offsets{0, 4096, 8192, 10000, 10000};
        // Backwards, then forwards: the search goes both ways.
        for (const uint64_t frame : {4, 3, 2, 1, 0, 1, 2, 3, 4})
        {
            NS_TEST_ASSERT_MSG_EQ(framing.ComputePayload(frame), payloads[frame], "its bytes");
            NS_TEST_ASSERT_MSG_EQ(framing.ComputeOffset(frame), offsets[frame], "those before it");
        }
        NS_TEST_ASSERT_MSG_EQ(framing.HasDelivery(2), false, "the last frame has not arrived");
        NS_TEST_ASSERT_MSG_EQ(framing.HasDelivery(3), true, "it has");
        NS_TEST_ASSERT_MSG_EQ(framing.TakeDelivery(2), 0, "the first message");
        NS_TEST_ASSERT_MSG_EQ(framing.ComputeOffset(2), 8192, "kept: frame 2 may be sent again");
        framing.ForgetAcknowledged(4); // of the second, which is not delivered, too
        NS_TEST_ASSERT_MSG_EQ(framing.FindMessage(3).cookie, 1, "kept: it is to be delivered");
        NS_TEST_ASSERT_MSG_EQ(framing.TakeDelivery(4), 1, "the second message");
        NS_TEST_ASSERT_MSG_EQ(framing.TakeDelivery(4), 2, "the third message");
        NS_TEST_ASSERT_MSG_EQ(framing.IsEmpty(), false, "it is not acknowledged");
        framing.ForgetAcknowledged(5);
        NS_TEST_ASSERT_MSG_EQ(framing.IsEmpty(), true, "nothing is left to send");
    }

    /// A message that has so many frames.
    void Post(FabricFraming& framing, uint64_t size, uint64_t frames)
    {
        NS_TEST_ASSERT_MSG_EQ(framing.Post(m_frames, size, m_cookie++).frames, frames, "cut");
        m_frames += frames;
    }

    uint64_t m_frames = 0;
    uint64_t m_cookie = 0;
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
        AddTestCase(new FabricFramingTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricPathTestSuite g_fabricPathTestSuite;
