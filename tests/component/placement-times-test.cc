// SPDX-License-Identifier: GPL-2.0-only
// What a placement does to the times of a job, against jobs that need none.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

const std::vector<std::string> ALL_BACKENDS{"packet", "flow", "analytical"};

/// Where `work` of eight ranks that stand at `placement` ends: a ring of four, two of them joined.
SimTime
FinishOnStack(const std::string& backend, const std::string& work, const std::string& placement)
{
    return RunYaml({fmt::format(
                       "workload: {{{}, placement: {}}}\n"
                       "network:\n"
                       "  backend: {}\n"
                       "  dimensions:\n"
                       "    - {{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}}\n"
                       "    - {{shape: switch, size: 2, bandwidth: 25 GB/s, latency: 700 ns}}\n",
                       work,
                       placement,
                       backend)})
        .finish;
}

struct NodesJob
{
    std::string work;
    std::string placement;
    std::string library;
};

/// Four NPUs in two nodes.
RunResults
RunInNodes(const NodesJob& job)
{
    return RunYaml(
        {fmt::format("workload: {{ranks: 4, {}, placement: {}}}\n"
                     "system: {{library: {{name: {}}}}}\n"
                     "network:\n"
                     "  backend: flow\n"
                     "  topology: {{generator: nodes, nodes: 2, npus-per-node: 2, leaves: 1,\n"
                     "    spines: 0, nvlink: {{bandwidth: 100 GB/s, latency: 100 ns}},\n"
                     "    nic: {{bandwidth: 10 GB/s, latency: 500 ns}}}}\n",
                     job.work,
                     job.placement,
                     job.library)});
}

} // namespace

TEST_CASE("Placement: a collective of all ranks crosses the dimensions of the network, wherever "
          "each rank stands",
          "[component]")
{
    const std::string work = "collective: {type: all-reduce, size: 1 MiB}";
    for (const std::string& backend : ALL_BACKENDS)
    {
        CAPTURE(backend);
        const SimTime linear = FinishOnStack(backend, work, "linear");
        CHECK(FinishOnStack(backend, work, "snake") == linear);
        CHECK(FinishOnStack(backend, work, "random") == linear);
        CHECK(FinishOnStack(backend, work, "[7, 0, 6, 1, 5, 2, 4, 3]") == linear);
    }
}

TEST_CASE("Placement: a message goes between the NPUs that host its ranks", "[component]")
{
    for (const std::string& backend : ALL_BACKENDS)
    {
        CAPTURE(backend);
        const SimTime twoHops =
            FinishOnStack(backend, "flows: [{src: 4, dst: 6, size: 1 MiB}]", "linear");
        const std::string neighbours = "flows: [{src: 0, dst: 1, size: 1 MiB}]";
        CHECK(FinishOnStack(backend, neighbours, "[4, 6, 0, 1, 2, 3, 5, 7]") == twoHops);
        CHECK(FinishOnStack(backend, neighbours, "linear") < twoHops);
    }
}

TEST_CASE("Placement: nccl finds the ranks in the nodes where they stand", "[component][nccl]")
{
    const std::string all = "collective: {type: all-reduce, size: 1000000 B}";
    const RunResults linear = RunInNodes({all, "linear", "nccl"});
    const RunResults across = RunInNodes({all, "[0, 2, 1, 3]", "nccl"});
    CHECK(across.finish == linear.finish);
    CHECK(across.totals.packetHops == linear.totals.packetHops);

    const auto flow = [](uint32_t to)
    { return fmt::format("flows: [{{src: 0, dst: {}, size: 1000000 B}}]", to); };
    const SimTime outside = RunInNodes({flow(2), "linear", "nccl"}).finish;
    CHECK(RunInNodes({flow(1), "[0, 2, 1, 3]", "nccl"}).finish == outside);
    CHECK(RunInNodes({flow(1), "linear", "nccl"}).finish < outside);
    CHECK(RunInNodes({flow(2), "[0, 2, 1, 3]", "nccl"}).finish ==
          RunInNodes({flow(1), "linear", "nccl"}).finish);
}

TEST_CASE("Placement: collectives over nodes cross the nodes where the ranks stand", "[component]")
{
    const std::string all = "collective: {type: all-reduce, size: 1000000 B}";
    const RunResults linear = RunInNodes({all, "linear", "plain"});
    const RunResults across = RunInNodes({all, "[3, 0, 2, 1]", "plain"});
    CHECK(across.finish == linear.finish);
    CHECK(across.totals.packetHops == linear.totals.packetHops);
}

TEST_CASE("Placement: faults name NPUs, whichever rank they host", "[component]")
{
    const auto finish = [](const std::string& placement, const std::string& link)
    {
        return RunYaml({fmt::format(
                           "workload: {{placement: {}, flows: [{{src: 0, dst: 1, size: 1 MiB}}]}}\n"
                           "network:\n"
                           "  dimensions:\n"
                           "    - {{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}}\n"
                           "  faults: [{{at: 0 us, link: {}, bandwidth: 1 GB/s}}]\n",
                           placement,
                           link)})
            .finish;
    };
    const SimTime slow = finish("linear", "[npu0, npu1]");
    const SimTime fast = finish("linear", "[npu2, npu3]");
    CHECK(finish("[2, 3, 0, 1]", "[npu2, npu3]") == slow);
    CHECK(finish("[2, 3, 0, 1]", "[npu0, npu1]") == fast);
    CHECK(fast < slow);
}

TEST_CASE("Placement: a job that cannot finish names the NPUs of its messages", "[component]")
{
    const RunResults stuck =
        RunYaml({"workload: {placement: [2, 3], ranks: 2, flows: [{src: 0, dst: 1, size: 1 MiB}]}\n"
                 "network:\n"
                 "  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]\n"
                 "  faults: [{at: 0 us, link: [npu3, dim0.switch0], state: down}]\n"});
    CHECK(stuck.status == RunStatus::Stuck);
    CAPTURE(stuck.exitReason);
    CHECK(stuck.exitReason.find("npu3") != std::string::npos);
    CHECK(stuck.exitReason.find("npu1") == std::string::npos);
}

TEST_CASE("Placement: collectives of ranks on as many NPUs of each node take the time that they "
          "take in a network of just these",
          "[component]")
{
    const auto finish = [](const std::string& ranks, uint32_t npusPerNode)
    {
        return RunYaml({fmt::format(
                           "workload: {{collective: {{type: all-reduce, size: 1 MiB}}, {}}}\n"
                           "network:\n"
                           "  topology: {{generator: nodes, nodes: 3, npus-per-node: {}, spines: "
                           "0,\n"
                           "    nvlink: {{bandwidth: 100 GB/s, latency: 100 ns}},\n"
                           "    nic: {{bandwidth: 10 GB/s, latency: 500 ns}}}}\n",
                           ranks,
                           npusPerNode)})
            .finish;
    };
    const SimTime alone = finish("ranks: 4", 2);
    CHECK(finish("ranks: 4, placement: [0, 1, 4, 5]", 4) == alone);
    CHECK(finish("ranks: 4, placement: [2, 3, 4, 5]", 4) == alone);
    CHECK(finish("ranks: 4, placement: [9, 3, 11, 1]", 4) == alone);
    CHECK(finish("ranks: 3, placement: [2, 6, 9]", 4) == finish("ranks: 3", 1));
    CHECK(finish("ranks: 4, placement: [0, 1, 2, 4]", 4) > alone); // one list
}
