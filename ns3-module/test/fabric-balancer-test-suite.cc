// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/fabric-flowlet-balancer.h"
#include "ns3/fabric-hash.h"
#include "ns3/fabric-load-balancer.h"
#include "ns3/fabric-spray-balancer.h"
#include "ns3/nstime.h"
#include "ns3/test.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t WAYS = 8;
constexpr int64_t GAP = 1000;

constexpr uint64_t SEED = 7;
constexpr uint32_t NODE = 3;

template <class Balancer>
Ptr<Balancer>
MakeBalancer(uint64_t seed = SEED, uint32_t node = NODE)
{
    Ptr<Balancer> balancer = CreateObject<Balancer>();
    balancer->Join(seed, node);
    return balancer;
}

Ptr<FabricFlowletBalancer>
MakeFlowletBalancer()
{
    Ptr<FabricFlowletBalancer> balancer = MakeBalancer<FabricFlowletBalancer>();
    balancer->SetAttribute("Gap", TimeValue(TimeStep(uint64_t{GAP})));
    return balancer;
}

/// The frame of a flow that a balancer which looks at no queue is asked about.
struct Asked
{
    uint64_t flow = 1;
    uint64_t sequence = 0;
    int64_t now = 0;
    uint16_t attempt = 0;
};

uint32_t
Pick(FabricLoadBalancer& balancer, const Asked& asked)
{
    const std::vector<FabricPort*> ways(WAYS, nullptr);
    FabricFlow flow;
    flow.identity = FabricMix(asked.flow);
    FabricFrame frame;
    frame.sequence = asked.sequence;
    frame.attempt = asked.attempt;
    return balancer.Pick({frame, flow, ways, asked.now});
}

/// A value that chi square with d degrees of freedom passes with a probability below 1e-6:
/// d + 2 sqrt(d x) + 2 x at x = ln 1e6 (Laurent and Massart, Annals of Statistics 28, 2000).
double
ComputeChiSquareBound(std::size_t cells)
{
    const double degrees = static_cast<double>(cells - 1);
    const double x = std::log(1e6);
    return degrees + 2 * std::sqrt(degrees * x) + 2 * x;
}

/// Of counts that should be equal.
double
ComputeChiSquare(const std::vector<uint32_t>& counts)
{
    double total = 0;
    for (const uint32_t count : counts)
    {
        total += count;
    }
    const double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (const uint32_t count : counts)
    {
        sum += (count - expected) * (count - expected) / expected;
    }
    return sum;
}

/// Whether so many of `total` independent pairs of picks agree: a WAYS-th of them, within six
/// standard deviations.
bool
IsChance(uint32_t agreeing, uint32_t total)
{
    const double p = 1.0 / WAYS;
    return std::abs(agreeing - total * p) < 6 * std::sqrt(total * p * (1 - p));
}

} // namespace

/// \ingroup fabric
/// The hash behind all random choices.
class FabricHashTestCase : public TestCase
{
  public:
    FabricHashTestCase()
        : TestCase("hashes of counters are uniform numbers of [0, 1)")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t cells = 100;
        const uint64_t draws = 50000;
        std::vector<uint32_t> counts(cells);
        for (uint64_t i = 0; i < draws; ++i)
        {
            const double u = FabricUniform(FabricHash({1, i, 2}));
            ++counts.at(static_cast<std::size_t>(u * cells));
        }
        NS_TEST_ASSERT_MSG_LT(ComputeChiSquare(counts), ComputeChiSquareBound(cells), "uniform");
        NS_TEST_ASSERT_MSG_EQ(FabricUniform(0), 0, "the smallest");
        NS_TEST_ASSERT_MSG_LT(FabricUniform(~uint64_t{0}), 1, "the largest");
        const bool isSame = FabricHash({1, 2}) == FabricHash({2, 1});
        NS_TEST_ASSERT_MSG_EQ(isSame, false, "the order matters");
    }
};

/// \ingroup fabric
/// Spraying is uniform, without memory, and a function of identities.
class FabricSprayTestCase : public TestCase
{
  public:
    FabricSprayTestCase()
        : TestCase("spraying is uniform, independent from frame to frame, and a pure function")
    {
    }

  private:
    static constexpr uint32_t FRAMES = 64000;

    void DoRun() override
    {
        const auto balancer = MakeBalancer<FabricSprayBalancer>();
        std::vector<uint32_t> picks;
        std::vector<uint32_t> counts(WAYS);
        std::vector<uint32_t> pairs(WAYS * WAYS);
        for (uint32_t i = 0; i < FRAMES; ++i)
        {
            picks.push_back(Pick(*balancer, {1, i}));
            ++counts.at(picks.back());
            if (i % 2 == 1)
            {
                ++pairs.at(picks[i - 1] * WAYS + picks[i]);
            }
        }
        NS_TEST_ASSERT_MSG_LT(ComputeChiSquare(counts), ComputeChiSquareBound(WAYS), "uniform");
        NS_TEST_ASSERT_MSG_LT(
            ComputeChiSquare(pairs), ComputeChiSquareBound(WAYS * WAYS), "no memory, no rotation");
        CheckPure(*balancer, picks);
        CheckDependence(picks);
    }

    /// Neither the past nor the time matters.
    void CheckPure(FabricLoadBalancer& used, const std::vector<uint32_t>& picks)
    {
        const auto fresh = MakeBalancer<FabricSprayBalancer>();
        for (uint32_t i = FRAMES; i-- > 0;)
        {
            NS_TEST_ASSERT_MSG_EQ(Pick(*fresh, {1, i, 5}), picks[i], "backwards, frame " << i);
            NS_TEST_ASSERT_MSG_EQ(Pick(used, {1, i, 9}), picks[i], "again, frame " << i);
        }
    }

    /// Each identity matters: seed, node, flow, attempt.
    void CheckDependence(const std::vector<uint32_t>& picks)
    {
        NS_TEST_ASSERT_MSG_EQ(IsUnlike(picks, {SEED + 1, NODE}, {1}), true, "seed");
        NS_TEST_ASSERT_MSG_EQ(IsUnlike(picks, {SEED, NODE + 1}, {1}), true, "node");
        NS_TEST_ASSERT_MSG_EQ(IsUnlike(picks, {SEED, NODE}, {2}), true, "flow");
        NS_TEST_ASSERT_MSG_EQ(IsUnlike(picks, {SEED, NODE}, {1, 0, 0, 1}), true, "attempt");
    }

    static bool IsUnlike(const std::vector<uint32_t>& picks,
                         const std::pair<uint64_t, uint32_t>& place,
                         Asked asked)
    {
        const auto balancer = MakeBalancer<FabricSprayBalancer>(place.first, place.second);
        uint32_t agreeing = 0;
        for (uint32_t i = 0; i < FRAMES; ++i)
        {
            asked.sequence = i;
            agreeing += Pick(*balancer, asked) == picks[i];
        }
        return IsChance(agreeing, FRAMES);
    }
};

/// \ingroup fabric
/// A flowlet ends with a gap that is longer than the bound, not with one as long.
class FabricFlowletTestCase : public TestCase
{
  public:
    FabricFlowletTestCase()
        : TestCase("a flowlet keeps its way until a gap longer than the bound")
    {
    }

  private:
    static constexpr uint32_t FLOWS = 4000;

    void DoRun() override
    {
        CheckGap();
        CheckForgetting();
        CheckDoubling();
        CheckSurvivor();
    }

    void CheckGap()
    {
        const auto balancer = MakeFlowletBalancer();
        std::vector<uint32_t> counts(WAYS);
        uint32_t agreeing = 0;
        for (uint64_t flow = 0; flow < FLOWS; ++flow)
        {
            const int64_t begin = static_cast<int64_t>(flow);
            const uint32_t first = Pick(*balancer, {flow, 0, begin});
            ++counts.at(first);
            m_first.push_back(first);
        }
        for (uint64_t flow = 0; flow < FLOWS; ++flow)
        {
            // What other flows do changes nothing, so each may as well have its own balancer.
            const auto own = MakeFlowletBalancer();
            const int64_t begin = static_cast<int64_t>(flow);
            NS_TEST_ASSERT_MSG_EQ(Pick(*own, {flow, 0, begin}), m_first[flow], "pure");
            NS_TEST_ASSERT_MSG_EQ(Pick(*own, {flow, 1, begin}), m_first[flow], "same instant");
            NS_TEST_ASSERT_MSG_EQ(Pick(*own, {flow, 2, begin + GAP}), m_first[flow], "the gap");
            NS_TEST_ASSERT_MSG_EQ(
                Pick(*own, {flow, 3, begin + 2 * GAP}), m_first[flow], "the gap from frame 2");
            agreeing += Pick(*own, {flow, 4, begin + 3 * GAP + 1}) == m_first[flow];
        }
        NS_TEST_ASSERT_MSG_LT(ComputeChiSquare(counts), ComputeChiSquareBound(WAYS), "uniform");
        NS_TEST_ASSERT_MSG_EQ(IsChance(agreeing, FLOWS), true, "a new flowlet, a new draw");
    }

    /// Flows that come one after the other, each over before the next, fill no memory.
    void CheckForgetting()
    {
        const auto balancer = MakeFlowletBalancer();
        for (uint64_t flow = 0; flow < FLOWS; ++flow)
        {
            Pick(*balancer, {flow, 0, static_cast<int64_t>(flow) * (GAP + 1)});
            NS_TEST_ASSERT_MSG_LT_OR_EQ(
                balancer->GetNFlows(), FabricFlowletBalancer::MIN_TABLE, "flows remembered");
        }
    }

    /// The table is cleaned when it has doubled, not with each new flow: that would cost the
    /// square.
    void CheckDoubling()
    {
        const auto balancer = MakeFlowletBalancer();
        const uint64_t young = FabricFlowletBalancer::MIN_TABLE + 1;
        for (uint64_t flow = 0; flow < young; ++flow)
        {
            Pick(*balancer, {flow, 0, 0}); // the last one finds nothing to forget
        }
        Pick(*balancer, {young, 0, GAP + 1});
        NS_TEST_ASSERT_MSG_EQ(balancer->GetNFlows(), young + 1, "not cleaned again so soon");
    }

    /// A flow without gaps outlives the cleaning of others; so do all that are as young.
    void CheckSurvivor()
    {
        const auto balancer = MakeFlowletBalancer();
        const uint64_t survivor = FLOWS;
        const uint32_t first = Pick(*balancer, {survivor, 0, 0});
        for (uint64_t i = 1; i < FLOWS; ++i)
        {
            const int64_t now = static_cast<int64_t>(i) * GAP;
            Pick(*balancer, {i, 0, now});
            NS_TEST_ASSERT_MSG_EQ(Pick(*balancer, {survivor, i, now}), first, "frame " << i);
        }
    }

    std::vector<uint32_t> m_first; ///< by flow: the pick of its first flowlet
};

/// \ingroup fabric
/// The suite of the load balancers that look at no queue.
class FabricBalancerTestSuite : public TestSuite
{
  public:
    FabricBalancerTestSuite()
        : TestSuite("fabric-balancer", UNIT)
    {
        AddTestCase(new FabricHashTestCase, TestCase::QUICK);
        AddTestCase(new FabricSprayTestCase, TestCase::QUICK);
        AddTestCase(new FabricFlowletTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricBalancerTestSuite g_fabricBalancerTestSuite;
