// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/attempts.h"

#include "common/check.h"
#include "system/synthesis/moving.h"
#include "system/synthesis/spreading.h"

#include <algorithm>

namespace nadi::synthesis
{

namespace
{

/// Trees with free roots are for networks in which NPUs have few links to others each.
constexpr uint32_t MOST_NEIGHBOURS = 16;

} // namespace

AttemptMaker::AttemptMaker(const GroupRoutes& routes, const SynthesisRequest& request)
    : m_routes(routes)
    , m_request(request)
    , m_ranks(static_cast<uint32_t>(request.ranks.size()))
{
    if (IsAllReduce(request.type))
    {
        const MessageTimes times(routes.forward, routes.costs, LargestChunk(m_ranks));
        m_centre = FindCentre(routes.forward, times);
        if (routes.forward.WayCount() <= uint64_t{MOST_NEIGHBOURS} * m_ranks)
        {
            m_trees = FreeTrees::Find(routes.forward);
        }
    }
}

std::vector<AttemptRule>
AttemptMaker::Rules() const
{
    if (IsMoving(m_request.type))
    {
        return {AttemptRule::QuickPaths, AttemptRule::Plain};
    }
    if (m_request.type == CollectiveType::Barrier)
    {
        // A barrier carries nothing. There are no chunks to spread over links, and only the depth
        // of its tree counts.
        return {AttemptRule::OneRoot};
    }
    std::vector<AttemptRule> rules{AttemptRule::Plain};
    if (m_routes.groups.AreUseful())
    {
        rules.push_back(AttemptRule::PreferNew);
        rules.push_back(AttemptRule::RequireNew);
    }
    if (m_request.type == CollectiveType::AllReduce)
    {
        rules.push_back(AttemptRule::OneRoot);
        if (m_trees)
        {
            rules.push_back(AttemptRule::FreeRoots);
        }
    }
    return rules;
}

/// All counts that may be tried, without regard to the size.
std::vector<uint32_t>
AttemptMaker::ListCounts(AttemptRule rule) const
{
    if (rule == AttemptRule::FreeRoots)
    {
        // Every chunk has a tree of its own, and such trees are slow until there are hundreds. So
        // the counts go far, and are dense only there.
        return {1, 4, 16, 64, 256, 512, 768, 1024, 1536, 2048};
    }
    if (!HasShards(m_request.type, rule))
    {
        return {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    }
    std::vector<uint32_t> counts{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 18, 20, 24, 30, 32, 36, 48};
    const uint32_t most = counts.back();
    // Where the number of trees is not known, or larger, `most` stands in, which is in the list
    // already.
    const uint32_t trees = std::min(m_request.options.trees.value_or(most), most);
    for (uint32_t multiple = trees; trees > 0 && multiple <= most; multiple += trees)
    {
        counts.push_back(multiple);
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

/// Chunks have an element at least, unless there are no more chunks than there must be.
std::vector<uint32_t>
AttemptMaker::ChunkCounts(AttemptRule rule) const
{
    if (m_request.options.chunks)
    {
        return {*m_request.options.chunks};
    }
    std::vector<uint32_t> counts;
    for (const uint32_t chunks : ListCounts(rule))
    {
        if (counts.empty() || WholeChunks(rule, chunks) <= m_request.elements)
        {
            counts.push_back(chunks);
        }
    }
    return counts;
}

/// Of the program's buffer.
uint32_t
AttemptMaker::WholeChunks(AttemptRule rule, uint32_t chunks) const
{
    return HasShards(m_request.type, rule) ? m_ranks * chunks : chunks;
}

/// A message wakes the ways of its receiver, and each looks through a set of chunks; or a chunk's
/// paths are searched for a few times.
/// The cost stands in for a clock: with measured times the search would end elsewhere on another
/// machine, and find another program.
uint64_t
AttemptMaker::CostOf(const AttemptChoice& choice) const
{
    const uint64_t whole = WholeChunks(choice.rule, choice.chunks);
    const uint64_t ways = m_routes.forward.WayCount();
    const uint64_t messages = whole * m_ranks;
    if (IsMoving(m_request.type))
    {
        const uint64_t rows = m_request.type == CollectiveType::AllToAll ? m_ranks : 1;
        const uint64_t looks = choice.rule == AttemptRule::QuickPaths ? 0 : 24 * ways;
        return whole * rows * (128 + looks);
    }
    if (choice.rule == AttemptRule::FreeRoots)
    {
        return messages * 100;
    }
    const uint64_t looks = ways / m_ranks * (2 + whole / 64);
    return messages * (32 + looks) * (IsAllReduce(m_request.type) ? 3 : 1);
}

/// Parts of the division rule differ by an element. Attempts are timed as if all chunks were as
/// long as the longest one.
Bytes
AttemptMaker::LargestChunk(uint32_t chunks) const
{
    const uint64_t elements = m_request.elements / chunks + (m_request.elements % chunks > 0);
    return Bytes(m_request.elementBytes) * static_cast<int64_t>(elements);
}

Attempt
AttemptMaker::Make(const AttemptChoice& choice) const
{
    return IsMoving(m_request.type) ? MakeMoving(choice) : MakeSpreading(choice);
}

Attempt
AttemptMaker::MakeMoving(const AttemptChoice& choice) const
{
    return MoveChunks(m_routes,
                      {.type = m_request.type,
                       .root = m_request.root,
                       .parts = choice.chunks,
                       .chunk = LargestChunk(WholeChunks(choice.rule, choice.chunks)),
                       .seed = choice.seed,
                       .isBalanced = choice.rule != AttemptRule::QuickPaths});
}

Attempt
AttemptMaker::MakeSpreading(const AttemptChoice& choice) const
{
    const uint32_t whole = WholeChunks(choice.rule, choice.chunks);
    if (choice.rule == AttemptRule::FreeRoots)
    {
        return ReduceOverTrees(m_routes, *m_trees, whole, LargestChunk(whole), m_centre);
    }
    SpreadingTask task{.owners = {},
                       .chunk = LargestChunk(whole),
                       .rules = {.seed = choice.seed, .groups = GroupRuleOf(choice.rule)}};
    const uint32_t root = HasRoot(m_request.type) ? m_request.root : m_centre;
    for (uint32_t chunk = 0; chunk < whole; ++chunk)
    {
        const bool isOfShard = HasShards(m_request.type, choice.rule);
        // Chunks are numbered shard by shard, and a shard has `choice.chunks` of them.
        task.owners.push_back(isOfShard ? chunk / choice.chunks : root);
    }
    switch (m_request.type)
    {
    case CollectiveType::AllGather:
    case CollectiveType::Broadcast:
        return SpreadChunks(m_routes, task);
    case CollectiveType::ReduceScatter:
    case CollectiveType::Reduce:
        return ReduceChunks(m_routes, task);
    default:
        return ReduceAndSpread(m_routes, task);
    }
}

/// An attempt counts the chunks of all rows of an all-to-all; a program counts those of one row,
/// and has input and output apart.
ProgramBuffers
AttemptMaker::BuffersOf(const Attempt& attempt) const
{
    const bool isAllToAll = m_request.type == CollectiveType::AllToAll;
    return {.type = m_request.type,
            .ranks = m_ranks,
            .root = m_request.root,
            .chunks = isAllToAll ? attempt.chunks / m_ranks : attempt.chunks,
            .isInPlace = !isAllToAll};
}

} // namespace nadi::synthesis
