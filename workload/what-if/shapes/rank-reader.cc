// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/rank-reader.h"

#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace nadi
{

RankReader::RankReader(const Workload& job,
                       const JobStructure& structure,
                       const GroupRoles& roles,
                       const RankStructure& rank,
                       const std::string& wish)
    : m_job(job)
    , m_structure(structure)
    , m_roles(roles)
    , m_rank(rank)
    , m_graph(job.GraphOf(RankId{rank.rank}))
    , m_sizes(m_graph, wish)
    , m_parents(FindParents(m_graph))
    , m_forward(rank.passes.size())
{
    m_result.tasks.resize(m_graph.NodeCount());
    for (size_t order = 0; order < rank.tasks.size(); ++order)
    {
        m_result.tasks[rank.tasks[order]].place.order = order;
    }
    SetPlaces();
}

void
RankReader::SetPlaces()
{
    for (uint32_t pass = 0; pass < m_rank.passes.size(); ++pass)
    {
        const LayerRunPass& run = m_rank.passes[pass];
        const auto count = static_cast<uint32_t>(run.layers.size()) + 2;
        const auto set = [&](const TaskList& tasks, uint32_t segment)
        {
            for (const uint32_t task : tasks)
            {
                m_result.tasks[task].place.pass = pass;
                m_result.tasks[task].place.segment = run.isForward ? segment : count - 1 - segment;
            }
        };
        set(run.before, 0);
        for (uint32_t layer = 0; layer + 2 < count; ++layer)
        {
            set(run.layers[layer].tasks, layer + 1);
            set(run.layers[layer].extra, layer + 1);
        }
        set(run.after, count - 1);
    }
}

RankMeaning
RankReader::Read()
{
    for (size_t pass = 0; pass < m_rank.passes.size(); ++pass)
    {
        if (m_rank.passes[pass].isForward)
        {
            ReadForward(pass);
        }
    }
    for (size_t pass = 0; pass < m_rank.passes.size(); ++pass)
    {
        if (!m_rank.passes[pass].isForward)
        {
            ReadBackward(pass);
        }
    }
    OrderWorks();
    ReadCalls();
    ReadGathers();
    ReadOptimizer();
    m_result.seen = m_sizes.Seen();
    return std::move(m_result);
}

TaskList
RankReader::SegmentOf(size_t pass, size_t segment) const
{
    const LayerRunPass& run = m_rank.passes[pass];
    if (segment == 0)
    {
        return run.before;
    }
    return segment <= run.layers.size() ? run.layers[segment - 1].tasks : run.after;
}

void
RankReader::AddWorks(std::vector<BlockWork> works)
{
    for (BlockWork& work : works)
    {
        m_result.works.push_back(work.node);
        m_result.tasks[work.node].work = std::move(work);
    }
}

size_t
RankReader::OrderOf(uint32_t node) const
{
    return m_result.tasks[node].place.order;
}

void
RankReader::ReadForward(size_t pass)
{
    const size_t layers = m_rank.passes[pass].layers.size();
    for (size_t segment = 0; segment < layers + 2; ++segment)
    {
        const SegmentPlace place = segment == 0        ? SegmentPlace::Before
                                   : segment <= layers ? SegmentPlace::Layer
                                                       : SegmentPlace::After;
        m_forward[pass].push_back(ReadForwardWorks(SegmentOf(pass, segment), place, m_sizes));
        AddWorks(m_forward[pass].back());
    }
}

/// The forward pass whose layers a backward pass goes through: that of its micro-batch, or another
/// one of its chunk.
size_t
RankReader::MirrorOf(size_t pass) const
{
    const LayerRunPass& run = m_rank.passes[pass];
    const auto isMirror = [&](const LayerRunPass& other) {
        return other.isForward && other.chunk == run.chunk &&
               other.layers.size() == run.layers.size();
    };
    const auto isExact = [&](const LayerRunPass& other)
    { return isMirror(other) && other.microBatch == run.microBatch; };
    auto found = std::ranges::find_if(m_rank.passes, isExact);
    found = found == m_rank.passes.end() ? std::ranges::find_if(m_rank.passes, isMirror) : found;
    if (found == m_rank.passes.end())
    {
        m_sizes.Refuse(run.layers.front().tasks.front(),
                       "is of a backward pass whose layers no forward pass goes through");
    }
    return static_cast<size_t>(found - m_rank.passes.begin());
}

void
RankReader::ReadBackward(size_t pass)
{
    const std::vector<std::vector<BlockWork>>& forward = m_forward[MirrorOf(pass)];
    for (size_t segment = 0; segment < forward.size(); ++segment)
    {
        const size_t mirrored = forward.size() - 1 - segment;
        AddWorks(ReadBackwardWorks(SegmentOf(pass, segment), forward[mirrored], m_sizes));
    }
}

void
RankReader::OrderWorks()
{
    std::ranges::sort(m_result.works, {}, [this](uint32_t node) { return OrderOf(node); });
}

const BlockWork*
RankReader::WorkBefore(uint32_t node) const
{
    const auto next = std::ranges::lower_bound(
        m_result.works, OrderOf(node), {}, [this](uint32_t work) { return OrderOf(work); });
    return next == m_result.works.begin() ? nullptr : &*m_result.tasks[*std::prev(next)].work;
}

const BlockWork*
RankReader::WorkBehind(uint32_t node) const
{
    const auto next = std::ranges::lower_bound(
        m_result.works, OrderOf(node), {}, [this](uint32_t work) { return OrderOf(work); });
    return next == m_result.works.end() ? nullptr : &*m_result.tasks[*next].work;
}

bool
RankReader::IsSum(uint32_t node) const
{
    const CollectiveType type = m_graph.Node(node).collective;
    return type == CollectiveType::AllReduce || type == CollectiveType::ReduceScatter;
}

/// Of a gather of shards.
void
RankReader::SetCopies(uint32_t node)
{
    Amount& amount = m_result.tasks[node].amount;
    amount.copies = static_cast<uint32_t>(m_roles.RanksOf(m_rank.rank, m_graph.Node(node)).size());
    amount.expertRanks = amount.copies * m_structure.degrees.expert.value_or(1);
}

void
RankReader::ReadCalls()
{
    for (const uint32_t node : m_rank.tasks)
    {
        switch (m_graph.Node(node).type)
        {
        case NodeType::Collective:
            ReadCall(node);
            break;
        case NodeType::Send:
        case NodeType::Receive:
            ReadMessage(node);
            break;
        case NodeType::MemoryLoad:
        case NodeType::MemoryStore:
            m_sizes.Refuse(node, "is an access to memory, whose size nothing explains");
        default:
            break;
        }
    }
}

void
RankReader::ReadCall(uint32_t node)
{
    const ExecutionNode& call = m_graph.Node(node);
    if (call.collective == CollectiveType::AllToAll &&
        m_roles.Has(m_rank.rank, call, GroupRole::Expert))
    {
        if (call.hasSplits)
        {
            m_sizes.Refuse(node, "exchanges unequal parts, which other sizes would change");
        }
        m_result.tasks[node].amount.kind = AmountKind::RoutedShare;
    }
    else if (m_roles.Has(m_rank.rank, call, GroupRole::Tensor) &&
             m_result.tasks[node].place.IsInPass())
    {
        ReadTensorCall(node);
    }
    else if (m_roles.Has(m_rank.rank, call, GroupRole::Embedding) && IsSum(node))
    {
        m_result.tasks[node].amount.kind = AmountKind::EmbeddingMatrix;
    }
    else if (m_roles.IsOfCopies(m_rank.rank, call) && IsSum(node))
    {
        ReadSum(node);
    }
    else if (m_roles.IsOfCopies(m_rank.rank, call) && call.collective == CollectiveType::AllGather)
    {
        m_result.hasShards = true;
    }
    else if (m_result.tasks[node].place.IsInPass() || call.size > 64)
    {
        m_sizes.Refuse(node, "is a collective of whose group and size nothing is known");
    }
}

void
RankReader::ReadTensorCall(uint32_t node)
{
    TaskMeaning& meaning = m_result.tasks[node];
    const bool isGather = m_graph.Node(node).collective == CollectiveType::AllGather;
    const BlockWork* const work = isGather ? WorkBehind(node) : WorkBefore(node);
    if (work == nullptr || (!isGather && !IsSum(node)))
    {
        m_sizes.Refuse(node, "is a collective of tensor parallelism that is beside no block");
    }
    const bool isRouted = work->kind == BlockKind::Experts && m_structure.degrees.expert > 1U;
    if (isGather)
    {
        meaning.call = TensorCall::Gather;
        meaning.amount.kind = isRouted ? AmountKind::RoutedShare : AmountKind::ActivationShare;
        return;
    }
    const bool isLoss = work->kind == BlockKind::Head && work->work == WorkKind::Forward;
    meaning.call = isLoss ? TensorCall::Loss : TensorCall::Sum;
    meaning.amount.kind = isLoss     ? AmountKind::Tokens
                          : isRouted ? AmountKind::Routed
                                     : AmountKind::Activation;
}

void
RankReader::ReadMessage(uint32_t node)
{
    const TaskPlace& place = m_result.tasks[node].place;
    const size_t layers = place.IsInPass() ? m_rank.passes[place.pass].layers.size() : 0;
    if (place.segment > 0 && place.segment <= layers)
    {
        m_sizes.Refuse(node,
                       "is a message within a layer: sequences are cut over ranks, and sizes of "
                       "their parts are not changed yet");
    }
    m_result.tasks[node].amount.kind =
        m_structure.hasSequenceParallelism ? AmountKind::ActivationShare : AmountKind::Activation;
}

/// Blocks, each once.
ParameterSet
RankReader::BlocksOf(const std::vector<uint32_t>& works) const
{
    std::set<std::tuple<uint32_t, uint32_t, uint32_t>> known;
    ParameterSet set;
    for (const uint32_t node : works)
    {
        const BlockWork& work = *m_result.tasks[node].work;
        const TaskPlace& place = m_result.tasks[node].place;
        if (known.emplace(place.pass, place.segment, work.block).second)
        {
            ++set.Of(work.kind);
        }
    }
    return set;
}

/// The blocks whose gradients of weights a sum waits for; else those of the layer it stands in.
ParameterSet
RankReader::BlocksOfSum(uint32_t node) const
{
    const auto isGradient = [this](uint32_t other)
    {
        const auto& work = m_result.tasks[other].work;
        return work && work->work == WorkKind::WeightGradient;
    };
    std::vector<uint32_t> works;
    std::ranges::copy_if(m_parents[node], std::back_inserter(works), isGradient);
    if (works.empty())
    {
        for (const LayerRunPass& pass : m_rank.passes)
        {
            for (const LayerPass& layer : pass.layers)
            {
                if (std::ranges::find(layer.extra, node) != layer.extra.end())
                {
                    std::ranges::copy_if(layer.tasks, std::back_inserter(works), isGradient);
                }
            }
        }
    }
    if (works.empty())
    {
        m_sizes.Refuse(node, "sums gradients of which no product is known");
    }
    return BlocksOf(works);
}

/// Of the blocks those whose copies the group of a call holds.
ParameterSet
RankReader::Select(uint32_t node, const ParameterSet& all) const
{
    const ExecutionNode& call = m_graph.Node(node);
    if (all.Experts().IsEmpty())
    {
        return all;
    }
    if (m_structure.degrees.expert > 1U)
    {
        return m_roles.Has(m_rank.rank, call, GroupRole::Data) ? all.Dense() : all.Experts();
    }
    // Experts that all copies have are summed apart, or with the rest.
    std::vector<uint32_t> alike;
    for (const uint32_t other : m_rank.tasks)
    {
        const ExecutionNode& one = m_graph.Node(other);
        if (one.type == NodeType::Collective && one.collective == call.collective &&
            m_job.communicatorOfGroup[m_rank.rank][one.group] ==
                m_job.communicatorOfGroup[m_rank.rank][call.group] &&
            m_parents[other] == m_parents[node])
        {
            alike.push_back(other);
        }
    }
    if (alike.size() < 2)
    {
        return all;
    }
    return alike.front() == node ? all.Dense() : all.Experts();
}

void
RankReader::ReadSum(uint32_t node)
{
    m_result.tasks[node].amount = {.kind = AmountKind::Parameters,
                                   .set = Select(node, BlocksOfSum(node))};
    m_sums[m_job.communicatorOfGroup[m_rank.rank][m_graph.Node(node).group]].push_back(node);
}

void
RankReader::ReadGathers()
{
    std::map<uint32_t, size_t> firstUses; // by gather: the place of the work in order
    std::vector<uint32_t> others;
    for (const uint32_t node : m_rank.tasks)
    {
        const ExecutionNode& call = m_graph.Node(node);
        const bool isGather = call.type == NodeType::Collective &&
                              call.collective == CollectiveType::AllGather &&
                              m_roles.IsOfCopies(m_rank.rank, call);
        if (!isGather || m_result.tasks[node].call != TensorCall::None)
        {
            continue;
        }
        const std::vector<uint32_t> users = FirstUsersOf(node);
        if (users.empty())
        {
            others.push_back(node);
        }
        else
        {
            firstUses[node] = OrderOf(users.front());
        }
    }
    ReadCoveredBlocks(firstUses);
    PairWithSums(others);
}

/// The first work that waits for a gather, also behind a collective of its layer; or none.
std::vector<uint32_t>
RankReader::FirstUsersOf(uint32_t gather) const
{
    std::vector<uint32_t> users;
    std::vector<uint32_t> open{gather};
    while (!open.empty())
    {
        const uint32_t node = open.back();
        open.pop_back();
        for (const uint32_t child : m_graph.Children(node))
        {
            if (m_result.tasks[child].work)
            {
                users.push_back(child);
            }
            else if (m_result.tasks[child].call == TensorCall::Gather ||
                     m_result.tasks[child].amount.kind == AmountKind::RoutedShare)
            {
                open.push_back(child);
            }
        }
    }
    std::ranges::sort(users, {}, [this](uint32_t user) { return OrderOf(user); });
    return users;
}

/// A gather is for the blocks from its first user to that of the next gather, in one pass. The
/// gradient of an embedding needs none of its rows.
void
RankReader::ReadCoveredBlocks(const std::map<uint32_t, size_t>& firstUses)
{
    std::set<size_t> starts;
    for (const auto& [gather, order] : firstUses)
    {
        starts.insert(order);
    }
    for (const auto& [gather, order] : firstUses)
    {
        const auto next = starts.upper_bound(order);
        const size_t end = next == starts.end() ? m_rank.tasks.size() : *next;
        const size_t pass = m_result.tasks[m_rank.tasks[order]].place.pass;
        std::vector<uint32_t> works;
        for (const uint32_t node : m_result.works)
        {
            const bool isGradientOfRows = m_result.tasks[node].work->kind == BlockKind::Embedding &&
                                          m_result.tasks[node].work->work != WorkKind::Forward;
            if (OrderOf(node) >= order && OrderOf(node) < end &&
                m_result.tasks[node].place.pass == pass && !isGradientOfRows)
            {
                works.push_back(node);
            }
        }
        m_result.tasks[gather].amount = {.kind = AmountKind::Parameters,
                                         .set = Select(gather, BlocksOf(works))};
        SetCopies(gather);
    }
}

/// Gathers of what the optimizer updated are of the sums of the last micro-batch, in their order.
void
RankReader::PairWithSums(const std::vector<uint32_t>& gathers)
{
    std::map<CommunicatorId, std::vector<uint32_t>> byGroup;
    for (const uint32_t gather : gathers)
    {
        byGroup[m_job.communicatorOfGroup[m_rank.rank][m_graph.Node(gather).group]].push_back(
            gather);
    }
    for (const auto& [group, list] : byGroup)
    {
        const std::vector<uint32_t>& sums = m_sums[group];
        if (sums.size() < list.size())
        {
            m_sizes.Refuse(list.front(), "gathers parameters whose gradients nothing sums");
        }
        for (size_t i = 0; i < list.size(); ++i)
        {
            Amount& amount = m_result.tasks[list[i]].amount;
            amount = m_result.tasks[sums[sums.size() - list.size() + i]].amount;
            SetCopies(list[i]);
        }
    }
}

/// All blocks of the rank, which its optimizer updates.
void
RankReader::ReadOptimizer()
{
    std::set<uint32_t> chunks;
    ParameterSet all;
    for (size_t pass = 0; pass < m_rank.passes.size(); ++pass)
    {
        if (!m_rank.passes[pass].isForward || !chunks.insert(m_rank.passes[pass].chunk).second)
        {
            continue;
        }
        std::vector<uint32_t> works;
        std::ranges::copy_if(m_result.works,
                             std::back_inserter(works),
                             [&](uint32_t node)
                             { return m_result.tasks[node].place.pass == pass; });
        const ParameterSet set = BlocksOf(works);
        for (size_t kind = 0; kind < BLOCK_KINDS; ++kind)
        {
            all.blocks[kind] += set.blocks[kind];
        }
    }
    const auto copies = static_cast<uint32_t>(m_roles.GroupOf(m_rank.rank, GroupRole::Data).size());
    const Amount updated{.kind = AmountKind::Updated,
                         .set = all,
                         .copies = m_result.hasShards ? copies : 1,
                         .expertRanks = m_result.hasShards ? copies : 0};
    const std::vector<bool> isOptimizer = FindOptimizerKernels(m_graph, m_rank);
    for (const uint32_t node : m_rank.tasks)
    {
        TaskMeaning& meaning = m_result.tasks[node];
        if (isOptimizer[node] && !meaning.work)
        {
            meaning.isOptimizer = true;
            meaning.amount = updated;
        }
        if (meaning.amount.kind == AmountKind::EmbeddingMatrix)
        {
            meaning.amount.copies = updated.copies;
        }
    }
}

} // namespace nadi
