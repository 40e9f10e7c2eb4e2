// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/expert-exchanges.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

bool
IsOfExperts(const DraftTask& task)
{
    return task.origin != DraftTask::NO_NODE && task.meaning.work &&
           task.meaning.work->kind == BlockKind::Experts;
}

bool
IsForwardWork(const DraftTask& task)
{
    return task.meaning.work->work == WorkKind::Forward;
}

} // namespace

std::vector<DraftTask>
RemoveExchanges(std::vector<DraftTask> all)
{
    DraftChanges drafts(std::move(all));
    for (uint32_t draft = 0; draft < drafts.Count(); ++draft)
    {
        const DraftTask& task = drafts.At(draft);
        if (task.copy.node.type == NodeType::Collective &&
            task.copy.node.collective == CollectiveType::AllToAll &&
            task.meaning.amount.kind == AmountKind::RoutedShare)
        {
            drafts.Remove(draft);
        }
    }
    return drafts.Write();
}

ExpertExchanges::ExpertExchanges(const ExecutionGraph& graph,
                                 const BlockPhases& phases,
                                 const Call& call,
                                 std::vector<DraftTask> drafts)
    : m_graph(graph)
    , m_phases(phases)
    , m_call(call)
    , m_drafts(std::move(drafts))
    , m_count(m_drafts.Count())
    , m_children(m_count)
{
    // Drafts know only what they wait for. To put a call in, it has to be known who waits for a
    // draft, too.
    for (uint32_t draft = 0; draft < m_count; ++draft)
    {
        Note(draft);
    }
}

void
ExpertExchanges::Replace(uint32_t child, uint32_t parent, uint32_t call)
{
    m_drafts.Replace(child, parent, call);
    m_children[call].push_back(child);
}

/// Among the children of its parents.
void
ExpertExchanges::Note(uint32_t draft)
{
    // Calls that are put in need entries, too.
    m_children.resize(m_drafts.Count());
    for (const uint32_t parent : m_drafts.At(draft).parents)
    {
        m_children[parent].push_back(draft);
    }
}

std::vector<DraftTask>
ExpertExchanges::Run()
{
    for (uint32_t draft = 0; draft < m_count; ++draft)
    {
        const uint32_t node = m_drafts.At(draft).origin;
        if (!IsOfExperts(m_drafts.At(draft)) || !m_phases.IsBoundary(node))
        {
            continue;
        }
        if (BeginsPhase(draft))
        {
            PutBefore(draft);
        }
        if (m_phases.IsSummed(node))
        {
            PutBehind(draft);
        }
    }
    return m_drafts.Write();
}

/// Throws ConfigError.
bool
ExpertExchanges::BeginsPhase(uint32_t draft) const
{
    const DraftTask& task = m_drafts.At(draft);
    const BlockPhase& phase = m_phases.Of(task.origin);
    if (!m_phases.IsInOrder(phase))
    {
        throw ConfigError(
            "what-if: ep",
            fmt::format("{}: task {} (\"{}\") is of experts whose products stand in another order "
                        "than their layers have, so where tokens would be exchanged is unknown; a "
                        "recording of experts on two or more ranks shows it",
                        m_graph.Source(),
                        task.origin,
                        m_graph.Name(task.origin)));
    }
    return (IsForwardWork(task) ? phase.firstEnter : phase.first) == task.origin;
}

/// What the first product waits for, the all-to-all before it waits for.
void
ExpertExchanges::PutBefore(uint32_t draft)
{
    const uint32_t entry = EntryOf(draft);
    const std::vector<uint32_t> awaited = WithoutAccumulated(entry);
    const uint32_t call = m_drafts.AddBefore(
        entry, MakeCall(draft, NameFor(draft, "dispatch", "combine gradient"), awaited));
    Note(call);
    for (const uint32_t parent : awaited)
    {
        Replace(entry, parent, call);
    }
    // The call replaced no parent, so it is added.
    if (awaited.empty())
    {
        m_drafts.At(entry).parents.push_back(call);
    }
    // If the call goes before a gather, the other products wait for that gather already.
    if (entry == draft)
    {
        AwaitBesides(draft, awaited, call);
    }
}

/// Other products of the block that wait for the same: those that it enters, for the call alone.
void
ExpertExchanges::AwaitBesides(uint32_t first, const std::vector<uint32_t>& awaited, uint32_t call)
{
    for (const uint32_t other : ChildrenOf(awaited))
    {
        const bool isAlike = other != first && IsSamePass(first, other) &&
                             IsSameBlock(first, other) &&
                             IsForwardWork(m_drafts.At(first)) == IsForwardWork(m_drafts.At(other));
        for (const uint32_t parent : isAlike ? awaited : std::vector<uint32_t>())
        {
            Replace(other, parent, call);
        }
    }
}

/// What the result of the experts was, the all-to-all behind them is.
void
ExpertExchanges::PutBehind(uint32_t draft)
{
    const uint32_t result = ResultOf(draft);
    const uint32_t call = m_drafts.AddBehind(
        result, MakeCall(draft, NameFor(draft, "combine", "dispatch gradient"), {result}));
    Note(call);
    bool isAwaited = false;
    for (const uint32_t child : ChildrenOf({result}))
    {
        // A sum of the tensor group is waited for by those alone that want the result. A kernel is
        // also waited for by those whose turn is next.
        const bool waitsForResult =
            result != draft || (IsSamePass(draft, child) && !IsOwnWeight(draft, child));
        if (child != call && waitsForResult)
        {
            Replace(child, result, call);
            isAwaited = true;
        }
    }
    if (!isAwaited)
    {
        AwaitNext(draft, call);
    }
}

/// As on a stream whose order says who waits.
void
ExpertExchanges::AwaitNext(uint32_t draft, uint32_t call)
{
    for (uint32_t next = draft + 1; next < m_count; ++next)
    {
        const NodeType type = m_drafts.At(next).copy.node.type;
        if (IsSamePass(draft, next) && !IsOwnWeight(draft, next) &&
            (type == NodeType::Compute || type == NodeType::Send))
        {
            m_drafts.At(next).parents.push_back(call);
            return;
        }
    }
}

/// What a task waits for, apart from the gradients of the micro-batch before.
std::vector<uint32_t>
ExpertExchanges::WithoutAccumulated(uint32_t draft) const
{
    std::vector<uint32_t> parents = m_drafts.At(draft).parents;
    std::erase_if(parents,
                  [&](uint32_t parent)
                  {
                      const auto& work = m_drafts.At(parent).meaning.work;
                      return work && work->work == WorkKind::WeightGradient &&
                             IsSameBlock(parent, draft) && !IsSamePass(parent, draft);
                  });
    return parents;
}

/// What the tensor group gathers for a product, or else the product. Backward that is the gradient
/// of outputs, which is gathered before the inputs are.
uint32_t
ExpertExchanges::EntryOf(uint32_t draft) const
{
    uint32_t entry = draft;
    for (const uint32_t parent : m_drafts.At(draft).parents)
    {
        const bool isGather = m_drafts.At(parent).meaning.call == TensorCall::Gather;
        entry = isGather && IsSamePass(parent, draft) ? std::min(entry, parent) : entry;
    }
    return entry;
}

/// The sum over the tensor group of what a product makes, or else the product.
uint32_t
ExpertExchanges::ResultOf(uint32_t draft) const
{
    for (const uint32_t child : ChildrenOf({draft}))
    {
        if (m_drafts.At(child).meaning.call == TensorCall::Sum)
        {
            return child;
        }
    }
    return draft;
}

/// Each once, in order.
std::vector<uint32_t>
ExpertExchanges::ChildrenOf(const std::vector<uint32_t>& parents) const
{
    std::set<uint32_t> children;
    for (const uint32_t parent : parents)
    {
        // Lists of children only grow. Who waits for something else by now is left out.
        std::ranges::copy_if(m_children[parent],
                             std::inserter(children, children.end()),
                             [&](uint32_t child) { return m_drafts.WaitsFor(child, parent); });
    }
    return {children.begin(), children.end()};
}

bool
ExpertExchanges::IsSamePass(uint32_t one, uint32_t other) const
{
    return m_drafts.At(one).meaning.place.pass == m_drafts.At(other).meaning.place.pass;
}

bool
ExpertExchanges::IsSameBlock(uint32_t one, uint32_t other) const
{
    const TaskMeaning& task = m_drafts.At(one).meaning;
    const TaskMeaning& another = m_drafts.At(other).meaning;
    return task.work && another.work && task.work->kind == another.work->kind &&
           task.work->block == another.work->block && task.place.segment == another.place.segment;
}

/// Whether the other makes the gradient of weights of the experts of whose inputs the draft makes
/// it.
bool
ExpertExchanges::IsOwnWeight(uint32_t draft, uint32_t other) const
{
    const auto& work = m_drafts.At(other).meaning.work;
    return !IsForwardWork(m_drafts.At(draft)) && work && work->work == WorkKind::WeightGradient &&
           IsSameBlock(draft, other);
}

std::string
ExpertExchanges::NameFor(uint32_t draft, const char* forward, const char* backward) const
{
    const DraftTask& task = m_drafts.At(draft);
    return fmt::format(
        "{} {}", NameOfBlock(task.copy.name), IsForwardWork(task) ? forward : backward);
}

DraftTask
ExpertExchanges::MakeCall(uint32_t draft, std::string name, std::vector<uint32_t> parents) const
{
    DraftTask task;
    task.copy.name = std::move(name);
    task.copy.node = {.size = m_call.size,
                      .group = m_call.group,
                      .type = NodeType::Collective,
                      .collective = CollectiveType::AllToAll};
    task.meaning.place = m_drafts.At(draft).meaning.place;
    task.meaning.amount.kind = AmountKind::RoutedShare;
    task.parents = std::move(parents);
    return task;
}

} // namespace nadi
