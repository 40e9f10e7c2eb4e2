// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-test-random.h"

#include "ns3/fabric-expected-trains.h"
#include "ns3/fabric-promise-thrift.h"
#include "ns3/fabric-promises.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

using namespace ns3;

/// \ingroup fabric
/// Expected trains give what a plain list of single frames gives.
class FabricExpectedTrainsTestCase : public TestCase
{
  public:
    FabricExpectedTrainsTestCase()
        : TestCase("trains that are expected, advanced and cut hold the frames that are left")
    {
    }

  private:
    /// (arrival, flow, number) of a single frame.
    using Frame = std::tuple<int64_t, uint32_t, uint64_t>;

    void DoRun() override
    {
        FabricTestRandom random(1);
        for (uint32_t step = 0; step < 5000; ++step)
        {
            switch (random.Below(6))
            {
            case 0:
                AddTrain(random);
                break;
            case 1:
                CutTrain(random);
                break;
            default:
                TakeNext();
            }
            NS_TEST_ASSERT_MSG_EQ(m_trains.IsEmpty(), m_frames.empty(), "emptiness");
            NS_TEST_ASSERT_MSG_EQ(m_trains.GetRate(), ComputeRate(), "rate");
        }
        m_frames.resize(m_frames.size() - CountLeft(m_trains.TakeAll()));
        NS_TEST_ASSERT_MSG_EQ(m_frames.empty(), true, "all were taken");
        NS_TEST_ASSERT_MSG_EQ(m_trains.GetRate(), 0, "nothing is expected");
    }

    /// Of the trains of which a frame is left, rounded up one by one.
    uint64_t ComputeRate() const
    {
        uint64_t rate = 0;
        for (uint32_t flow = 0; flow < m_gaps.size(); ++flow)
        {
            const auto hasFlow = [flow](const Frame& frame) { return std::get<1>(frame) == flow; };
            if (std::any_of(m_frames.begin(), m_frames.end(), hasFlow))
            {
                rate += (FabricExpectedTrains::RATE_ONE - 1) / m_gaps[flow] + 1;
            }
        }
        return rate;
    }

    static uint64_t CountLeft(const std::vector<FabricTrain>& trains)
    {
        uint64_t frames = 0;
        for (const FabricTrain& train : trains)
        {
            frames += train.count;
        }
        return frames;
    }

    /// Each flow has its own ingress, and one train at a time.
    void AddTrain(FabricTestRandom& random)
    {
        const auto flow = static_cast<uint32_t>(random.Below(5));
        const auto hasFlow = [flow](const Frame& frame) { return std::get<1>(frame) == flow; };
        if (std::any_of(m_frames.begin(), m_frames.end(), hasFlow))
        {
            return;
        }
        FabricTrain train;
        train.next.flow = flow;
        train.next.ingress = static_cast<uint16_t>(flow);
        train.next.sequence = random.Below(100);
        train.arrival = m_now + static_cast<int64_t>(1 + random.Below(50));
        train.gap = static_cast<int64_t>(1 + random.Below(20));
        train.count = 1 + random.Below(30);
        m_trains.Add(train);
        m_gaps[flow] = static_cast<uint64_t>(train.gap);
        for (uint64_t i = 0; i < train.count; ++i)
        {
            m_frames.emplace_back(
                train.arrival + static_cast<int64_t>(i) * train.gap, flow, train.next.sequence + i);
        }
    }

    void CutTrain(FabricTestRandom& random)
    {
        const auto flow = static_cast<uint32_t>(random.Below(5));
        const uint64_t end = random.Below(130);
        m_trains.Cut(static_cast<uint16_t>(flow), flow, end);
        const auto isCut = [&](const Frame& frame)
        { return std::get<1>(frame) == flow && std::get<2>(frame) >= end; };
        m_frames.erase(std::remove_if(m_frames.begin(), m_frames.end(), isCut), m_frames.end());
    }

    void TakeNext()
    {
        if (m_frames.empty())
        {
            return;
        }
        const int64_t earliest = std::get<0>(*std::min_element(m_frames.begin(), m_frames.end()));
        NS_TEST_ASSERT_MSG_EQ(m_trains.FindNext(), earliest, "next arrival");
        const FabricFrame next = m_trains.Front().next;
        const auto found =
            std::find(m_frames.begin(), m_frames.end(), Frame{earliest, next.flow, next.sequence});
        NS_TEST_ASSERT_MSG_EQ((found != m_frames.end()), true, "a frame that is due");
        m_frames.erase(found);
        m_trains.Advance(1);
        m_now = earliest;
    }

    FabricExpectedTrains m_trains;
    std::vector<Frame> m_frames;
    std::array<uint64_t, 5> m_gaps{}; ///< by flow, of the latest train
    int64_t m_now = 0;
};

/// \ingroup fabric
/// Promises are kept frame by frame, shortened and taken back.
class FabricPromisesTestCase : public TestCase
{
  public:
    FabricPromisesTestCase()
        : TestCase("a promise is in force until its last frame has started")
    {
    }

  private:
    static FabricPromise MakePromise(uint32_t flow, uint64_t next, uint64_t end)
    {
        FabricPromise promise;
        promise.flow = flow;
        promise.next = next;
        promise.end = end;
        return promise;
    }

    void DoRun() override
    {
        FabricPromises promises;
        NS_TEST_ASSERT_MSG_EQ(promises.Keep(1, 0, 1), false, "nothing was promised");
        promises.Add(MakePromise(1, 10, 13));
        promises.Add(MakePromise(2, 0, 2));
        NS_TEST_ASSERT_MSG_EQ(promises.Keep(1, 10, 1), true, "the first");
        NS_TEST_ASSERT_MSG_EQ(promises.Keep(2, 0, 1), true, "in turn");
        NS_TEST_ASSERT_MSG_EQ(promises.Keep(3, 0, 1), false, "of another flow");
        NS_TEST_ASSERT_MSG_EQ(promises.Find(1)->next, 11, "one has started");
        NS_TEST_ASSERT_MSG_EQ(promises.Keep(1, 11, 2), true, "the last two at once");
        NS_TEST_ASSERT_MSG_EQ((promises.Find(1) == nullptr), true, "fulfilled");
        promises.Shorten(2, 1);
        NS_TEST_ASSERT_MSG_EQ(promises.IsEmpty(), true, "nothing of it is left");
        promises.Add(MakePromise(4, 0, 9));
        promises.Shorten(4, 5);
        NS_TEST_ASSERT_MSG_EQ(promises.Find(4)->end, 5, "shorter");
        promises.Shorten(4, 7);
        NS_TEST_ASSERT_MSG_EQ(promises.Find(4)->end, 5, "never longer");
        promises.Clear();
        NS_TEST_ASSERT_MSG_EQ(promises.IsEmpty(), true, "taken back");
    }
};

/// \ingroup fabric
/// Promises that are taken back too soon make the port skip heads.
class FabricPromiseThriftTestCase : public TestCase
{
  public:
    FabricPromiseThriftTestCase()
        : TestCase("a port whose promises are taken back too soon skips ever more heads")
    {
    }

  private:
    /// One promise is made, and taken back when `kept` of its frames have started.
    /// \return How many heads are skipped then.
    uint32_t CountSkipped(uint64_t kept)
    {
        m_thrift.CountPromise();
        m_thrift.CountKept(kept);
        m_thrift.Judge();
        uint32_t skipped = 0;
        while (!m_thrift.MayPromise())
        {
            ++skipped;
        }
        return skipped;
    }

    void DoRun() override
    {
        constexpr uint64_t COST = FabricPromiseThrift::COST;
        NS_TEST_ASSERT_MSG_EQ(CountSkipped(COST), 0, "worth its cost");
        NS_TEST_ASSERT_MSG_EQ(CountSkipped(COST - 1), 1, "not worth it");
        NS_TEST_ASSERT_MSG_EQ(CountSkipped(0), 2, "twice as many");
        NS_TEST_ASSERT_MSG_EQ(CountSkipped(0), 4, "and again");
        NS_TEST_ASSERT_MSG_EQ(CountSkipped(COST), 0, "worth it");
        NS_TEST_ASSERT_MSG_EQ(CountSkipped(0), 4, "half of what would have been next");
        for (uint32_t i = 0; i < 20; ++i)
        {
            CountSkipped(0);
        }
        NS_TEST_ASSERT_MSG_EQ(CountSkipped(0), FabricPromiseThrift::MOST_SKIPPED, "the most");
        CheckOneJudgementForMany();
    }

    /// Two promises are judged together: one made up for the other.
    void CheckOneJudgementForMany()
    {
        FabricPromiseThrift thrift;
        thrift.CountPromise();
        thrift.CountPromise();
        thrift.CountKept(2 * FabricPromiseThrift::COST);
        thrift.Judge();
        NS_TEST_ASSERT_MSG_EQ(thrift.MayPromise(), true, "worth it on average");
    }

    FabricPromiseThrift m_thrift;
};

/// \ingroup fabric
/// The suite of what trains are made of.
class FabricTrainTestSuite : public TestSuite
{
  public:
    FabricTrainTestSuite()
        : TestSuite("fabric-train", UNIT)
    {
        AddTestCase(new FabricExpectedTrainsTestCase, TestCase::QUICK);
        AddTestCase(new FabricPromisesTestCase, TestCase::QUICK);
        AddTestCase(new FabricPromiseThriftTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricTrainTestSuite g_fabricTrainTestSuite;
