// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-shared-buffer-scenario.h"
#include "fabric-test-random.h"

#include "ns3/fabric-shared-buffer.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

using Scenario = FabricSharedBufferScenario;

constexpr uint32_t LARGEST_FRAME = Scenario::FULL_FRAME;
constexpr auto IngressAt = Scenario::MakeIngress;

} // namespace

/// \ingroup fabric
/// Senders that obey a pause only after a number of bytes.
class FabricHeadroomTestCase : public TestCase
{
  public:
    FabricHeadroomTestCase()
        : TestCase("no frame is dropped where the headroom covers what comes after a pause")
    {
    }

  private:
    static constexpr uint32_t PORTS = 4;
    static constexpr uint32_t PRIORITIES = 2;

    struct Sender
    {
        bool isPaused = false;
        uint64_t rest = 0; ///< bytes that it still sends, if paused
        std::vector<uint32_t> stored;
    };

    void DoRun() override
    {
        for (uint64_t seed = 0; seed < 40; ++seed)
        {
            CheckEnough(seed);
            CheckOneByteLess(seed);
        }
        NS_TEST_ASSERT_MSG_GT(m_exhausted, 1000, "senders use all they may");
    }

    void CheckEnough(uint64_t seed)
    {
        FabricTestRandom random(seed);
        FabricBufferSettings settings =
            Scenario::MakeSettings(PORTS, PRIORITIES, seed % 2 == 0 ? 0.125 : 4);
        for (uint64_t& headroom : settings.headroom)
        {
            headroom = random.Below(5 * LARGEST_FRAME);
        }
        Scenario::SetPool(settings, LARGEST_FRAME + random.Below(20 * LARGEST_FRAME));
        FabricSharedBuffer buffer(settings);
        std::vector<Sender> senders(PORTS * PRIORITIES);
        for (uint32_t instant = 0; instant < 2000; ++instant)
        {
            ReleaseSome(buffer, senders, random);
            buffer.BeginArrivals();
            for (uint32_t port = 0; port < PORTS; ++port)
            {
                SendOne(buffer, senders, port, random);
            }
            Obey(buffer, senders, settings);
            NS_TEST_ASSERT_MSG_LT(buffer.GetStoredBytes(), settings.size, "seed " << seed);
        }
    }

    static Sender& Find(std::vector<Sender>& senders, const FabricIngress& ingress)
    {
        return senders[ingress.port * PRIORITIES + ingress.priority - 1];
    }

    static void
    ReleaseSome(FabricSharedBuffer& buffer, std::vector<Sender>& senders, FabricTestRandom& random)
    {
        for (uint64_t count = random.Below(4); count > 0; --count)
        {
            const FabricIngress ingress =
                IngressAt(static_cast<uint32_t>(random.Below(PORTS)),
                          1 + static_cast<uint32_t>(random.Below(PRIORITIES)));
            Sender& sender = Find(senders, ingress);
            if (!sender.stored.empty())
            {
                buffer.Release(ingress, sender.stored.back());
                sender.stored.pop_back();
            }
        }
    }

    void SendOne(FabricSharedBuffer& buffer,
                 std::vector<Sender>& senders,
                 uint32_t port,
                 FabricTestRandom& random)
    {
        const FabricIngress ingress =
            IngressAt(port, 1 + static_cast<uint32_t>(random.Below(PRIORITIES)));
        Sender& sender = Find(senders, ingress);
        auto bytes = static_cast<uint32_t>(random.Happens(50) ? LARGEST_FRAME
                                                              : 1 + random.Below(LARGEST_FRAME));
        if (sender.isPaused)
        {
            bytes = static_cast<uint32_t>(std::min<uint64_t>(bytes, sender.rest));
            sender.rest -= bytes;
            m_exhausted += bytes > 0 && sender.rest == 0;
        }
        if (bytes > 0)
        {
            NS_TEST_ASSERT_MSG_EQ(buffer.Store(ingress, bytes, 0), true, "dropped");
            sender.stored.push_back(bytes);
        }
    }

    static void Obey(FabricSharedBuffer& buffer,
                     std::vector<Sender>& senders,
                     const FabricBufferSettings& settings)
    {
        for (const FabricIngress& ingress : buffer.TakePauses())
        {
            Find(senders, ingress).isPaused = true;
            Find(senders, ingress).rest = settings.headroom[ingress.port];
        }
        for (const FabricIngress& ingress : buffer.TakeResumes())
        {
            Find(senders, ingress).isPaused = false;
        }
    }

    /// A sender that sends `bound` bytes after the pause loses one where the headroom is smaller.
    void CheckOneByteLess(uint64_t seed)
    {
        FabricTestRandom random(seed);
        const uint64_t bound = 1 + random.Below(5 * LARGEST_FRAME);
        FabricBufferSettings settings = Scenario::MakeSettings(2, 1, 0.5);
        settings.headroom[0] = bound - 1;
        Scenario::SetPool(settings, Scenario::POOL);
        FabricSharedBuffer buffer(settings);
        while (Scenario::Arrive(buffer, {IngressAt(0, 1)}).empty())
        {
        }
        uint64_t stored = 0;
        for (uint64_t rest = bound; rest > 0;)
        {
            const auto bytes =
                static_cast<uint32_t>(std::min(rest, 1 + random.Below(LARGEST_FRAME)));
            rest -= bytes;
            const bool isStored = buffer.Store(IngressAt(0, 1), bytes, 0);
            NS_TEST_ASSERT_MSG_EQ(isStored, (rest > 0), "only the last is dropped");
            stored += isStored ? bytes : 0;
        }
        NS_TEST_ASSERT_MSG_LT(stored, bound, "dropped");
    }

    uint64_t m_exhausted = 0; ///< times that a sender used up what it may send after a pause
};

/// \ingroup fabric
/// The headroom that a link needs, from its latency and the frames on both wires.
class FabricLinkHeadroomTestCase : public TestCase
{
  public:
    FabricLinkHeadroomTestCase()
        : TestCase("2 latency x rate + 2 full frames + 1 pause frame are enough, to the byte")
    {
    }

  private:
    static constexpr int64_t BYTE_TIME = 4; ///< of either wire
    static constexpr int64_t LATENCY = 350 * BYTE_TIME;
    static constexpr int64_t PAUSE_FRAME = 64;
    static constexpr uint64_t ENOUGH = 2 * LATENCY / BYTE_TIME + 2 * LARGEST_FRAME + PAUSE_FRAME;

    /// What starts at the very instant of a decision starts after it, and what starts when the
    /// pause is heard does not start: one byte is never used.
    void DoRun() override
    {
        NS_TEST_ASSERT_MSG_EQ(CountDrops(ENOUGH), 0, "enough");
        NS_TEST_ASSERT_MSG_EQ(CountDrops(ENOUGH - 1), 0, "exactly enough");
        NS_TEST_ASSERT_MSG_EQ(CountDrops(ENOUGH - 2), 1, "one byte less");
    }

    /// The worst case: at time 0, when the ingress is paused, a full frame has just started on the
    /// wire that the pause frame takes, and the sender goes on without a gap.
    static uint64_t CountDrops(uint64_t headroom)
    {
        FabricBufferSettings settings = Scenario::MakeSettings(1, 1, 0.5);
        settings.headroom[0] = headroom;
        Scenario::SetPool(settings, Scenario::POOL);
        FabricSharedBuffer buffer(settings);
        while (Scenario::Arrive(buffer, {IngressAt(0, 1)}).empty())
        {
        }
        const int64_t heard = -1 + (int64_t{LARGEST_FRAME} + PAUSE_FRAME) * BYTE_TIME + LATENCY;
        const int64_t lastStart = (heard - 1) / BYTE_TIME * BYTE_TIME;
        uint64_t drops = 0;
        for (int64_t start = -LATENCY; start < heard;)
        {
            // Full frames; a shorter one before the last, so that the last starts late.
            const int64_t room =
                start < lastStart ? (lastStart - start) / BYTE_TIME : LARGEST_FRAME;
            const auto bytes = static_cast<uint32_t>(std::min<int64_t>(LARGEST_FRAME, room));
            drops += buffer.Store(IngressAt(0, 1), bytes, 0) ? 0 : 1;
            start += bytes * BYTE_TIME;
        }
        return drops;
    }
};

/// \ingroup fabric
/// The suite of the headroom.
class FabricHeadroomTestSuite : public TestSuite
{
  public:
    FabricHeadroomTestSuite()
        : TestSuite("fabric-headroom", UNIT)
    {
        AddTestCase(new FabricHeadroomTestCase, TestCase::QUICK);
        AddTestCase(new FabricLinkHeadroomTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricHeadroomTestSuite g_fabricHeadroomTestSuite;
