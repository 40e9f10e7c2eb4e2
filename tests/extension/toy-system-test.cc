// SPDX-License-Identifier: GPL-2.0-only
// What CONTRIBUTING.md says of collective algorithms and scheduling policies, followed once: what
// is registered here can be chosen in a configuration, has parameters, and runs.
#include "common/check.h"
#include "system/collective-plan.h"
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/intra-dimension-policy.h"
#include "tests/support/config-error-text.h"
#include "tests/support/run-yaml.h"
#include "tests/support/toy-library.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace nadi;

namespace
{

/// All-reduce of two stages by way of rank 0: everybody sends it everything, and gets the sum back.
class StarPlan : public CollectivePlan
{
  public:
    explicit StarPlan(const PlanRequest& request)
        : m_ranks(request.ranks)
        , m_buffer{0, request.elements}
    {
    }

    uint32_t StageCount() const override
    {
        return 2;
    }

    uint32_t LaneCount(uint32_t rank, uint32_t /*stage*/) const override
    {
        return m_ranks < 2 ? 0 : rank == 0 ? m_ranks - 1 : 1;
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return 1;
    }

    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t /*step*/) const override
    {
        const bool isCenter = rank == 0;
        const uint32_t spoke = isCenter ? lane + 1 : rank;
        Transfer transfer{
            .origin = 0, .peer = isCenter ? spoke : 0, .tag = spoke, .range = m_buffer};
        transfer.channel = spoke - 1;
        PlanStep step;
        const bool sends = isCenter == (stage == 1);
        (sends ? step.send : step.receive) = transfer;
        step.action = stage == 0 ? PlanStep::Action::Reduce : PlanStep::Action::Copy;
        return step;
    }

    std::vector<Interval> OwnedRanges(uint32_t /*rank*/) const override
    {
        return {};
    }

  private:
    uint32_t m_ranks;
    Interval m_buffer;
};

class ToyAlgorithm : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help = "Every rank sends its data to rank 0, which sends the sum.";

    bool Supports(CollectiveType type) const override
    {
        return type == CollectiveType::AllReduce;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        return std::make_unique<StarPlan>(request);
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return links;
    }

    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return ranks < 2 ? 0 : 2;
    }
};

NADI_REGISTER(CollectiveAlgorithm, ToyAlgorithm, "toy-star");

/// The outermost dimension first, from the chunk `from` on.
class ToyOrder : public InterDimensionPolicy
{
  public:
    static constexpr const char* Help = "Later chunks cross the dimensions backwards.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"from", ParameterKind::Count, "1", "The first chunk that goes backwards."}};
    }

    explicit ToyOrder(const Parameters& parameters)
        : m_from(static_cast<size_t>(parameters.Get<int64_t>("from")))
    {
    }

    std::vector<DimensionOrder>
    OrderChunks(const ScheduleRequest& request,
                const std::vector<uint64_t>& chunkElements) const override
    {
        std::vector<DimensionOrder> orders;
        for (size_t chunk = 0; chunk < chunkElements.size(); ++chunk)
        {
            DimensionOrder order(request.dimensions.size());
            std::iota(order.begin(), order.end(), 0);
            if (chunk >= m_from)
            {
                std::reverse(order.begin(), order.end());
            }
            orders.push_back(order);
        }
        return orders;
    }

  private:
    size_t m_from;
};

NADI_REGISTER(InterDimensionPolicy, ToyOrder, "toy-order");

class ToyQueue : public IntraDimensionPolicy
{
  public:
    static constexpr const char* Help = "The chunk with the highest number enters first.";

    bool Precedes(const WaitingPhase& a, const WaitingPhase& b) const override
    {
        return a.phase.chunk > b.phase.chunk;
    }
};

NADI_REGISTER(IntraDimensionPolicy, ToyQueue, "toy-queue");

RunResults
RunAllReduce(const std::vector<std::string>& settings, uint32_t chunks = 1)
{
    const std::string dimension = "{shape: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}";
    const std::string dimensions = chunks == 1 ? dimension : dimension + ", " + dimension;
    return RunYaml({.yaml = "workload: {collective: {type: all-reduce, size: 1 MB}}\n"
                            "network:\n"
                            "  dimensions: [" +
                            dimensions +
                            "]\n"
                            "  packet: {payload: 1 MB, header: 0 B}\n"
                            "system: {chunks: " +
                            std::to_string(chunks) + ", endpoint-delay: 0 ns}\n",
                    .settings = settings});
}

} // namespace

TEST_CASE("A collective algorithm that is registered elsewhere can be chosen, and runs",
          "[extension]")
{
    // Three frames of 1 ms come one after the other to rank 0, a frame's time behind the switch,
    // and three leave it: 2 x (1 + 3) ms and four links. The acknowledgement of the last one, of
    // 64 B, leaves before them.
    const RunResults results = RunAllReduce({"system.collectives.all-reduce=toy-star"});
    CHECK(results.finish.Ps() == (SimTime::FromUs(8004) + SimTime::FromNs(64)).Ps());
    CHECK(ConfigErrorText([] { RunAllReduce({"system.collectives.all-gather=toy-star"}); })
              .find("toy-star does not exist for all-gather") != std::string::npos);
}

TEST_CASE("Policies that are registered elsewhere can be chosen with parameters, and run",
          "[extension]")
{
    const SimTime baseline = RunAllReduce({}, 4).finish;
    const RunResults toys = RunAllReduce(
        {"system.inter-dimension={name: toy-order, from: 2}", "system.intra-dimension=toy-queue"},
        4);
    CHECK(toys.status == RunStatus::Done);
    CHECK(toys.finish != baseline);
    // No chunk has such a number, so this is the baseline.
    CHECK(RunAllReduce({"system.inter-dimension={name: toy-order, from: 9}"}, 4).finish ==
          baseline);
    CHECK(
        ConfigErrorText([] { RunAllReduce({"system.inter-dimension={name: toy-order, form: 9}"}); })
            .find("form: unknown key (did you mean from?)") != std::string::npos);
}

TEST_CASE("A communication library that is registered elsewhere can be chosen with parameters, and "
          "runs",
          "[extension]")
{
    const auto finish = [](const std::string& library)
    { return RunAllReduce({"system.library=" + library}).finish; };
    const SimTime atOnce = finish("toy");
    CHECK(finish("{name: toy, start-delay: 1 ms}") >= atOnce + SimTime::FromUs(1000));
    CHECK(finish("{name: toy, launch: 1 s}") == SimTime::FromUs(1'000'000));
    CHECK(ConfigErrorText([&] { finish("{name: toy, lunch: 1 s}"); })
              .find("lunch: unknown key (did you mean launch?)") != std::string::npos);
}
