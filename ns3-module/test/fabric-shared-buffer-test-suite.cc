// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-shared-buffer-model-run.h"
#include "fabric-shared-buffer-scenario.h"

#include "ns3/fabric-shared-buffer.h"
#include "ns3/test.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

using Scenario = FabricSharedBufferScenario;

constexpr uint32_t M = Scenario::FULL_FRAME;
constexpr auto At = Scenario::MakeIngress;

} // namespace

/// \ingroup fabric
/// Examples worked by hand.
class FabricSharedBufferExamplesTestCase : public TestCase
{
  public:
    FabricSharedBufferExamplesTestCase()
        : TestCase("thresholds, pauses, headroom, resumes and drops are as worked by hand")
    {
    }

  private:
    void DoRun() override
    {
        CheckOneIngress();
        CheckOwnArrivals();
        CheckNoFlapping();
        CheckOrder();
        CheckFullPool();
        CheckCalmBytes();
        CheckSizeIsReached();
        CheckLeastSize();
        CheckLossy();
        CheckBoundIsTightened();
    }

    /// alpha 1/2: T = (10 M - pooled) / 2, which 3 M of 3 M are below and 4 M of 4 M are not.
    void CheckOneIngress()
    {
        FabricSharedBuffer buffer(Scenario::MakeSettings(2, 1, 0.5));
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(0, 1)}).size(), 0, "M < 4.5 M");
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(0, 1)}).size(), 0, "2 M < 4 M");
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(0, 1)}).size(), 0, "3 M < 3.5 M");
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(0, 1)}).size(), 1, "4 M >= 3 M");
        NS_TEST_ASSERT_MSG_EQ(buffer.IsPaused(At(0, 1)), true, "counts as paused");
        for (uint32_t i = 0; i < 3; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(buffer.Store(At(0, 1), M, 0), true, "headroom");
        }
        NS_TEST_ASSERT_MSG_EQ(buffer.Store(At(0, 1), 1, 0), false, "headroom is full");
        NS_TEST_ASSERT_MSG_EQ(buffer.GetBytes(At(0, 1)), 7 * M, "pool and headroom");
        // Three releases empty the headroom; 4 M and 3 M are above 3 M - M and 3.5 M - M.
        for (uint32_t i = 0; i < 4; ++i)
        {
            buffer.Release(At(0, 1), M);
            NS_TEST_ASSERT_MSG_EQ(buffer.TakeResumes().size(), 0, "still too much");
        }
        buffer.Release(At(0, 1), M);
        NS_TEST_ASSERT_MSG_EQ(buffer.TakeResumes().size(), 1, "2 M <= 4 M - M");
        NS_TEST_ASSERT_MSG_EQ(buffer.IsPausing(), false, "nobody is left");
        NS_TEST_ASSERT_MSG_EQ(buffer.GetStoredBytes(), 2 * M, "left");
        NS_TEST_ASSERT_MSG_EQ(buffer.GetMostStoredBytes(), 7 * M, "the most");
    }

    /// Port 1 holds more than T once port 0 has filled the pool, and is paused by its own frame.
    void CheckOwnArrivals()
    {
        FabricSharedBuffer buffer(Scenario::MakeSettings(3, 1, 0.5));
        Scenario::Arrive(buffer, {At(0, 1), At(1, 1)});
        Scenario::Arrive(buffer, {At(0, 1), At(1, 1)});
        NS_TEST_ASSERT_MSG_EQ(
            Scenario::Arrive(buffer, {At(0, 1), At(2, 1)}).size(), 1, "3 M >= 2 M");
        NS_TEST_ASSERT_MSG_EQ(buffer.IsPaused(At(0, 1)), true, "port 0");
        NS_TEST_ASSERT_MSG_EQ(buffer.IsPaused(At(1, 1)), false, "2 M >= 2 M, but no own frame");
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(1, 1)}, 1).size(), 1, "its own frame");
        NS_TEST_ASSERT_MSG_EQ(buffer.IsPaused(At(2, 1)), false, "M < 2 M");
    }

    /// Who holds exactly T is paused and stays so, even with no offset.
    void CheckNoFlapping()
    {
        FabricBufferSettings settings = Scenario::MakeSettings(1, 1, 0.5);
        settings.resumeOffset = 0;
        FabricSharedBuffer buffer(settings);
        for (uint32_t i = 0; i < 3; ++i)
        {
            Scenario::Arrive(buffer, {At(0, 1)});
        }
        const uint32_t rest = 333; // T = floor(6667 / 2) = 3333
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(0, 1)}, rest).size(), 1, "3333 >= T");
        NS_TEST_ASSERT_MSG_EQ(buffer.TakeResumes().size(), 0, "not below T");
        buffer.Release(At(0, 1), 1);
        NS_TEST_ASSERT_MSG_EQ(buffer.TakeResumes().size(), 1, "3332 < 3334");
    }

    void CheckOrder()
    {
        FabricSharedBuffer buffer(Scenario::MakeSettings(3, 2, 0.25));
        Scenario::Arrive(buffer, {At(2, 1), At(1, 2), At(0, 2)});
        Scenario::Arrive(buffer, {At(1, 1)}); // T = 1.5 M
        const std::vector<FabricIngress> paused =
            Scenario::Arrive(buffer, {At(2, 1), At(1, 2), At(0, 2)});
        NS_TEST_ASSERT_MSG_EQ(paused.size(), 3, "newly");
        NS_TEST_ASSERT_MSG_EQ(paused[0].port, 0, "first port");
        NS_TEST_ASSERT_MSG_EQ(paused[1].port, 1, "second port");
        NS_TEST_ASSERT_MSG_EQ(paused[2].port, 2, "third port");
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(1, 1)}).size(), 1, "T = 0.5 M");
        for (const FabricIngress& ingress : {At(2, 1), At(1, 1), At(1, 2)})
        {
            buffer.Release(ingress, static_cast<uint32_t>(buffer.GetBytes(ingress)));
        }
        const std::vector<FabricIngress> resumed = buffer.TakeResumes();
        NS_TEST_ASSERT_MSG_EQ(resumed.size(), 3, "hold nothing");
        NS_TEST_ASSERT_MSG_EQ(resumed[0].port, 1, "first port");
        NS_TEST_ASSERT_MSG_EQ(int{resumed[0].priority}, 1, "first priority");
        NS_TEST_ASSERT_MSG_EQ(int{resumed[1].priority}, 2, "second priority");
        NS_TEST_ASSERT_MSG_EQ(resumed[2].port, 2, "last port");
        NS_TEST_ASSERT_MSG_EQ(buffer.IsPaused(At(0, 2)), true, "holds something");
    }

    /// Who holds nothing gets one frame in even where the pool is full, and is resumed when it
    /// left.
    void CheckFullPool()
    {
        FabricSharedBuffer buffer(Scenario::MakeSettings(2, 1, 1e6));
        for (uint32_t i = 0; i < 9; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(0, 1)}).size(), 0, "a pool of one");
        }
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(0, 1)}).size(), 1, "T = 0");
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(1, 1)}).size(), 1, "T = 0");
        NS_TEST_ASSERT_MSG_EQ(buffer.GetBytes(At(1, 1)), M, "stored");
        buffer.Release(At(1, 1), M);
        NS_TEST_ASSERT_MSG_EQ(buffer.TakeResumes().size(), 1, "holds nothing");
        NS_TEST_ASSERT_MSG_EQ(buffer.IsPaused(At(0, 1)), true, "T = 0");
    }

    /// The reserve is exactly enough: with S - 1 in the pool each ingress adds a frame, then fills
    /// its headroom.
    void CheckSizeIsReached()
    {
        const FabricBufferSettings settings = Scenario::MakeSettings(2, 2, 1e6);
        FabricSharedBuffer buffer(settings);
        for (uint32_t i = 0; i < 9; ++i)
        {
            Scenario::Arrive(buffer, {At(0, 1)});
        }
        Scenario::Arrive(buffer, {At(0, 1)}, M - 1);
        NS_TEST_ASSERT_MSG_EQ(buffer.GetStoredBytes(), Scenario::POOL - 1, "nearly full");
        NS_TEST_ASSERT_MSG_EQ(Scenario::Arrive(buffer, {At(0, 1), At(1, 1)}).size(), 2, "full");
        NS_TEST_ASSERT_MSG_EQ(
            Scenario::Arrive(buffer, {At(0, 2), At(1, 2)}).size(), 2, "first frames");
        for (uint32_t i = 0; i < 12; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(buffer.Store(At(i % 2, 1 + i / 2 % 2), M, 0), true, "headroom");
        }
        NS_TEST_ASSERT_MSG_EQ(buffer.GetStoredBytes(), settings.size - 1, "never the whole");
    }

    void CheckCalmBytes()
    {
        // A pool S of 17 000 B and alpha 1/2: one ingress that holds b pauses unless
        // b < (17 000 - b) / 2, so b < 5666.7.
        FabricBufferSettings settings = Scenario::MakeSettings(2, 1, 0.5);
        settings.size = FabricSharedBuffer::ComputeLeastSize(settings) - M + 17'000;
        NS_TEST_ASSERT_MSG_EQ(FabricSharedBuffer(settings).ComputeCalmBytes(), 5666, "lossless");
        // An egress that holds b takes no more unless b < 17 000 - b.
        settings.isLossless = false;
        settings.size = 17'000;
        settings.egressAlpha = 1;
        NS_TEST_ASSERT_MSG_EQ(FabricSharedBuffer(settings).ComputeCalmBytes(), 8499, "lossy");
        settings.egressAlpha = 0;
        NS_TEST_ASSERT_MSG_EQ(FabricSharedBuffer(settings).ComputeCalmBytes(), 0, "never calm");
    }

    void CheckLeastSize()
    {
        FabricBufferSettings settings = Scenario::MakeSettings(2, 1, 0.5);
        const uint64_t least = 2 * 3 * M + 2 * M + M; // headrooms, a frame for each, the pool
        NS_TEST_ASSERT_MSG_EQ(FabricSharedBuffer::ComputeLeastSize(settings), least, "lossless");
        settings.size = least;
        FabricSharedBuffer buffer(settings);
        NS_TEST_ASSERT_MSG_EQ(
            Scenario::Arrive(buffer, {At(0, 1)}).size(), 1, "one frame fills the pool");
        settings.isLossless = false;
        NS_TEST_ASSERT_MSG_EQ(FabricSharedBuffer::ComputeLeastSize(settings), M, "lossy");
    }

    /// egressAlpha 1: an egress may hold what is free.
    void CheckLossy()
    {
        FabricBufferSettings settings = Scenario::MakeSettings(2, 1, 0.5);
        settings.isLossless = false;
        settings.size = 10 * M;
        FabricSharedBuffer buffer(settings);
        for (uint32_t i = 0; i < 5; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(buffer.Store(At(0, 1), M, i * M), true, "less than is free");
        }
        NS_TEST_ASSERT_MSG_EQ(buffer.Store(At(1, 1), M, 5 * M), false, "5 M of 10 M - 5 M");
        NS_TEST_ASSERT_MSG_EQ(buffer.Store(At(1, 1), M, 5 * M - 1), true, "another egress");
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(buffer.Store(At(1, 1), M, 0), true, "empty egresses");
        }
        NS_TEST_ASSERT_MSG_EQ(buffer.Store(At(1, 1), 1, 0), false, "the memory is full");
        NS_TEST_ASSERT_MSG_EQ(buffer.TakePauses().size(), 0, "never pauses");
        NS_TEST_ASSERT_MSG_EQ(buffer.GetMostStoredBytes(), 10 * M, "full");
    }

    /// What an ingress once held does not spoil the calm for ever.
    void CheckBoundIsTightened()
    {
        FabricSharedBuffer buffer(Scenario::MakeSettings(2, 1, 0.5));
        for (uint32_t i = 0; i < 3; ++i)
        {
            Scenario::Arrive(buffer, {At(0, 1)});
        }
        NS_TEST_ASSERT_MSG_EQ(buffer.IsSurelyCalm(1, 0), false, "more than ever");
        buffer.Release(At(0, 1), 3 * M);
        NS_TEST_ASSERT_MSG_EQ(buffer.IsSurelyCalm(2 * M, 0), false, "not known yet");
        Scenario::Arrive(buffer, {At(1, 1)});
        NS_TEST_ASSERT_MSG_EQ(buffer.IsSurelyCalm(2 * M, 0), true, "3 M < 3.5 M");
        NS_TEST_ASSERT_MSG_EQ(buffer.IsSurelyCalm(2 * M + 1, 0), false, "more than ever");
    }
};

/// \ingroup fabric
/// Random arrivals and releases against the model, with releases told at once and as late as
/// IsSurelyCalm allows.
class FabricSharedBufferModelTestCase : public TestCase
{
  public:
    FabricSharedBufferModelTestCase()
        : TestCase("random runs agree with an obvious model, also where releases are told late")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t seed = 0; seed < 40; ++seed)
        {
            FabricSharedBufferModelRun run(seed);
            run.Run(2000);
            NS_TEST_ASSERT_MSG_EQ(run.GetDifference(), "", "seed " << seed);
            m_counts += run.GetCounts();
        }
        NS_TEST_ASSERT_MSG_GT(m_counts.calm, 1000, "calm instants happen");
        NS_TEST_ASSERT_MSG_GT(m_counts.pauses, 1000, "pauses happen");
        NS_TEST_ASSERT_MSG_GT(m_counts.resumes, 1000, "resumes happen");
        NS_TEST_ASSERT_MSG_GT(m_counts.drops, 1000, "drops happen");
    }

    FabricSharedBufferModelRun::Counts m_counts;
};

/// \ingroup fabric
/// The suite of the shared buffer.
class FabricSharedBufferTestSuite : public TestSuite
{
  public:
    FabricSharedBufferTestSuite()
        : TestSuite("fabric-shared-buffer", UNIT)
    {
        AddTestCase(new FabricSharedBufferExamplesTestCase, TestCase::QUICK);
        AddTestCase(new FabricSharedBufferModelTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricSharedBufferTestSuite g_fabricSharedBufferTestSuite;
