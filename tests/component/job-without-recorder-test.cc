// SPDX-License-Identifier: GPL-2.0-only
#include "network/analytical/analytical-backend.h"
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "simulation/run-input.h"
#include "simulation/simulate.h"
#include "system/delivery-switch.h"
#include "system/library/communication-library.h"
#include "tests/support/scratch-directory.h"
#include "workload/job-engine.h"

#include <catch2/catch.hpp>

#include <tuple>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Messages that wait for their receive, receives that wait for their send, collectives, compute.
const std::string MESSAGES_AND_COLLECTIVES =
    "workload: {generate: {model: transformer, layers: 4, hidden: 64, heads: 8, sequence: 32, "
    "vocabulary: 128, batch: 8, pp: 2}, ranks: 4}\n"
    "network:\n"
    "  backend: analytical\n"
    "  dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]\n"
    "system: {compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s}}\n";

auto
Fields(const RankMetrics& metrics)
{
    return std::tuple(metrics.finish,
                      metrics.compute,
                      metrics.communication,
                      metrics.exposedCommunication,
                      metrics.idle,
                      metrics.waiting,
                      metrics.waitedFor);
}

/// The layers of a simulation, and nobody who watches them.
std::vector<RankMetrics>
RunUnwatched(const RunInput& input)
{
    const Workload& workload = input.Workload();
    const SystemOptions& options = input.Config().system.options;
    Ns3EventLoop loop;
    AnalyticalBackend network(
        input.Topology(), input.Routing(), input.Config().network.packet, loop);
    const ComputeModel compute(input.Config().system.compute);
    MemoryModel memory(input.Config().system.memory, workload.RankCount());
    JobEngine jobs({loop, workload, compute, memory});
    const auto library = InstallLibrary({options, input.Stack()});
    CollectiveEngine collectives(
        {loop, network, input.Stack(), workload.communicators, options, *library, jobs});
    PointToPoint messages(
        loop, network, library->PointToPointProtocol(), workload.RankCount(), jobs);
    DeliverySwitch deliveries(collectives, messages);
    network.SetListener(deliveries);
    jobs.SetCommunication(collectives, messages);
    jobs.Start();
    loop.Run();
    std::vector<RankMetrics> ranks;
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        ranks.push_back(jobs.Metrics(RankId{rank}));
    }
    return ranks;
}

} // namespace

TEST_CASE("JobEngine: a job that nobody records has the same metrics of its ranks",
          "[component][workload]")
{
    const ScratchDirectory scratch("unwatched");
    const auto file = scratch.Write("job.yaml", MESSAGES_AND_COLLECTIVES);
    const RunResults recorded = Simulate(file);
    REQUIRE(recorded.status == RunStatus::Done);
    const std::vector<RankMetrics> unwatched = RunUnwatched(RunInput(file, {}));
    REQUIRE(unwatched.size() == recorded.ranks.size());
    SimTime communication;
    for (size_t rank = 0; rank < unwatched.size(); ++rank)
    {
        CHECK(Fields(unwatched[rank]) == Fields(recorded.ranks[rank].metrics));
        communication += unwatched[rank].communication;
    }
    CHECK(communication > SimTime());
}
