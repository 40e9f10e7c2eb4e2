// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-congestion-test.h"

#include "ns3/fabric-arbiter.h"
#include "ns3/fabric-dcqcn.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric-queue-pair.h"
#include "ns3/fabric-rest-list.h"
#include "ns3/fabric-round-robin.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::FabricCongestionTest;

namespace
{

/// What a queue pair tells its congestion control, in order.
struct Told
{
    std::string what;
    FabricFeedback feedback;
};

using ToldList = std::vector<Told>;

/// Writes down what it is told; sends at line rate.
class ListeningRateControl : public FabricRateControl
{
  public:
    ListeningRateControl(const FabricPathProperties& path, ToldList& told)
        : FabricRateControl(path)
        , m_told(told)
    {
    }

    void OnAcknowledgement(const FabricFeedback& feedback) override
    {
        m_told.push_back({"acknowledgement", feedback});
    }

    void OnLoss(int64_t now) override
    {
        FabricFeedback feedback;
        feedback.now = now;
        m_told.push_back({"loss", feedback});
    }

  private:
    ToldList& m_told;
};

/// Opens ListeningRateControls, which all write into one list.
class ListeningControl : public FabricCongestionControl
{
  public:
    std::string GetHelp() const override
    {
        return "remembers what it is told";
    }

    FabricCongestionSignals GetSignals() const override
    {
        FabricCongestionSignals signals;
        signals.everyAcknowledgement = true;
        signals.telemetry = true;
        return signals;
    }

    std::unique_ptr<FabricRateControl> Open(const FabricPathProperties& path,
                                            int64_t /*now*/) const override
    {
        return std::make_unique<ListeningRateControl>(path, told);
    }

    mutable ToldList told;
};

/// A queue pair that has sent some full frames, at the instant 0.
class SentQueuePair
{
  public:
    SentQueuePair(Ptr<FabricCongestionControl> control, uint64_t frames)
        : m_queuePair({0, 1}, *Configure(m_protocol, control))
    {
        FabricQueuePairSetup setup;
        setup.path = MakePath();
        setup.telemetry = &m_telemetry;
        setup.formsTrains = true;
        m_queuePair.Open(setup);
        m_queuePair.Post(frames * PAYLOAD, 0);
        while (m_queuePair.HasFrame())
        {
            m_slots.push_back(m_queuePair.TakeFrame(0).detail);
        }
    }

    /// The answer to `frame`, when all before `expected` have arrived.
    FabricFrame MakeAnswer(uint64_t expected, uint64_t frame) const
    {
        FabricFrame answer;
        answer.sequence = expected;
        const bool isBeyondGap = frame > expected;
        answer.kind = isBeyondGap ? FabricFrameKind::NegativeAcknowledgement
                                  : FabricFrameKind::Acknowledgement;
        answer.detail = isBeyondGap ? static_cast<uint32_t>(frame - expected) : m_slots[frame];
        return answer;
    }

    FabricQueuePair& Get()
    {
        return m_queuePair;
    }

  private:
    static Ptr<FabricProtocol> Configure(Ptr<FabricProtocol> protocol,
                                         Ptr<FabricCongestionControl> control)
    {
        protocol->SetAttribute("Payload", UintegerValue(PAYLOAD));
        protocol->SetCongestionControl(control);
        return protocol;
    }

    Ptr<FabricProtocol> m_protocol = CreateObject<FabricProtocol>();
    FabricTelemetryPool m_telemetry;
    std::vector<uint32_t> m_slots; ///< by frame
    FabricQueuePair m_queuePair;
};

} // namespace

/// \ingroup fabric
/// What a negative acknowledgement tells a congestion control.
class FabricQueuePairAnswersTestCase : public TestCase
{
  public:
    FabricQueuePairAnswersTestCase()
        : TestCase("a negative acknowledgement tells its loss, then its bytes and mark")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<ListeningControl> control = CreateObject<ListeningControl>();
        SentQueuePair pair(control, 10);
        pair.Get().OnAcknowledgement(pair.MakeAnswer(1, 0), 5 * US);
        FabricFrame gap = pair.MakeAnswer(4, 6); // the answers to 1, 2 and 3 were lost, and frame 4
        gap.isMarked = true;
        pair.Get().OnGap(gap, 7 * US);
        pair.Get().OnGap(pair.MakeAnswer(4, 7), 8 * US);
        m_told = control->told;
        NS_TEST_ASSERT_MSG_EQ(m_told.size(), 4, "an answer each, and one loss");
        Expect(0, "acknowledgement", 5 * US, 1);
        NS_TEST_ASSERT_MSG_EQ(m_told[0].feedback.roundTrip, 5 * US, "measured");
        NS_TEST_ASSERT_MSG_EQ((m_told[0].feedback.telemetry != nullptr), true, "carried");
        Expect(1, "loss", 7 * US, 0);
        Expect(2, "acknowledgement", 7 * US, 3);
        NS_TEST_ASSERT_MSG_EQ(m_told[2].feedback.isMarked, true, "the mark of frame 6");
        Expect(3, "acknowledgement", 8 * US, 0);
        NS_TEST_ASSERT_MSG_EQ(m_told[3].feedback.isMarked, false, "frame 7 had none");
        for (const std::size_t negative : {2, 3})
        {
            const FabricFeedback& feedback = m_told[negative].feedback;
            NS_TEST_ASSERT_MSG_EQ(feedback.acknowledged, 4 * PAYLOAD, "all so far");
            NS_TEST_ASSERT_MSG_EQ(feedback.sent, 10 * PAYLOAD, "first transmissions");
            NS_TEST_ASSERT_MSG_EQ(feedback.roundTrip, 0, "not measured");
            NS_TEST_ASSERT_MSG_EQ((feedback.telemetry == nullptr), true, "not carried");
        }
    }

    void Expect(std::size_t index, const std::string& what, int64_t now, uint64_t frames)
    {
        const Told& told = m_told[index];
        NS_TEST_ASSERT_MSG_EQ(told.what, what, index);
        NS_TEST_ASSERT_MSG_EQ(told.feedback.now, now, index);
        NS_TEST_ASSERT_MSG_EQ(told.feedback.newlyAcknowledged, frames * PAYLOAD, index);
    }

    ToldList m_told;
};

/// \ingroup fabric
/// The list of what rests keeps the order in which objects came, whichever leave.
class FabricRestListTestCase : public TestCase
{
  public:
    FabricRestListTestCase()
        : TestCase("The rest list gives its oldest, and any one can leave")
    {
    }

  private:
    struct Item
    {
        FabricRestPlace<Item> restPlace;
    };

    void DoRun() override
    {
        std::vector<Item> items(5);
        FabricRestList<Item> list;
        list.Remove(items[0]); // it is not there
        NS_TEST_ASSERT_MSG_EQ(list.GetSize(), 0, "empty");
        for (Item& item : items)
        {
            list.Add(item);
        }
        list.Remove(items[2]); // from the middle
        list.Remove(items[2]);
        list.Remove(items[4]); // the newest
        list.Add(items[2]);    // comes again, behind the others
        list.Remove(items[0]); // the oldest
        for (const std::size_t expected : {1, 3, 2})
        {
            NS_TEST_ASSERT_MSG_EQ(&list.GetOldest(), &items[expected], expected);
            list.Remove(items[expected]);
        }
        NS_TEST_ASSERT_MSG_EQ(list.GetSize(), 0, "all have left");
        list.Add(items[3]);
        NS_TEST_ASSERT_MSG_EQ(&list.GetOldest(), &items[3], "used again");
    }
};

/// \ingroup fabric
/// A queue pair with DCQCN, frame by frame and in a train.
class FabricUntouchedControlTestCase : public TestCase
{
  public:
    FabricUntouchedControlTestCase()
        : TestCase("the first notification finds the same state after a train as after its frames")
    {
    }

  private:
    void DoRun() override
    {
        SentQueuePair single(CreateObject<FabricDcqcn>(), 0);
        SentQueuePair train(CreateObject<FabricDcqcn>(), 0);
        // An empty message is one frame, which goes first.
        NS_TEST_ASSERT_MSG_EQ(single.Get().FormsTrains(), true, "nothing paces it");
        NS_TEST_ASSERT_MSG_EQ(single.Get().IsPaced(), false, "nothing paces it");
        single.Get().Post(5 * PAYLOAD, 1);
        train.Get().Post(5 * PAYLOAD, 1);
        for (int64_t start = 10; start <= 40; start += 10)
        {
            single.Get().TakeFrame(start);
        }
        train.Get().TakeTrain(4, 40);
        for (FabricQueuePair* queuePair : {&single.Get(), &train.Get()})
        {
            // The first notification leaves the rate; those that follow lower it.
            for (int64_t now = 100; now <= 2'000'000'000; now += 100'000'000)
            {
                queuePair->OnCongestionNotification(now);
            }
            NS_TEST_ASSERT_MSG_EQ(queuePair->FormsTrains(), true, "its rate is known ahead");
            NS_TEST_ASSERT_MSG_EQ(queuePair->TakeRepaced(), true, "other starts than before");
            NS_TEST_ASSERT_MSG_EQ(queuePair->IsPaced(), true, "rates act");
            NS_TEST_ASSERT_MSG_GT(queuePair->GetEligible(), 40, "slower than the line");
        }
        NS_TEST_ASSERT_MSG_EQ(
            train.Get().GetEligible(), single.Get().GetEligible(), "from the same last start");
        CheckPace(single.Get(), train.Get());
    }

    /// Below line rate the starts are those that were known ahead.
    void CheckPace(FabricQueuePair& single, FabricQueuePair& train)
    {
        for (FabricQueuePair* queuePair : {&single, &train})
        {
            queuePair->Post(5 * PAYLOAD, 2);
            queuePair->TakeFrame(2'100'000'000); // the last of the first message
        }
        const FabricPace pace = train.FindPace(0, 1);
        NS_TEST_ASSERT_MSG_GT(pace.count, 4, "no tick comes soon");
        for (int64_t i = 0; i < 4; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(single.GetEligible(), pace.first + i * pace.gap, "known ahead");
            single.TakeFrame(single.GetEligible());
        }
        train.TakeTrain(4, pace.first + 3 * pace.gap);
        NS_TEST_ASSERT_MSG_EQ(train.GetEligible(), single.GetEligible(), "from the same last");
    }
};

/// \ingroup fabric
/// Unseen frames that are taken in by the frame that follows them.
class FabricUnseenFramesTestCase : public TestCase
{
  public:
    FabricUnseenFramesTestCase()
        : TestCase("a frame that arrives brings the unseen ones that started before it")
    {
    }

  private:
    static FabricFrame MakeFrame(uint64_t sequence, bool isRetransmission)
    {
        FabricFrame frame;
        frame.sequence = sequence;
        frame.isRetransmission = isRetransmission;
        return frame;
    }

    void DoRun() override
    {
        SentQueuePair sent(nullptr, 20);
        FabricQueuePair& queuePair = sent.Get();
        queuePair.TakeUnseen(MakeFrame(3, false));
        NS_TEST_ASSERT_MSG_EQ(queuePair.GetExpected(), 3, "all before it");
        // From frame 10 on, frames are seen, so a gap there is a loss.
        queuePair.EndTrains(10);
        queuePair.EndTrains(12); // says nothing new
        queuePair.TakeUnseen(MakeFrame(7, false));
        NS_TEST_ASSERT_MSG_EQ(queuePair.GetExpected(), 7, "8 and 9 are on their way");
        queuePair.TakeUnseen(MakeFrame(5, true));
        NS_TEST_ASSERT_MSG_EQ(queuePair.GetExpected(), 10, "sent again after all of them");
        queuePair.TakeUnseen(MakeFrame(13, false));
        NS_TEST_ASSERT_MSG_EQ(queuePair.GetExpected(), 10, "10 to 12 are missing");
    }
};

/// \ingroup fabric
/// Turns of queue pairs that have full frames.
class FabricFullSlotsTestCase : public TestCase
{
  public:
    FabricFullSlotsTestCase()
        : TestCase("a round robin knows its first end of a message without a walk for each frame")
    {
    }

  private:
    void DoRun() override
    {
        // Messages of 6, 3 and 10 frames, so 5, 2 and 9 before the last. In turn, the second ends
        // first, in slot 1 + 2 x 3 = 7.
        std::vector<std::unique_ptr<OneQueuePair>> pairs;
        FabricRoundRobin turns;
        for (const uint64_t frames : {6, 3, 10})
        {
            pairs.push_back(std::make_unique<OneQueuePair>(static_cast<uint32_t>(pairs.size())));
            pairs.back()->Get().Post(frames * PAYLOAD, 0);
            turns.Update(pairs.back()->Get());
        }
        for (uint64_t slot = 0; slot < 7; ++slot)
        {
            NS_TEST_ASSERT_MSG_EQ(turns.CountFullSlots(), 7 - slot, "until the end of the second");
            NS_TEST_ASSERT_MSG_EQ(turns.FindTurnOf(pairs[1]->Get()), (10 - slot) % 3, "its turn");
            turns.Take(0);
        }
        NS_TEST_ASSERT_MSG_EQ(turns.GetNSteps(), 3, "one walk");
        NS_TEST_ASSERT_MSG_EQ(turns.CountFullSlots(), 0, "now it is the second's turn");
        turns.Take(0);
        NS_TEST_ASSERT_MSG_EQ(turns.GetSize(), 2, "it has no more frames");
        NS_TEST_ASSERT_MSG_EQ(turns.FindTurnOf(pairs[1]->Get()), 2, "it takes no part");
        // The third has 9 - 2 = 7 left at turn 0, the first 5 - 3 = 2 at turn 1: slot 1 + 2 x 2.
        NS_TEST_ASSERT_MSG_EQ(turns.CountFullSlots(), 5, "of the other two");
        NS_TEST_ASSERT_MSG_EQ(turns.GetNSteps(), 5, "a walk over two");
        NS_TEST_ASSERT_MSG_EQ(turns.GetServed(), 8, "frames have started");
    }

    /// A queue pair of its own stream.
    class OneQueuePair
    {
      public:
        explicit OneQueuePair(uint32_t stream)
            : m_queuePair({stream, 1}, *Configure(m_protocol))
        {
            FabricQueuePairSetup setup;
            setup.path = MakePath();
            setup.formsTrains = true;
            m_queuePair.Open(setup);
        }

        FabricQueuePair& Get()
        {
            return m_queuePair;
        }

      private:
        static Ptr<FabricProtocol> Configure(Ptr<FabricProtocol> protocol)
        {
            protocol->SetAttribute("Payload", UintegerValue(PAYLOAD));
            return protocol;
        }

        Ptr<FabricProtocol> m_protocol = CreateObject<FabricProtocol>();
        FabricQueuePair m_queuePair;
    };
};

/// \ingroup fabric
/// Data of two priorities at one port.
class FabricOnlyPriorityTestCase : public TestCase
{
  public:
    FabricOnlyPriorityTestCase()
        : TestCase("an arbiter knows whether all of its data has one priority")
    {
    }

  private:
    void DoRun() override
    {
        FabricArbiter arbiter;
        NS_TEST_ASSERT_MSG_EQ((arbiter.GetOnlyLocal() == nullptr), true, "none was ever seen");
        arbiter.Insert(MakeData(2), 0);
        NS_TEST_ASSERT_MSG_EQ(+arbiter.GetOnlyPriority(), 2, "the only frame's");
        NS_TEST_ASSERT_MSG_EQ(arbiter.GetOnlyTransit().GetSize(), 1, "that frame");
        arbiter.Insert(MakeData(1), 0);
        NS_TEST_ASSERT_MSG_EQ((arbiter.GetOnlyLocal() == nullptr), true, "two have frames");
        NS_TEST_ASSERT_MSG_EQ(arbiter.CountTransit(), 2, "both");
        NS_TEST_ASSERT_MSG_EQ(arbiter.CountTransitBytes(), 200, "of both");
        const FabricPriority first = arbiter.Take(0).priority;
        NS_TEST_ASSERT_MSG_EQ(+arbiter.GetOnlyPriority(), 3 - first, "the other one's");
        arbiter.Take(1);
        NS_TEST_ASSERT_MSG_EQ((arbiter.GetOnlyLocal() != nullptr), true, "nobody's, so any");
        NS_TEST_ASSERT_MSG_EQ(arbiter.IsEmpty(), true, "nothing waits");
    }

    static FabricFrame MakeData(FabricPriority priority)
    {
        FabricFrame frame;
        frame.kind = FabricFrameKind::Data;
        frame.priority = priority;
        frame.wireBytes = 100;
        frame.ingress = priority; // one frame an instant comes by each
        return frame;
    }
};

/// \ingroup fabric
/// The suite of the queue pair.
class FabricQueuePairTestSuite : public TestSuite
{
  public:
    FabricQueuePairTestSuite()
        : TestSuite("fabric-queue-pair", UNIT)
    {
        AddTestCase(new FabricQueuePairAnswersTestCase, TestCase::QUICK);
        AddTestCase(new FabricRestListTestCase, TestCase::QUICK);
        AddTestCase(new FabricUntouchedControlTestCase, TestCase::QUICK);
        AddTestCase(new FabricUnseenFramesTestCase, TestCase::QUICK);
        AddTestCase(new FabricFullSlotsTestCase, TestCase::QUICK);
        AddTestCase(new FabricOnlyPriorityTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricQueuePairTestSuite g_fabricQueuePairTestSuite;
