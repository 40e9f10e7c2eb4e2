// SPDX-License-Identifier: GPL-2.0-only
#include "system/phase-sizes.h"

#include "common/check.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// The size of one member's part of a chunk, as phases go by.
///
/// Holds: `m_scattered` has the sizes before those reduce-scatters that no all-gather has closed.
class SizeWalk
{
  public:
    SizeWalk(const RankGrid& members, const PhaseSizes::OwnedLength& owned, uint32_t member)
        : m_members(members)
        , m_owned(owned)
        , m_member(member)
    {
    }

    /// To the point where `phase` of `chunk` begins. Requires: a new walk.
    void GoTo(const ChunkSchedule& chunk, uint32_t phase)
    {
        const bool scatters =
            !chunk.phases.empty() && chunk.phases.front().type == CollectiveType::Scatter;
        // A scatter's size is one shard, and the root begins with the shards of all.
        m_elements = scatters ? chunk.elements * m_members.RankCount() : chunk.elements;
        for (uint32_t before = 0; before < phase; ++before)
        {
            Pass(chunk.phases[before]);
        }
    }

    /// What the member holds between phases.
    uint64_t Elements() const
    {
        return m_elements;
    }

    /// The buffer that the members of the line make up in `phase`, the next one.
    uint64_t BufferOf(const Phase& phase) const
    {
        switch (phase.type)
        {
        case CollectiveType::AllGather:
            // After a reduce-scatter the buffer is not the member's part times the length of the
            // line, since shards of a line may differ by an element. So the size before is kept.
            return m_scattered.empty() ? m_elements * m_members.Size(phase.dimension)
                                       : m_scattered.back();
        case CollectiveType::Gather:
            return m_elements * m_members.Size(phase.dimension);
        default:
            return m_elements;
        }
    }

  private:
    void Pass(const Phase& phase)
    {
        const uint64_t buffer = BufferOf(phase);
        switch (phase.type)
        {
        case CollectiveType::ReduceScatter:
            m_scattered.push_back(m_elements);
            m_elements = m_owned(
                phase.dimension, m_elements, m_members.Coordinate(m_member, phase.dimension));
            break;
        case CollectiveType::Scatter:
            // The division is exact: all shards of a scatter have the size of the call.
            m_elements /= m_members.Size(phase.dimension);
            break;
        case CollectiveType::AllGather:
            // It closes the reduce-scatter that came last: those of a chunk are closed in reverse
            // order.
            if (!m_scattered.empty())
            {
                m_scattered.pop_back();
            }
            m_elements = buffer;
            break;
        default:
            m_elements = buffer;
            break;
        }
    }

    const RankGrid& m_members;
    const PhaseSizes::OwnedLength& m_owned;
    uint32_t m_member;
    uint64_t m_elements = 0;
    std::vector<uint64_t> m_scattered;
};

} // namespace

PhaseSizes::PhaseSizes(const RankGrid& members, uint32_t root, OwnedLength owned)
    : m_members(members)
    , m_root(root)
    , m_owned(std::move(owned))
{
    NADI_CHECK(root < members.RankCount());
}

PhaseShape
PhaseSizes::ShapeOf(const ChunkSchedule& chunk, uint32_t phase, uint32_t member) const
{
    NADI_CHECK(phase < chunk.phases.size());
    SizeWalk walk(m_members, m_owned, member);
    walk.GoTo(chunk, phase);
    const Phase& present = chunk.phases[phase];
    return {.takesPart = TakesPart(chunk, phase, member),
            .elements = walk.BufferOf(present),
            .root = m_members.Coordinate(m_root, present.dimension)};
}

uint64_t
PhaseSizes::ElementsBefore(const ChunkSchedule& chunk, uint32_t phase, uint32_t member) const
{
    NADI_CHECK(phase <= chunk.phases.size());
    SizeWalk walk(m_members, m_owned, member);
    walk.GoTo(chunk, phase);
    return walk.Elements();
}

/// Broadcast and scatter: the root's data have reached only the lines that agree with the root in
/// every dimension still to come. Reduce and gather mirror that: only lines that agree with the
/// root in every dimension already crossed still hold data on its way. In a broadcast from (0, 0)
/// over dimension 1 and then 0, only the column of coordinate 0 runs the first phase, and all rows
/// run the second one.
bool
PhaseSizes::TakesPart(const ChunkSchedule& chunk, uint32_t phase, uint32_t member) const
{
    const CollectiveType type = chunk.phases[phase].type;
    if (!HasRoot(type))
    {
        return true;
    }
    const bool spreads = type == CollectiveType::Broadcast || type == CollectiveType::Scatter;
    const auto first = chunk.phases.begin() + (spreads ? phase + 1 : 0);
    const auto last = spreads ? chunk.phases.end() : chunk.phases.begin() + phase;
    return std::all_of(first,
                       last,
                       [&](const Phase& other)
                       {
                           return m_members.Coordinate(member, other.dimension) ==
                                  m_members.Coordinate(m_root, other.dimension);
                       });
}

} // namespace nadi
