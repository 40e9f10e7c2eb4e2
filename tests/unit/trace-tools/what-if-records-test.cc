// SPDX-License-Identifier: GPL-2.0-only
// Edits of layers in recordings that have operators of the host.
#include "tests/support/trace-bytes.h"
#include "tests/support/trace-collection.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/layer-edit.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>

namespace nadi::test
{

namespace
{

/// A thread of the host and the stream that it launches: a kernel before the layers, two in each
/// layer, one after them. Layers have different operators, and end with a call that waits for
/// their last kernel.
class HostedJob
{
  public:
    explicit HostedJob(uint32_t layers)
    {
        Launch("first");
        for (uint32_t layer = 0; layer < layers; ++layer)
        {
            for (uint32_t each = 0; each < 1 + layer % 2; ++each)
            {
                AddHost("prepare", 10 + layer);
            }
            Launch("gelu");
            Launch("norm");
            AddHost("synchronise", 1).Data(m_kernel);
        }
        Launch("last");
        AddHost("end", 1).Data(m_kernel);
    }

    Workload Read() const
    {
        const ScratchFolder folder("hosted-job");
        folder.Write("job.0.et", MakeTrace(m_nodes));
        return ReadTraceJob({folder.At("job.0.et")}, std::nullopt).workload;
    }

  private:
    TraceNode& AddHost(const std::string& name, uint64_t micros)
    {
        const uint64_t id = m_nodes.size() + 1;
        TraceNode node(id, ChakraProtoMsg::COMP_NODE, name);
        node.Cpu(true).Micros(micros);
        if (m_host != 0)
        {
            node.Data(m_host);
        }
        m_host = id;
        return m_nodes.emplace_back(std::move(node));
    }

    void Launch(const std::string& kernel)
    {
        AddHost("launch " + kernel, 2);
        const uint64_t id = m_nodes.size() + 1;
        TraceNode node(id, ChakraProtoMsg::COMP_NODE, kernel);
        node.Cpu(false).Micros(5).Data(m_host);
        if (m_kernel != 0)
        {
            node.Data(m_kernel);
        }
        m_kernel = id;
        m_nodes.push_back(std::move(node));
    }

    std::vector<TraceNode> m_nodes;
    uint64_t m_host = 0;
    uint64_t m_kernel = 0;
};

LayerEdit
EditLayers(const Workload& job, uint32_t layers)
{
    return ChangeLayers(job, FindStructure(job, {}, {}), layers);
}

/// The parents of a node that are of the host, or are not.
std::vector<uint32_t>
ParentsOf(const ExecutionGraph& graph, uint32_t node, bool ofHost)
{
    const std::vector<std::vector<uint32_t>> all = FindParents(graph);
    std::vector<uint32_t> parents;
    for (const uint32_t parent : all[node])
    {
        if (graph.Node(parent).isCpu == ofHost)
        {
            parents.push_back(parent);
        }
    }
    return parents;
}

/// The operators of the host, each behind the one that it waits for.
std::vector<uint32_t>
ListHostChain(const ExecutionGraph& graph)
{
    std::vector<uint32_t> chain;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        if (graph.Node(node).isCpu)
        {
            const std::vector<uint32_t> before = ParentsOf(graph, node, true);
            REQUIRE(before.size() == (chain.empty() ? 0 : 1));
            CHECK((chain.empty() || before.front() == chain.back()));
            chain.push_back(node);
        }
    }
    return chain;
}

/// One thread that launches all kernels, and waits for the one that it launched last.
void
CheckHost(const ExecutionGraph& graph)
{
    std::optional<uint32_t> launched;
    std::optional<uint32_t> kernelBefore;
    for (const uint32_t node : ListHostChain(graph))
    {
        const std::string name(graph.Name(node));
        if (name.starts_with("launch "))
        {
            REQUIRE(graph.Children(node).size() >= 1);
            launched = graph.Children(node).front();
            for (const uint32_t child : graph.Children(node))
            {
                launched = graph.Node(child).isCpu ? launched : child;
            }
            CHECK(graph.Name(*launched) == name.substr(7));
            const auto before = ParentsOf(graph, *launched, false);
            CHECK(before == (kernelBefore ? std::vector{*kernelBefore} : std::vector<uint32_t>()));
            kernelBefore = launched;
        }
        else if (name != "prepare")
        {
            CHECK(ParentsOf(graph, node, false) == std::vector{*launched});
        }
    }
}

std::vector<std::string>
RecordNamesOf(const ExecutionGraph& graph)
{
    std::vector<std::string> names;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        names.emplace_back(graph.Name(node));
    }
    return names;
}

} // namespace

TEST_CASE("What-if: operators of the host are copied with the layers whose kernels they launch",
          "[unit][trace-tools][what-if]")
{
    const Workload job = HostedJob(6).Read();
    CheckHost(job.graphs[0]);
    const std::vector<std::string> names = RecordNamesOf(job.graphs[0]);
    for (const uint32_t layers : {4U, 8U, 12U, 14U})
    {
        CAPTURE(layers);
        const Workload other = EditLayers(job, layers).job;
        CheckHost(other.graphs[0]);
        // Layers are repeated in turn, so it is the job that has so many.
        CHECK(RecordNamesOf(other.graphs[0]) == RecordNamesOf(HostedJob(layers).Read().graphs[0]));
        CHECK(RecordNamesOf(EditLayers(other, 6).job.graphs[0]) == names);
    }
}

TEST_CASE("What-if: the edit says by how much the host's time of a layer is off",
          "[unit][trace-tools][what-if]")
{
    // Two launches (4 us), a synchronisation (1 us) and the other operators make 15, 27, 17, 31, 19
    // and 35 us: 144 / 6 on average. The first four have 90 / 4, which is 6.25 % less.
    const LayerEdit edit = EditLayers(HostedJob(6).Read(), 4);
    REQUIRE(edit.notes.size() >= 2);
    CHECK(edit.notes[1].starts_with("Operators of the host are copied with the layers whose"));
    CHECK(edit.notes[1].find(" 15 us to 35 us for a layer") != std::string::npos);
    CHECK(edit.notes[1].ends_with("is -6.2 % off"));
}

TEST_CASE("What-if: a recorded Megatron with its host keeps a launch for each kernel",
          "[unit][trace-tools][what-if]")
{
    if (CollectionFolder().empty())
    {
        WARN("no collection of traces (NADI_SHARED): nothing checked");
        return;
    }
    const Workload recorded =
        ReadTraceJob({CollectionFolder() + "megatron_tp8_kineto_derived/megatron.0.et"},
                     std::nullopt)
            .workload;
    const LayerEdit half = EditLayers(recorded, 20);
    CHECK(half.notes[1].ends_with("% off"));
    const ExecutionGraph& before = recorded.graphs[0];
    const ExecutionGraph after = EditLayers(half.job, 40).job.graphs[0];
    const auto withoutLaunch = [](const ExecutionGraph& graph)
    {
        const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
        size_t count = 0;
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            const auto isHost = [&graph](uint32_t parent) { return graph.Node(parent).isCpu; };
            count +=
                graph.Node(node).isCpu || std::ranges::count_if(parents[node], isHost) == 1 ? 0 : 1;
        }
        return count;
    };
    CHECK(withoutLaunch(half.job.graphs[0]) <= withoutLaunch(before));
    CHECK(withoutLaunch(after) <= withoutLaunch(before));
    const auto tasks = [](const ExecutionGraph& graph)
    {
        return std::ranges::count_if(std::views::iota(0U, graph.NodeCount()),
                                     [&graph](uint32_t node) { return !graph.Node(node).isCpu; });
    };
    CHECK(tasks(after) == tasks(before));
    CHECK(tasks(half.job.graphs[0]) == 28 + 20 * 18 + 29);
}

TEST_CASE("What-if: a job without operators of the host has no such note",
          "[unit][trace-tools][what-if]")
{
    const TraceJob job =
        ReadTraceJob(SampleFiles(SampleTrace("megatron-tp8/megatron."), 8, ".et.gz"), std::nullopt);
    CHECK(ChangeLayers(job.workload, FindStructure(job, {}), 20).notes.size() == 1);
}

} // namespace nadi::test
