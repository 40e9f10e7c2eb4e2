// SPDX-License-Identifier: GPL-2.0-only
#include "network/dimension.h"
#include "system/execution/collective-run.h"
#include "system/execution/traffic-outlines.h"
#include "system/library/communication-library.h"
#include "tests/support/communication-bench.h"
#include "tests/support/fixed-delay-backend.h"
#include "tests/support/make-communicator.h"
#include "tests/support/manual-event-loop.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint32_t RANKS = 4;

/// A ring all-reduce that is never run.
class RingRun : private RunOwner
{
  public:
    RingRun()
        : m_stack({MakeDimension("ring", RANKS)})
        , m_options(MakeOptions("ring", m_stack))
        , m_library(InstallLibrary({m_options, m_stack}))
        , m_communicator(MakeCommunicator({0, 1, 2, 3}))
        , m_layout(m_communicator, RankGrid({RANKS}))
        , m_program(m_library->MakeProgram(
              {.type = CollectiveType::AllReduce, .elements = 4096, .layout = m_layout}))
        , m_network(m_loop, RANKS, LATENCY, RATE)
        , m_executor(m_loop, m_network, RANKS)
        , m_plans(16)
        , m_shared({.loop = m_loop,
                    .executor = m_executor,
                    .plans = m_plans,
                    .owner = *this,
                    .leastInFlight = m_leastInFlight})
        , m_run(m_shared, {.id = {}, .layout = m_layout, .program = m_program, .unevenSizes = {}})
    {
    }

    CollectiveRun& Get()
    {
        return m_run;
    }

  private:
    void OnMemberCompleted(CollectiveRun&, uint32_t) override
    {
    }

    std::vector<Dimension> m_stack;
    SystemOptions m_options;
    std::unique_ptr<InstalledLibrary> m_library;
    Communicator m_communicator;
    CommunicatorLayout m_layout;
    CollectiveProgram m_program;
    ManualEventLoop m_loop;
    FixedDelayBackend m_network;
    PhaseExecutor m_executor;
    PlanCache m_plans;
    uint32_t m_leastInFlight = 0;
    CollectiveRun::Shared m_shared;
    CollectiveRun m_run;
};

} // namespace

TEST_CASE("TrafficOutlines: in a ring each member sends to the next", "[unit][system]")
{
    RingRun ring;
    TrafficOutlines outlines;
    const TrafficOutlines::Ends expected{{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    CHECK(outlines.Find(1, ring.Get()) == expected);
}

TEST_CASE("TrafficOutlines: they forget all when they have too many pairs, and make them again",
          "[unit][system]")
{
    RingRun ring;
    // Rings of 4 pairs: at least one and at most ten of them fit, whatever else an outline takes.
    constexpr size_t MOST_PAIRS = 10 * RANKS;
    TrafficOutlines outlines(MOST_PAIRS);
    size_t most = 0;
    for (uint64_t number = 0; number < 100; ++number)
    {
        CHECK(outlines.Find(number % 50, ring.Get()).size() == RANKS);
        most = std::max(most, outlines.Size());
        CHECK(outlines.Size() >= 1);
    }
    CHECK(most <= MOST_PAIRS / RANKS);
    // What fits is kept: an outline that was just asked for is not made again.
    const TrafficOutlines::Ends* last = &outlines.Find(7, ring.Get());
    CHECK(&outlines.Find(7, ring.Get()) == last);
}
