// SPDX-License-Identifier: GPL-2.0-only
// What-if: the host launches the passes of another pipeline as it launched the recorded ones.
#include "tests/support/what-if-bench.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/host/kernel-launches.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

constexpr uint32_t MAIN_THREAD = 1;
constexpr uint32_t BACKWARD_THREAD = 2;

/// The same graph, launched by two threads: the main one launches all but backward passes, which it
/// hands to the other. It prepares each of its launches. Behind each pass it waits for the other
/// thread and for the last task that was launched.
class HostedGraph
{
  public:
    HostedGraph(const ExecutionGraph& graph, const RankStructure& rank)
        : m_graph(graph)
        , m_parents(FindParents(graph))
        , m_builder(graph.Source())
    {
        AddGroups(graph, m_builder);
        for (const LayerRunPass& pass : rank.passes)
        {
            for (const uint32_t task : TasksOf(pass))
            {
                m_passes[task] = &pass;
            }
        }
    }

    ExecutionGraph Build()
    {
        for (uint32_t task = 0; task < m_graph.NodeCount(); ++task)
        {
            m_idOfTask.push_back(0);
            EnterPass(m_passes.contains(task) ? m_passes.at(task) : nullptr);
            Launch(task);
        }
        AddOperator(MAIN_THREAD, "end", {m_idOfTask.back()});
        return m_builder.Build();
    }

  private:
    static TaskList TasksOf(const LayerRunPass& pass)
    {
        TaskList tasks = pass.before;
        for (const LayerPass& layer : pass.layers)
        {
            tasks.insert(tasks.end(), layer.tasks.begin(), layer.tasks.end());
            tasks.insert(tasks.end(), layer.extra.begin(), layer.extra.end());
        }
        tasks.insert(tasks.end(), pass.after.begin(), pass.after.end());
        return tasks;
    }

    void EnterPass(const LayerRunPass* pass)
    {
        if (pass == m_pass)
        {
            return;
        }
        if (m_pass != nullptr)
        {
            std::vector<uint64_t> ids{m_idOfTask[m_idOfTask.size() - 2]};
            if (!m_pass->isForward)
            {
                ids.push_back(m_last[BACKWARD_THREAD]);
            }
            AddOperator(MAIN_THREAD, "synchronise", ids);
        }
        m_pass = pass;
        if (IsBackward())
        {
            AddOperator(MAIN_THREAD, "call backward", {});
            m_handed = m_last[MAIN_THREAD];
        }
    }

    bool IsBackward() const
    {
        return m_pass != nullptr && !m_pass->isForward;
    }

    void Launch(uint32_t task)
    {
        const uint32_t thread = IsBackward() ? BACKWARD_THREAD : MAIN_THREAD;
        if (thread == MAIN_THREAD)
        {
            AddOperator(thread, "prepare", {});
        }
        std::vector<uint64_t> handed;
        if (m_handed)
        {
            handed.push_back(*m_handed);
            m_handed.reset();
        }
        AddOperator(thread, "launch", handed);
        std::vector<uint64_t> ids{m_last[thread]};
        for (const uint32_t parent : m_parents[task])
        {
            ids.push_back(m_idOfTask[parent]);
        }
        NodeCopy copy = CopyNode(m_graph, task);
        copy.node.id = m_next++;
        m_idOfTask[task] = copy.node.id;
        AddCopy(std::move(copy), ids, m_builder);
    }

    void AddOperator(uint32_t thread, const std::string& name, std::vector<uint64_t> ids)
    {
        if (m_last.contains(thread))
        {
            ids.push_back(m_last[thread]);
        }
        m_last[thread] = m_next;
        m_builder.AddNode({.id = m_next++,
                           .durationPs = 1000,
                           .stream = thread,
                           .type = NodeType::Compute,
                           .isCpu = true},
                          name,
                          ids);
    }

    const ExecutionGraph& m_graph;
    std::vector<std::vector<uint32_t>> m_parents;
    ExecutionGraphBuilder m_builder;
    std::map<uint32_t, const LayerRunPass*> m_passes; // by task
    const LayerRunPass* m_pass = nullptr;
    std::map<uint32_t, uint64_t> m_last; // by thread
    std::optional<uint64_t> m_handed;    // what the other thread waits for
    std::vector<uint64_t> m_idOfTask;
    uint64_t m_next = 1;
};

Workload
WithHost(Workload job)
{
    const JobStructure structure = FindStructure(job, {}, {});
    std::vector<bool> isDone(job.graphs.size(), false);
    for (const RankStructure& rank : structure.ranks)
    {
        const uint32_t graph = job.graphOfRank[rank.rank];
        if (!isDone[graph])
        {
            isDone[graph] = true;
            const auto same = std::ranges::find(structure.ranks, rank.sameAs, &RankStructure::rank);
            job.graphs[graph] = HostedGraph(job.graphs[graph], *same).Build();
        }
    }
    return job;
}

/// Threads and names of operators, which CheckSameJob does not look at.
void
CheckSameOperators(const Workload& made, const Workload& expected)
{
    for (uint32_t rank = 0; rank < made.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = made.GraphOf(RankId{rank});
        const ExecutionGraph& other = expected.GraphOf(RankId{rank});
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            REQUIRE(graph.Node(node).isCpu == other.Node(node).isCpu);
            REQUIRE(graph.Node(node).stream == other.Node(node).stream);
            REQUIRE(graph.Node(node).durationPs == other.Node(node).durationPs);
            REQUIRE((!graph.Node(node).isCpu || graph.Name(node) == other.Name(node)));
        }
    }
}

WhatIfPair
HostedPair(ModelValues values, ModelValues from, ModelValues to)
{
    values.merge(ModelValues{{"layers", "8"}, {"dp", "2"}});
    return {std::move(values), std::move(from), std::move(to)};
}

/// The tasks of the accelerator, and what they wait for among each other.
Workload
WithoutHost(Workload job)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
        ExecutionGraphBuilder builder(graph.Source());
        AddGroups(graph, builder);
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            std::vector<uint64_t> ids;
            for (const uint32_t parent : parents[node])
            {
                if (!graph.Node(parent).isCpu)
                {
                    ids.push_back(graph.Node(parent).id);
                }
            }
            if (!graph.Node(node).isCpu)
            {
                AddCopy(CopyNode(graph, node), ids, builder);
            }
        }
        graph = builder.Build();
    }
    return job;
}

const std::vector<WhatIfPair>&
HostedPairs()
{
    const auto batch = [](uint32_t microBatches)
    {
        return ModelValues{{"batch", std::to_string(2 * microBatches)},
                           {"micro-batches", std::to_string(microBatches)}};
    };
    static const std::vector<WhatIfPair> pairs{
        HostedPair({}, batch(4), batch(7)),
        HostedPair({{"tp", "2"}, {"sp", "on"}}, batch(6), batch(3)),
        HostedPair({{"pp", "2"}}, batch(4), batch(8)),
        HostedPair({{"pp", "2"}, {"batch", "16"}}, {{"schedule", "1f1b"}}, {{"schedule", "gpipe"}}),
        HostedPair({{"pp", "4"}, {"tp", "2"}, {"batch", "16"}},
                   {{"schedule", "gpipe"}},
                   {{"schedule", "1f1b"}}),
        HostedPair({{"batch", "16"}}, {{"pp", "2"}}, {{"pp", "4"}}),
        HostedPair({{"batch", "16"}, {"tp", "2"}}, {{"pp", "4"}}, {{"pp", "2"}}),
        HostedPair({{"layers", "16"}, {"batch", "16"}, {"pp", "2"}, {"schedule", "interleaved"}},
                   {{"chunks", "2"}},
                   {{"chunks", "4"}}),
        HostedPair({{"layers", "12"}, {"batch", "16"}}, {{"pp", "3"}}, {{"pp", "6"}}),
        HostedPair({{"recompute", "full"}, {"batch", "16"}},
                   {{"pp", "2"}, {"schedule", "1f1b"}},
                   {{"pp", "4"}, {"schedule", "gpipe"}}),
    };
    return pairs;
}

/// The host launches each task but messages, which may be put in.
void
CheckHasLaunches(const Workload& job)
{
    for (const ExecutionGraph& graph : job.graphs)
    {
        const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            const auto isOfHost = [&](uint32_t parent) { return graph.Node(parent).isCpu; };
            const auto launches = std::ranges::count_if(parents[node], isOfHost);
            const bool isMessage = graph.Node(node).type == NodeType::Send ||
                                   graph.Node(node).type == NodeType::Receive;
            CHECK((graph.Node(node).isCpu || isMessage || launches == 1));
        }
    }
}

} // namespace

TEST_CASE("What-if: the host launches the passes of another pipeline in their order",
          "[unit][trace-tools][what-if]")
{
    for (const WhatIfPair& pair : HostedPairs())
    {
        CAPTURE(&pair - HostedPairs().data());
        const Workload before = WithHost(GenerateHalf(pair, pair.from));
        const Workload after = WithHost(GenerateHalf(pair, pair.to));
        const Workload made = MakeWhatIf(before, pair.to);
        CheckSameJob(made, after);
        CheckSameOperators(made, after);
        CheckSameJob(MakeWhatIf(made, pair.from), before);
        const Workload ofShuffled = MakeWhatIf(Shuffled(before), pair.to);
        CheckSameJob(ofShuffled, after);
        CheckSameOperators(ofShuffled, after);
    }
}

TEST_CASE("What-if: messages between stages that are put in are launched by nobody",
          "[unit][trace-tools][what-if]")
{
    const WhatIfPair pair =
        HostedPair({{"batch", "16"}, {"tied-embeddings", "off"}}, {{"pp", "1"}}, {{"pp", "2"}});
    const Workload before = WithHost(GenerateHalf(pair, pair.from));
    const WhatIfJob made = ApplyWhatIf(before, FindStructure(before, {}, {}), WishOf(pair.to));
    CheckHasLaunches(made.job);
    CHECK(made.changes.back() ==
          "Operators of the host are copied with the tasks that they launch, "
          "in the order of the new passes; what is put in has no launches");
    // The other way, no operators of messages are left.
    const WhatIfPair back = HostedPair({{"batch", "16"}}, {{"pp", "2"}}, {{"pp", "1"}});
    const Workload two = WithHost(GenerateHalf(back, back.from));
    CheckSameJob(MakeWhatIf(two, back.to), WithHost(GenerateHalf(back, back.to)));
}

TEST_CASE("What-if: the host changes nothing in what tasks of the accelerator wait for",
          "[unit][trace-tools][what-if]")
{
    for (const ModelValues& to : std::vector<ModelValues>{
             {{"layers", "12"}},
             {{"dp", "4"}, {"batch", "32"}},
             {{"hidden", "128"}},
             {{"tp", "4"}},
             {{"tp", "1"}},
             {{"sp", "on"}},
             {{"pp", "4"}, {"layers", "16"}, {"tp", "4"}},
             {{"pp", "1"}, {"micro-batches", "4"}, {"batch", "8"}},
             {{"remove", "attention"}},
         })
    {
        CAPTURE(to.begin()->first, to.begin()->second);
        const WhatIfPair pair = HostedPair({{"pp", "2"}, {"tp", "2"}, {"batch", "16"}}, {}, to);
        const Workload job = GenerateHalf(pair, pair.from);
        CheckSameJob(WithoutHost(MakeWhatIf(WithHost(job), to)), MakeWhatIf(job, to));
    }
}

TEST_CASE("What-if: patterns of speed and remove are of kernels and not of operators of the host",
          "[unit][trace-tools][what-if]")
{
    const Workload bare = GenerateHalf(HostedPair({}, {}, {}), {});
    const Workload job = WithHost(bare);
    const auto apply = [&job](const std::string& setting)
    { return ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({setting})).job; };
    const auto hostOf = [](const Workload& made)
    {
        std::vector<std::pair<std::string, int64_t>> operators;
        const ExecutionGraph& graph = made.graphs[0];
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            if (graph.Node(node).isCpu)
            {
                operators.emplace_back(graph.Name(node), graph.Node(node).durationPs);
            }
        }
        return operators;
    };
    CHECK(hostOf(apply("speed=.*:4")) == hostOf(job));
    CHECK_THROWS_WITH(
        apply("speed=^launch$:2"),
        Catch::Contains("\"^launch$\", only those of operators of the host; the first ones are"));
    CHECK_THROWS_WITH(apply("speed=nothing:2"), Catch::Contains("\"nothing\"; the first ones"));

    // What did nothing but launch a kernel goes with it.
    const ExecutionGraph& graph = bare.graphs[0];
    size_t kernels = 0;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const bool isRemoved = graph.Name(node).find("attention") != std::string_view::npos;
        kernels += isRemoved && graph.Node(node).type == NodeType::Compute ? 1 : 0;
    }
    CHECK(kernels > 0);
    CHECK(hostOf(apply("remove=attention")).size() == hostOf(job).size() - kernels);
}

TEST_CASE("What-if: a launch of several kernels goes with the last of them",
          "[unit][trace-tools][what-if]")
{
    ExecutionGraphBuilder builder("launches");
    const auto add = [&builder](uint64_t id, bool isCpu, const std::vector<uint64_t>& after)
    {
        ExecutionNode node;
        node.id = id;
        node.type = NodeType::Compute;
        node.isCpu = isCpu;
        node.durationPs = 1000;
        builder.AddNode(node, isCpu ? "launch" : "kernel", after);
    };
    add(0, true, {});
    add(1, false, {0});
    add(2, false, {0});
    add(3, true, {2}); // waits for a kernel, so it does more than launch
    add(4, false, {3});
    const ExecutionGraph graph = builder.Build();
    using Gone = std::vector<bool>;
    const auto goneWith = [&graph](Gone isGone)
    {
        AddLaunches(graph, FindParents(graph), isGone);
        return isGone;
    };
    CHECK(goneWith({false, true, false, false, false}) == Gone{false, true, false, false, false});
    CHECK(goneWith({false, true, true, false, true}) == Gone{true, true, true, false, true});
    CHECK(goneWith({false, false, false, false, true}) == Gone{false, false, false, false, true});
}

} // namespace nadi::test
