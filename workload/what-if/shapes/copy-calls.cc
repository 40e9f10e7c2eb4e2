// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/gather-pairs.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/last-micro-batch.h"
#include "workload/what-if/shapes/rank-reader.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <tuple>
#include <vector>

namespace nadi
{

namespace
{

/// Reads sums first, as gathers behind the optimizer are told by them, and the optimizer last,
/// which depends on whether anything is gathered.
class CopyCallReader
{
  public:
    CopyCallReader(const RankContext& context, const SizeSightings& sizes, RankMeaning& meaning)
        : m_context(context)
        , m_sizes(sizes)
        , m_meaning(meaning)
        , m_parents(FindParents(context.graph))
        , m_isEarlier(FindBeforeLastMicroBatch(context.graph, context.rank))
    {
    }

    void Read();

  private:
    void ReadSum(uint32_t node);
    void SetBlocks(uint32_t node, const ParameterSet& all);
    ParameterSet BlocksOf(const std::vector<uint32_t>& works) const;
    ParameterSet BlocksOfSum(uint32_t node) const;
    ParameterSet Select(uint32_t node, const ParameterSet& all) const;
    std::vector<uint32_t> CallsLike(uint32_t node) const;
    void ReadGathers();
    bool IsGather(uint32_t node) const;
    std::vector<uint32_t> FirstUsersOf(uint32_t gather) const;
    bool IsPassedThrough(uint32_t node) const;
    void ReadCoveredBlocks(const std::map<uint32_t, size_t>& firstUses);
    std::vector<uint32_t> WorksBetween(size_t begin, size_t end) const;
    void PairWithSums(const std::vector<uint32_t>& gathers);
    ParameterSet BlocksOfRank() const;
    void ReadOptimizer();
    void SetCopies(uint32_t node);
    CommunicatorId GroupOf(uint32_t node) const;
    size_t OrderOf(uint32_t node) const;

    const RankContext& m_context;
    const SizeSightings& m_sizes;
    RankMeaning& m_meaning;
    std::vector<std::vector<uint32_t>> m_parents; ///< by node
    std::vector<bool> m_isEarlier;                ///< by node: of a micro-batch before the last one
    std::map<CommunicatorId, std::vector<uint32_t>> m_sums; ///< of the last micro-batch's gradients
};

void
CopyCallReader::Read()
{
    for (const uint32_t node : m_context.rank.tasks)
    {
        const ExecutionNode& call = m_context.graph.Node(node);
        // Calls that were read before, such as those of tensor groups, have another kind than
        // Fixed.
        if (call.type != NodeType::Collective || !IsSummingCall(call) ||
            m_meaning.tasks[node].amount.kind != AmountKind::Fixed)
        {
            continue;
        }
        if (TellsFewNumbers(call) && !m_meaning.tasks[node].place.IsInPass())
        {
            continue;
        }
        if (m_context.roles.Has(m_context.rank.rank, call, GroupRole::Embedding))
        {
            m_meaning.tasks[node].amount.kind = AmountKind::EmbeddingMatrix;
        }
        else if (m_context.roles.IsOfCopies(m_context.rank.rank, call))
        {
            ReadSum(node);
        }
    }
    ReadGathers();
    ReadOptimizer();
}

CommunicatorId
CopyCallReader::GroupOf(uint32_t node) const
{
    return m_context.job.communicatorOfGroup[m_context.rank.rank][m_context.graph.Node(node).group];
}

size_t
CopyCallReader::OrderOf(uint32_t node) const
{
    return m_meaning.tasks[node].place.order;
}

void
CopyCallReader::ReadSum(uint32_t node)
{
    SetBlocks(node, BlocksOfSum(node));
    // Where each micro-batch sums, the sums of earlier ones are of the same parameters. Gathers
    // behind the optimizer are paired with those of the last one.
    if (!m_isEarlier[node])
    {
        m_sums[GroupOf(node)].push_back(node);
    }
}

/// `all`: the blocks that the call is about, experts or not. Where the call is of all but experts,
/// their experts are kept beside it, so that SumExpertsApart can put in a call of these.
void
CopyCallReader::SetBlocks(uint32_t node, const ParameterSet& all)
{
    TaskMeaning& call = m_meaning.tasks[node];
    call.amount = {.kind = AmountKind::Parameters, .set = Select(node, all)};
    call.expertsBeside = call.amount.set == all.Dense() ? all.Experts() : ParameterSet();
}

/// Blocks, each once.
ParameterSet
CopyCallReader::BlocksOf(const std::vector<uint32_t>& works) const
{
    // A block has several works where each kernel is a task, and two where it has both gradients.
    std::set<std::tuple<uint32_t, uint32_t, uint32_t>> known;
    ParameterSet set;
    for (const uint32_t node : works)
    {
        const BlockWork& work = *m_meaning.tasks[node].work;
        const TaskPlace& place = m_meaning.tasks[node].place;
        if (known.emplace(place.pass, place.segment, work.block).second)
        {
            ++set.Of(work.kind);
        }
    }
    return set;
}

/// The blocks whose gradients of weights a sum waits for; else those of the layer it stands in.
ParameterSet
CopyCallReader::BlocksOfSum(uint32_t node) const
{
    const auto isGradient = [this](uint32_t other)
    {
        const auto& work = m_meaning.tasks[other].work;
        return work && work->work == WorkKind::WeightGradient;
    };
    std::vector<uint32_t> works;
    std::ranges::copy_if(m_parents[node], std::back_inserter(works), isGradient);
    if (works.empty())
    {
        for (const LayerRunPass& pass : m_context.rank.passes)
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
CopyCallReader::Select(uint32_t node, const ParameterSet& all) const
{
    if (all.Experts().IsEmpty())
    {
        return all;
    }
    // Where ranks share experts, a group of fewer copies sums their gradients. So the role of the
    // group tells whether a call is of experts or of all else.
    if (m_context.structure.degrees.expert > 1U)
    {
        return m_context.roles.Has(m_context.rank.rank, m_context.graph.Node(node), GroupRole::Data)
                   ? all.Dense()
                   : all.Experts();
    }
    // Experts that all copies have are summed apart, or with the rest.
    const std::vector<uint32_t> alike = CallsLike(node);
    if (alike.size() < 2)
    {
        return all;
    }
    // Only their order tells both calls apart: the first is taken for that of the rest.
    return alike.front() == node ? all.Dense() : all.Experts();
}

/// Calls of the same type and group that wait for the same tasks, and for which the same wait, this
/// one among them.
std::vector<uint32_t>
CopyCallReader::CallsLike(uint32_t node) const
{
    std::vector<uint32_t> alike;
    for (const uint32_t other : m_context.rank.tasks)
    {
        const ExecutionNode& call = m_context.graph.Node(other);
        if (call.type == NodeType::Collective &&
            call.collective == m_context.graph.Node(node).collective &&
            GroupOf(other) == GroupOf(node) && m_parents[other] == m_parents[node] &&
            std::ranges::equal(m_context.graph.Children(other), m_context.graph.Children(node)))
        {
            alike.push_back(other);
        }
    }
    return alike;
}

/// Of shards.
bool
CopyCallReader::IsGather(uint32_t node) const
{
    const ExecutionNode& call = m_context.graph.Node(node);
    return call.type == NodeType::Collective && call.collective == CollectiveType::AllGather &&
           m_meaning.tasks[node].call == TensorCall::None &&
           m_context.roles.IsOfCopies(m_context.rank.rank, call);
}

void
CopyCallReader::ReadGathers()
{
    std::map<uint32_t, size_t> firstUses; // by gather: the place of the work in order
    std::vector<uint32_t> others;
    for (const uint32_t node : m_context.rank.tasks)
    {
        if (!IsGather(node))
        {
            continue;
        }
        m_meaning.hasShards = true;
        const std::vector<uint32_t> users = FirstUsersOf(node);
        // Parameters that are gathered in passes (ZeRO 3) are used by works. All other gathers
        // follow the optimizer.
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

/// The works that wait for a gather, also behind a collective or another kernel of its pass, in
/// order.
std::vector<uint32_t>
CopyCallReader::FirstUsersOf(uint32_t gather) const
{
    std::vector<uint32_t> users;
    std::set<uint32_t> known{gather};
    std::vector<uint32_t> open{gather};
    while (!open.empty())
    {
        const uint32_t node = open.back();
        open.pop_back();
        for (const uint32_t child : m_context.graph.Children(node))
        {
            if (m_meaning.tasks[child].work)
            {
                users.push_back(child);
            }
            else if (IsPassedThrough(child) && known.insert(child).second)
            {
                open.push_back(child);
            }
        }
    }
    std::ranges::sort(users, {}, [this](uint32_t user) { return OrderOf(user); });
    return users;
}

/// Whether what waits for a task of a layer waits for what that takes in.
bool
CopyCallReader::IsPassedThrough(uint32_t node) const
{
    // A norm, a gather of tokens or an all-to-all may stand between a gather of parameters and the
    // first product that uses them.
    const TaskMeaning& task = m_meaning.tasks[node];
    const bool isOtherKernel =
        m_context.graph.Node(node).type == NodeType::Compute && task.place.IsInPass();
    return isOtherKernel || task.call == TensorCall::Gather ||
           task.amount.kind == AmountKind::RoutedShare;
}

/// Traces do not say of how many blocks a gather is. It is taken to be of all works from its first
/// user up to the first user of the next gather.
void
CopyCallReader::ReadCoveredBlocks(const std::map<uint32_t, size_t>& firstUses)
{
    // Gathers that are first used at the same place, as those of experts and of the rest, cover the
    // same blocks. Select tells them apart.
    std::set<size_t> starts;
    for (const auto& [gather, order] : firstUses)
    {
        starts.insert(order);
    }
    for (const auto& [gather, order] : firstUses)
    {
        const auto next = starts.upper_bound(order);
        const size_t end = next == starts.end() ? m_context.rank.tasks.size() : *next;
        SetBlocks(gather, BlocksOf(WorksBetween(order, end)));
        SetCopies(gather);
    }
}

/// Of the pass of the first one. The gradient of an embedding needs none of its rows.
std::vector<uint32_t>
CopyCallReader::WorksBetween(size_t begin, size_t end) const
{
    const uint32_t pass = m_meaning.tasks[m_context.rank.tasks[begin]].place.pass;
    std::vector<uint32_t> works;
    const auto first = std::ranges::lower_bound(
        m_meaning.works, begin, {}, [this](uint32_t work) { return OrderOf(work); });
    for (const uint32_t node : std::ranges::subrange(first, m_meaning.works.end()))
    {
        if (OrderOf(node) >= end)
        {
            break;
        }
        const TaskMeaning& task = m_meaning.tasks[node];
        const bool isGradientOfRows =
            task.work->kind == BlockKind::Embedding && task.work->work != WorkKind::Forward;
        if (task.place.pass == pass && !isGradientOfRows)
        {
            works.push_back(node);
        }
    }
    return works;
}

/// Gathers of what the optimizer updated are of the sums of the last micro-batch (PairGathers).
void
CopyCallReader::PairWithSums(const std::vector<uint32_t>& gathers)
{
    // Experts have fewer copies, and so other shares of what is summed. So each group is paired by
    // itself.
    std::map<CommunicatorId, std::vector<uint32_t>> byGroup;
    for (const uint32_t gather : gathers)
    {
        byGroup[GroupOf(gather)].push_back(gather);
    }
    for (const auto& [group, list] : byGroup)
    {
        const std::vector<uint32_t>& sums = m_sums[group];
        const auto pairs =
            PairGathers(SizesOf(m_context.graph, list), SizesOf(m_context.graph, sums));
        if (!pairs)
        {
            m_sizes.Refuse(list.front(),
                           "gathers parameters whose gradients nothing sums, or which have other "
                           "sizes than these");
        }
        for (size_t i = 0; i < list.size(); ++i)
        {
            const TaskMeaning& sum = m_meaning.tasks[sums[(*pairs)[i]]];
            m_meaning.tasks[list[i]].amount = sum.amount;
            m_meaning.tasks[list[i]].expertsBeside = sum.expertsBeside;
            SetCopies(list[i]);
        }
    }
}

/// Of the first forward pass of each chunk.
ParameterSet
CopyCallReader::BlocksOfRank() const
{
    std::set<uint32_t> chunks;
    std::vector<uint32_t> works;
    for (size_t pass = 0; pass < m_context.rank.passes.size(); ++pass)
    {
        // Later passes go through the same blocks again.
        if (m_context.rank.passes[pass].isForward &&
            chunks.insert(m_context.rank.passes[pass].chunk).second)
        {
            std::ranges::copy_if(m_meaning.works,
                                 std::back_inserter(works),
                                 [&](uint32_t node)
                                 { return m_meaning.tasks[node].place.pass == pass; });
        }
    }
    return BlocksOf(works);
}

/// It updates all blocks of the rank. Where there are shards, what both ends of a pipeline sum of a
/// matrix may be one too, which FindWholeTiedSums tells.
void
CopyCallReader::ReadOptimizer()
{
    const auto copies =
        static_cast<uint32_t>(m_context.roles.GroupOf(m_context.rank.rank, GroupRole::Data).size());
    // Experts are spread among the copies of the model. So the number of copies is also that of the
    // ranks that have parts of experts.
    const Amount updated{.kind = AmountKind::Updated,
                         .set = BlocksOfRank(),
                         .copies = m_meaning.hasShards ? copies : 1,
                         .expertRanks = m_meaning.hasShards ? copies : 0};
    const std::vector<bool> isOptimizer = FindOptimizerKernels(m_context.graph, m_context.rank);
    for (const uint32_t node : m_context.rank.tasks)
    {
        TaskMeaning& meaning = m_meaning.tasks[node];
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

/// Of a gather of shards.
void
CopyCallReader::SetCopies(uint32_t node)
{
    Amount& amount = m_meaning.tasks[node].amount;
    amount.copies = static_cast<uint32_t>(
        m_context.roles.RanksOf(m_context.rank.rank, m_context.graph.Node(node)).size());
    // For calls of experts alone: their group has the copies of the same experts, and `expert`
    // times as many ranks have parts of the experts. Of other calls it counts only that this is not
    // 0.
    amount.expertRanks = amount.copies * m_context.structure.degrees.expert.value_or(1);
}

} // namespace

void
ReadCopyCalls(const RankContext& context, const SizeSightings& sizes, RankMeaning& meaning)
{
    CopyCallReader(context, sizes, meaning).Read();
}

} // namespace nadi
