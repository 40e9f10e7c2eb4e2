// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/rank-sequence.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// The draws of a model under a key, begun where they are not yet.
template <class Key>
ShuffledDraws&
FindDraws(std::map<Key, ShuffledDraws>& draws,
          const Key& key,
          const ValueModel& model,
          size_t batch)
{
    return draws.try_emplace(key, model, batch).first->second;
}

} // namespace

RankSequence::RankSequence(const TraceModel& model,
                           const RankRoles& roles,
                           uint32_t rank,
                           uint64_t seed)
    : m_model(model)
    , m_roles(roles)
    , m_rank(rank)
    , m_random(seed, RandomPurpose::Sequence, rank)
    , m_gapRandom(seed, RandomPurpose::GapLengths, rank)
{
}

std::vector<SyntheticStep>
RankSequence::Draw()
{
    const uint32_t role = m_roles.RoleOf(m_rank);
    const std::vector<uint32_t>& calls = m_model.callsOfRank[role];
    // All gaps are drawn at once, as they are arranged by their autocorrelation.
    const std::vector<uint64_t> gaps = m_model.gapLengths.Draw(1, calls.size() + 1, m_gapRandom);
    for (size_t index = 0; index < calls.size(); ++index)
    {
        FillGap(gaps[index]);
        AddCall(calls[index], m_model.classesOfCall[role][index]);
    }
    FillGap(gaps.back());
    return std::move(m_steps);
}

/// A collective is one node. A message is a node for each peer: none where nobody plays the other
/// end, several where more ranks play that end than this one.
void
RankSequence::AddCall(uint32_t call, uint32_t nodeClass)
{
    const MasterCall& made = m_model.master.calls[call];
    if (made.type == NodeType::Collective)
    {
        AddStep({.nodeClass = nodeClass, .call = call});
        return;
    }
    // The sender stands first in a channel of messages, the receiver last.
    const std::vector<uint32_t>& ends = m_model.master.channels[made.channel].ranks;
    const uint32_t peerRole = made.type == NodeType::Send ? ends.back() : ends.front();
    for (const uint32_t peer : m_roles.PeersOf(m_rank, peerRole))
    {
        AddStep({.nodeClass = nodeClass, .call = call, .peer = peer});
    }
}

/// Where the recording has no node but calls, there are no successors, and gaps stay empty.
void
RankSequence::FillGap(uint64_t length)
{
    for (; length > 0 && !m_model.successors.empty(); --length)
    {
        // A run that the gap is too short for goes on in the next gap, with a call within it.
        if (m_runLeft == 0)
        {
            m_runClass = DrawSuccessor();
            m_runLeft = DrawRunLength(m_runClass);
        }
        --m_runLeft;
        AddStep({.nodeClass = m_runClass});
    }
}

void
RankSequence::AddStep(SyntheticStep step)
{
    step.pattern = DrawPattern(step.nodeClass);
    m_steps.push_back(step);
}

/// How many of `count` things of all recorded ranks one of them has.
size_t
RankSequence::PerRank(uint64_t count) const
{
    // A batch of draws has the recorded shares (ShuffledDraws). With as many draws in a batch as a
    // rank needs on average, each rank has them.
    return std::max<size_t>(1, count / m_model.master.rankCount);
}

uint32_t
RankSequence::DrawSuccessor()
{
    auto found = m_model.successors.find(m_runClass);
    if (found == m_model.successors.end())
    {
        // In the recording nothing came after this class.
        found = m_model.successors.find(TraceModel::ANY);
    }
    const size_t batch = PerRank(found->second.Count());
    return static_cast<uint32_t>(
        FindDraws(m_successors, found->first, found->second, batch).Next(m_random));
}

uint64_t
RankSequence::DrawRunLength(uint32_t nodeClass)
{
    const ValueModel& lengths = m_model.classes[nodeClass].runLengths;
    return FindDraws(m_runLengths, nodeClass, lengths, PerRank(lengths.Count())).Next(m_random);
}

/// What a node of the class waits for, given the class of the node before it.
uint32_t
RankSequence::DrawPattern(uint32_t nodeClass)
{
    const uint32_t before = m_steps.empty() ? TraceModel::START : m_steps.back().nodeClass;
    auto found = m_model.dependencies.find({nodeClass, before});
    if (found == m_model.dependencies.end())
    {
        // In the recording no node of this class came after one of that class.
        found = m_model.dependencies.find({nodeClass, TraceModel::ANY});
    }
    const size_t batch = PerRank(found->second.Count());
    return static_cast<uint32_t>(
        FindDraws(m_patterns, found->first, found->second, batch).Next(m_random));
}

} // namespace nadi
