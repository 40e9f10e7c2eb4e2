// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/trace-synthesizer.h"

#include "workload/execution-graph-builder.h"
#include "workload/tools/synthesis/node-class.h"
#include "workload/tools/synthesis/quantity-draws.h"
#include "workload/tools/synthesis/rank-sequence.h"
#include "workload/tools/synthesis/synthetic-exchange.h"
#include "workload/trace/communicator-table.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace nadi
{

namespace
{

/// What only calls have is set later (SetCall).
ExecutionNode
MakeNode(const NodeClass& nodeClass, const NodeQuantities& quantities)
{
    constexpr int64_t psPerNs = 1000;
    const auto nanos =
        static_cast<int64_t>(quantities[static_cast<size_t>(NodeQuantity::Duration)]);
    ExecutionNode node;
    node.durationPs = nanos * psPerNs;
    node.size = quantities[static_cast<size_t>(NodeQuantity::Size)];
    node.operations = quantities[static_cast<size_t>(NodeQuantity::Operations)];
    node.type = nodeClass.type;
    node.isCpu = nodeClass.isCpu;
    node.isRemote = nodeClass.isRemote;
    node.isLocationOpen = nodeClass.isLocationOpen;
    node.stream = nodeClass.stream;
    return node;
}

/// Builds the graph of a rank, node by node. The nodes of each lane are listed in their order, so a
/// distance back is an index from the end of the list.
class RankGraphBuilder
{
  public:
    RankGraphBuilder(const std::string& source, const TraceModel& model)
        : m_model(model)
        , m_builder(source)
        , m_nodesOfLane(ClassTable::MOST_LANES)
    {
        for (const ClassModel& one : model.classes)
        {
            m_names.push_back(Describe(one.nodeClass, model.master));
        }
    }

    uint32_t AddGroup(const std::string& name)
    {
        return m_builder.AddGroup(name);
    }

    /// `splits`: null where the node has none.
    void Add(ExecutionNode node, const SyntheticStep& step, SharedSplits splits)
    {
        m_dependencies.clear();
        for (const LaneDistance& one : m_model.patterns[step.pattern])
        {
            const std::vector<uint64_t>& nodes = m_nodesOfLane[one.lane];
            if (!nodes.empty())
            {
                // Where the lane has not come so far, its first node stands for those before it.
                const size_t back = std::min<size_t>(one.distance, nodes.size());
                m_dependencies.push_back(nodes[nodes.size() - back]);
            }
        }
        node.id = m_classes.size();
        m_builder.AddNode(node, m_names[step.nodeClass], std::span(m_dependencies));
        if (splits != nullptr)
        {
            m_builder.SetSplits(std::move(splits));
        }
        m_nodesOfLane[m_model.classes[step.nodeClass].lane].push_back(node.id);
        m_classes.push_back(step.nodeClass);
    }

    SyntheticRank Build()
    {
        return {.graph = m_builder.Build(), .classes = std::move(m_classes)};
    }

  private:
    const TraceModel& m_model;
    ExecutionGraphBuilder m_builder;
    std::vector<std::string> m_names;                 // by class
    std::vector<std::vector<uint64_t>> m_nodesOfLane; // ids
    std::vector<uint64_t> m_dependencies;
    std::vector<uint32_t> m_classes;
};

} // namespace

TraceSynthesizer::TraceSynthesizer(const TraceModel& model, const TraceSynthesisOptions& options)
    : m_model(model)
    , m_options(options)
    , m_roles(model.master.rankCount, options.ranks)
{
    NameGroups();
    NumberTags();
    DrawSizes();
}

/// Groups are named by the number of their communicator. Communicator 0 is that of all ranks, which
/// needs no name.
void
TraceSynthesizer::NameGroups()
{
    CommunicatorTable communicators(m_options.ranks);
    for (const MasterChannel& channel : m_model.master.channels)
    {
        // Channels of messages, and those that nobody plays, have no group, but keep their place in
        // the list.
        std::string& name = m_groupOfChannel.emplace_back();
        const std::vector<uint32_t> ranks = m_roles.PlayersOf(channel.ranks);
        if (channel.isOfMessages || ranks.empty())
        {
            continue;
        }
        const CommunicatorId id = communicators.Find(ranks);
        if (id.value != 0)
        {
            name = std::to_string(id.value);
            m_groups[name] = ranks;
        }
    }
}

// Recorded tags may be larger than those that can be written.
void
TraceSynthesizer::NumberTags()
{
    for (const MasterCall& call : m_model.master.calls)
    {
        m_tags.try_emplace(call.tag, m_tags.size());
    }
}

void
TraceSynthesizer::DrawSizes()
{
    for (uint32_t index = 0; index < m_model.series.size(); ++index)
    {
        const SeriesModel& series = m_model.series[index];
        // Each series has random numbers of its own, which depend on no rank, so that all ranks of
        // a call have one size.
        RandomNumbers random(m_options.seed, RandomPurpose::CallSizes, index);
        const size_t sequences = series.isShared ? 1 : series.channels;
        m_sizes.push_back(series.sizes.Draw(sequences, series.length, random));
    }
}

/// Depends on the call alone, so all its ranks name one size.
uint64_t
TraceSynthesizer::SizeOf(const MasterCall& call) const
{
    const SeriesModel& series = m_model.series[call.series];
    const size_t place = series.isShared ? 0 : m_model.master.channels[call.channel].place;
    return m_sizes[call.series][place * series.length + call.number];
}

SyntheticRank
TraceSynthesizer::MakeRank(uint32_t rank) const
{
    const std::vector<SyntheticStep> steps =
        RankSequence(m_model, m_roles, rank, m_options.seed).Draw();
    // Order: after all steps are drawn, as the values of a class are drawn together for all of its
    // nodes.
    QuantityDraws quantities(m_model, steps, m_options.seed, rank);
    RankGraphBuilder builder(fmt::format("synthetic rank {}", rank), m_model);
    for (const SyntheticStep& step : steps)
    {
        ExecutionNode node =
            MakeNode(m_model.classes[step.nodeClass].nodeClass, quantities.Next(step.nodeClass));
        SharedSplits splits;
        if (step.call != SyntheticStep::NO_CALL)
        {
            SetCall(node, step);
            const MasterCall& call = m_model.master.calls[step.call];
            node.group = builder.AddGroup(m_groupOfChannel[call.channel]);
            if (!call.splits.empty())
            {
                const SyntheticExchange exchange =
                    MakeExchange(m_model.master, call, m_roles, m_roles.RoleOf(rank), SizeOf(call));
                node.size = exchange.size;
                splits = exchange.splits;
            }
        }
        builder.Add(node, step, std::move(splits));
    }
    return builder.Build();
}

void
TraceSynthesizer::SetCall(ExecutionNode& node, const SyntheticStep& step) const
{
    const MasterCall& call = m_model.master.calls[step.call];
    // The size that was drawn for the class of the node does not count: all members of a call need
    // one.
    node.size = SizeOf(call);
    if (call.type != NodeType::Collective)
    {
        node.peer = step.peer;
        node.tag = m_tags.at(call.tag);
        node.kind = call.kind;
        node.saysPipeline = call.saysPipeline;
        return;
    }
    node.collective = call.collective;
    node.peer = call.root;
    if (call.root != ExecutionNode::NO_ROOT)
    {
        const std::vector<uint32_t>& players = m_roles.PlayersOf(call.root);
        const std::vector<uint32_t>& members = m_model.master.channels[call.channel].ranks;
        // Where nobody plays the recorded root, the first member takes its part.
        node.peer = players.empty() ? m_roles.PlayersOf(members).front() : players.front();
    }
}

} // namespace nadi
