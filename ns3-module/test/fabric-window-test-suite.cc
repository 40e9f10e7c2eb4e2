// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-lossy-exchange.h"

#include "ns3/fabric-receive-window.h"
#include "ns3/fabric-send-window.h"
#include "ns3/test.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

/// Starts all that may be sent. \return The numbers, in order.
std::vector<uint64_t>
StartAll(FabricSendWindow& window)
{
    std::vector<uint64_t> started;
    while (window.HasNext())
    {
        started.push_back(window.GetNext());
        window.Start();
    }
    return started;
}

FabricSendWindow
MakeStarted(FabricLossRecovery recovery, uint64_t frames)
{
    FabricSendWindow window(recovery);
    window.Post(frames);
    StartAll(window);
    return window;
}

using Numbers = std::vector<uint64_t>;

} // namespace

/// \ingroup fabric
/// Examples of what the sender sends again.
class FabricSendWindowTestCase : public TestCase
{
  public:
    FabricSendWindowTestCase()
        : TestCase("the sender sends again what its recovery says, once")
    {
    }

  private:
    void DoRun() override
    {
        CheckWithoutLoss();
        CheckGoBackN();
        CheckGoBackNAgain();
        CheckGoBackNTimeout();
        CheckGoForward();
        CheckSelective();
        CheckSelectiveLosesAgain();
        CheckSelectiveTimeout();
        CheckSelectiveKnowsArrivals();
        CheckEarlyFrames();
        NS_TEST_ASSERT_MSG_LT_OR_EQ(sizeof(FabricSendWindow), 64, "one for each queue pair");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(sizeof(FabricReceiveWindow), 16, "one for each queue pair");
    }

    void CheckWithoutLoss()
    {
        for (const auto recovery : {FabricLossRecovery::GoBackN, FabricLossRecovery::Selective})
        {
            FabricSendWindow window(recovery);
            NS_TEST_ASSERT_MSG_EQ(window.HasNext(), false, "nothing posted");
            window.Post(2);
            NS_TEST_ASSERT_MSG_EQ(window.IsNextRetransmission(), false, "new");
            NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{0, 1}), true, "in order");
            NS_TEST_ASSERT_MSG_EQ(window.IsAllAcknowledged(), false, "none");
            NS_TEST_ASSERT_MSG_EQ(window.Acknowledge(1), true, "news");
            NS_TEST_ASSERT_MSG_EQ(window.Acknowledge(1), false, "known");
            NS_TEST_ASSERT_MSG_EQ(window.Acknowledge(2), true, "news");
            NS_TEST_ASSERT_MSG_EQ(window.IsAllAcknowledged(), true, "all");
            NS_TEST_ASSERT_MSG_EQ(window.GetAttempt(), 0, "no recovery");
        }
    }

    /// Frame 3 of 8 is lost: 4 to 7 report it, and so do none of the frames sent after it.
    void CheckGoBackN()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::GoBackN, 8);
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 4), true, "goes back");
        NS_TEST_ASSERT_MSG_EQ(window.GetAcknowledged(), 3, "acknowledges too");
        NS_TEST_ASSERT_MSG_EQ(window.IsNextRetransmission(), true, "3");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 5), false, "the same gap");
        window.Post(1);
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{3, 4, 5, 6, 7, 8}), true, "from 3 on");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 7), false, "the same gap, and all sent again");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(5, 6), true, "another gap");
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{5, 6, 7, 8}), true, "from 5 on");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(4, 7), false, "long past");
        NS_TEST_ASSERT_MSG_EQ(window.GetAttempt(), 2, "two gaps");
        NS_TEST_ASSERT_MSG_EQ(window.Acknowledge(9), true, "news");
        NS_TEST_ASSERT_MSG_EQ(window.IsAllAcknowledged(), true, "all");
    }

    /// Frame 3 of 8 is lost, and lost again: 8 and later, first sent after going back, tell of it.
    void CheckGoBackNAgain()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::GoBackN, 8);
        window.ReportGap(3, 4);
        window.Post(4);
        StartAll(window);
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 7), false, "7 was sent before and after");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 8), true, "8 followed the second 3");
        NS_TEST_ASSERT_MSG_EQ(window.GetNext(), 3, "goes back again");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 9), false, "the same loss");
        window.Post(1);
        StartAll(window);
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 11), false, "11 was sent before and after");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 12), true, "12 followed the third 3");
        NS_TEST_ASSERT_MSG_EQ(window.GetAttempt(), 3, "three losses");
    }

    /// After a timeout the same gap counts again, if a frame sent since then tells of it.
    void CheckGoBackNTimeout()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::GoBackN, 4);
        window.ReportGap(1, 2);
        StartAll(window);
        window.ReportTimeout();
        NS_TEST_ASSERT_MSG_EQ(window.GetAttempt(), 2, "a gap and a timeout");
        NS_TEST_ASSERT_MSG_EQ(window.GetNext(), 1, "the first unacknowledged");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 3), false, "3 was sent before the timeout");
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{1, 2, 3}), true, "from 1 on");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 3), true, "1 is lost again");
    }

    /// A late acknowledgement spares what it covers.
    void CheckGoForward()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::GoBackN, 6);
        window.ReportTimeout();
        window.Start();
        NS_TEST_ASSERT_MSG_EQ(window.Acknowledge(4), true, "news");
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{4, 5}), true, "only the rest");
    }

    void CheckSelective()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::Selective, 10);
        window.Post(1);
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(2, 4), true, "2 and 3 are missing");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(2, 5), false, "nothing new");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(2, 7), true, "6 is missing");
        NS_TEST_ASSERT_MSG_EQ(window.IsNextRetransmission(), true, "2");
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{2, 3, 6, 10}), true, "lowest first");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(3, 8), false, "listed before");
        NS_TEST_ASSERT_MSG_EQ(window.HasNext(), false, "once");
        NS_TEST_ASSERT_MSG_EQ(window.GetAttempt(), 2, "two gaps");
        NS_TEST_ASSERT_MSG_EQ(window.GetAcknowledged(), 3, "a report acknowledges too");
    }

    /// What was sent again is lost again: a frame that was first sent later tells of it.
    void CheckSelectiveLosesAgain()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::Selective, 6);
        window.ReportGap(1, 3); // 1 and 2 are missing
        StartAll(window);
        window.Post(3);
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{6, 7, 8}), true, "new");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 5), true, "4, sent before them");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 2), false, "2 has arrived");
        NS_TEST_ASSERT_MSG_EQ(window.GetNext(), 4, "not 1: 5 was sent before it was sent again");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 6), true, "sent after them");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 7), false, "1 is listed");
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{1, 4}), true, "neither 2 nor 3");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 8), false, "sent before 1 was sent once more");
        window.Post(1);
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{9}), true, "new");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 9), true, "lost a third time");
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{1, 4}), true, "again");
        NS_TEST_ASSERT_MSG_EQ(window.GetAttempt(), 4, "recoveries");
    }

    /// The timeout sends again all that is not known to have arrived.
    void CheckSelectiveTimeout()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::Selective, 8);
        window.ReportGap(1, 3);
        window.ReportGap(1, 6); // 1, 2, 4 and 5 are missing
        StartAll(window);
        window.ReportTimeout();
        NS_TEST_ASSERT_MSG_EQ(window.GetNext(), 1, "the lowest first");
        window.Post(1);
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 7), false, "sent before, and arrived after all");
        NS_TEST_ASSERT_MSG_EQ(
            (StartAll(window) == Numbers{1, 2, 4, 5, 8}), true, "not 3, 6, 7; then new");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(2, 4), false, "1 and 4 come");
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(2, 8), true, "2 and 5 were lost once more");
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{2, 5}), true, "only these");
        window.ReportTimeout();
        window.ReportTimeout();
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{2, 5}), true, "and once more");
        window.ReportTimeout();
        window.Acknowledge(5);
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{5}), true, "2 came late");
        window.Acknowledge(9);
        NS_TEST_ASSERT_MSG_EQ(window.IsAllAcknowledged(), true, "all");
        NS_TEST_ASSERT_MSG_EQ(window.HasNext(), false, "nothing is left");
    }

    void CheckSelectiveKnowsArrivals()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::Selective, 8);
        window.ReportGap(1, 6);
        NS_TEST_ASSERT_MSG_EQ(window.ReportGap(1, 3), false, "it has arrived after all");
        window.Acknowledge(2);
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{2, 4, 5}), true, "neither 1 nor 3");
        window.Acknowledge(8);
        NS_TEST_ASSERT_MSG_EQ(window.IsAllAcknowledged(), true, "all");
    }

    /// Where frames overtake each other, an early one causes nothing until the timeout.
    void CheckEarlyFrames()
    {
        FabricSendWindow window = MakeStarted(FabricLossRecovery::Selective, 8);
        window.Acknowledge(2);
        for (const uint64_t early : {4, 3, 7, 1})
        {
            window.ReportEarly(early);
            NS_TEST_ASSERT_MSG_EQ(window.HasNext(), false, "what is missing may only be late");
        }
        NS_TEST_ASSERT_MSG_EQ(window.GetAcknowledged(), 2, "2 is missing");
        window.ReportTimeout();
        window.ReportEarly(5);
        NS_TEST_ASSERT_MSG_EQ((StartAll(window) == Numbers{2, 6}), true, "but for 5, which came");
        FabricSendWindow back = MakeStarted(FabricLossRecovery::GoBackN, 4);
        back.ReportEarly(2);
        back.ReportTimeout();
        NS_TEST_ASSERT_MSG_EQ((StartAll(back) == Numbers{0, 1, 2, 3}), true, "from 0 on");
    }
};

/// \ingroup fabric
/// Examples of what the receiver takes in.
class FabricReceiveWindowTestCase : public TestCase
{
  public:
    FabricReceiveWindowTestCase()
        : TestCase("the receiver takes each frame in once, and keeps or discards early ones")
    {
    }

  private:
    using Outcome = FabricReceiveWindow::Outcome;

    void DoRun() override
    {
        FabricReceiveWindow discarding(FabricReordering::Discard);
        Check(discarding, 0, Outcome::InOrder, 1);
        Check(discarding, 2, Outcome::OutOfOrder, 1);
        Check(discarding, 2, Outcome::OutOfOrder, 1);
        Check(discarding, 1, Outcome::InOrder, 2);
        Check(discarding, 1, Outcome::Duplicate, 2);
        NS_TEST_ASSERT_MSG_EQ(discarding.GetNKept(), 0, "discards");

        FabricReceiveWindow keeping(FabricReordering::Keep);
        Check(keeping, 0, Outcome::InOrder, 1);
        Check(keeping, 3, Outcome::OutOfOrder, 1);
        Check(keeping, 2, Outcome::OutOfOrder, 1);
        Check(keeping, 5, Outcome::OutOfOrder, 1);
        Check(keeping, 3, Outcome::Duplicate, 1);
        NS_TEST_ASSERT_MSG_EQ(keeping.GetNKept(), 3, "2, 3 and 5");
        Check(keeping, 1, Outcome::InOrder, 4);
        NS_TEST_ASSERT_MSG_EQ(keeping.GetNKept(), 1, "5");
        Check(keeping, 4, Outcome::InOrder, 6);
        Check(keeping, 5, Outcome::Duplicate, 6);
    }

    void Check(FabricReceiveWindow& window, uint64_t sequence, Outcome outcome, uint64_t expected)
    {
        NS_TEST_ASSERT_MSG_EQ((window.Accept(sequence) == outcome), true, "frame " << sequence);
        NS_TEST_ASSERT_MSG_EQ(window.GetExpected(), expected, "after frame " << sequence);
    }
};

/// \ingroup fabric
/// Both windows over random lossy, order-keeping ways.
class FabricWindowExchangeTestCase : public TestCase
{
  public:
    FabricWindowExchangeTestCase()
        : TestCase("everything arrives exactly once over lossy ways, for both recoveries")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto recovery : {FabricLossRecovery::GoBackN, FabricLossRecovery::Selective})
        {
            for (uint64_t seed = 0; seed < 60; ++seed)
            {
                CheckSureAnswers(recovery, seed);
                CheckLossyAnswers(recovery, seed);
            }
        }
    }

    /// Answers are not lost and the timer waits for all of them: nothing is sent for nothing.
    void CheckSureAnswers(FabricLossRecovery recovery, uint64_t seed)
    {
        FabricLossyWays ways;
        ways.dataLossPercent = seed % 4 * 10;
        FabricLossyExchange exchange(recovery, ways, seed);
        exchange.Run(FRAMES);
        NS_TEST_ASSERT_MSG_EQ(exchange.GetFault(), "", "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ((exchange.GetNLost() > 0), (seed % 4 > 0), "loss as asked for");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(
            exchange.GetWindow().GetAttempt(), exchange.GetNLost(), "one recovery for each loss");
        if (recovery == FabricLossRecovery::Selective || exchange.GetNLost() == 0)
        {
            const uint64_t needed = FRAMES + exchange.GetNLost();
            NS_TEST_ASSERT_MSG_EQ(exchange.GetNSent(), needed, "seed " << seed);
        }
    }

    void CheckLossyAnswers(FabricLossRecovery recovery, uint64_t seed)
    {
        FabricLossyWays ways;
        ways.dataLossPercent = seed % 4 * 10;
        ways.answerLossPercent = 20;
        ways.hastyTimeoutPercent = seed % 3;
        FabricLossyExchange exchange(recovery, ways, seed);
        exchange.Run(FRAMES);
        NS_TEST_ASSERT_MSG_EQ(exchange.GetFault(), "", "seed " << seed);
    }

    static constexpr uint64_t FRAMES = 300;
};

/// \ingroup fabric
/// The suite of the windows.
class FabricWindowTestSuite : public TestSuite
{
  public:
    FabricWindowTestSuite()
        : TestSuite("fabric-window", UNIT)
    {
        AddTestCase(new FabricSendWindowTestCase, TestCase::QUICK);
        AddTestCase(new FabricReceiveWindowTestCase, TestCase::QUICK);
        AddTestCase(new FabricWindowExchangeTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricWindowTestSuite g_fabricWindowTestSuite;
