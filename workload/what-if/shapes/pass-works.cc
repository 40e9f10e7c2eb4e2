// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/block-works.h"
#include "workload/what-if/shapes/rank-reader.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Passes are cut into segments (SegmentPlace), which are read one by one.
class PassReader
{
  public:
    PassReader(const RankContext& context, SizeSightings& sizes, RankMeaning& meaning)
        : m_context(context)
        , m_sizes(sizes)
        , m_meaning(meaning)
        , m_forward(context.rank.passes.size())
    {
    }

    void Read();

  private:
    void SetPlaces();
    void ReadForward(size_t pass);
    void ReadBackward(size_t pass);
    void AddWorks(std::vector<BlockWork> works);
    size_t MirrorOf(size_t pass) const;
    TaskList SegmentOf(size_t pass, size_t segment) const;

    const RankContext& m_context;
    SizeSightings& m_sizes;
    RankMeaning& m_meaning;
    std::vector<std::vector<std::vector<BlockWork>>> m_forward; ///< by pass and segment
};

void
PassReader::Read()
{
    SetPlaces();
    // All forward passes first: a backward pass is read with the help of a forward one, wherever
    // that stands (MirrorOf).
    for (const bool isForward : {true, false})
    {
        for (size_t pass = 0; pass < m_context.rank.passes.size(); ++pass)
        {
            if (m_context.rank.passes[pass].isForward == isForward)
            {
                isForward ? ReadForward(pass) : ReadBackward(pass);
            }
        }
    }
    // Works were read by direction, and calls look for them by their order.
    std::ranges::sort(
        m_meaning.works, {}, [this](uint32_t node) { return m_meaning.tasks[node].place.order; });
}

void
PassReader::SetPlaces()
{
    m_meaning.tasks.resize(m_context.graph.NodeCount());
    for (size_t order = 0; order < m_context.rank.tasks.size(); ++order)
    {
        m_meaning.tasks[m_context.rank.tasks[order]].place.order = order;
    }
    for (uint32_t pass = 0; pass < m_context.rank.passes.size(); ++pass)
    {
        const LayerRunPass& run = m_context.rank.passes[pass];
        const auto count = static_cast<uint32_t>(run.layers.size()) + 2;
        const auto set = [&](const TaskList& tasks, uint32_t segment)
        {
            for (const uint32_t task : tasks)
            {
                m_meaning.tasks[task].place.pass = pass;
                // Segments are numbered as a forward pass has them, so both directions of a layer
                // have the same.
                m_meaning.tasks[task].place.segment = run.isForward ? segment : count - 1 - segment;
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

TaskList
PassReader::SegmentOf(size_t pass, size_t segment) const
{
    const LayerRunPass& run = m_context.rank.passes[pass];
    if (segment == 0)
    {
        return run.before;
    }
    return segment <= run.layers.size() ? run.layers[segment - 1].tasks : run.after;
}

void
PassReader::AddWorks(std::vector<BlockWork> works)
{
    for (BlockWork& work : works)
    {
        m_meaning.works.push_back(work.node);
        m_meaning.tasks[work.node].work = std::move(work);
    }
}

void
PassReader::ReadForward(size_t pass)
{
    const size_t layers = m_context.rank.passes[pass].layers.size();
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
PassReader::MirrorOf(size_t pass) const
{
    const LayerRunPass& run = m_context.rank.passes[pass];
    const auto isMirror = [&](const LayerRunPass& other) {
        return other.isForward && other.chunk == run.chunk &&
               other.layers.size() == run.layers.size();
    };
    const auto isExact = [&](const LayerRunPass& other)
    { return isMirror(other) && other.microBatch == run.microBatch; };
    // Any forward pass through the same layers has the same products, so that of another
    // micro-batch will do.
    auto found = std::ranges::find_if(m_context.rank.passes, isExact);
    found = found == m_context.rank.passes.end()
                ? std::ranges::find_if(m_context.rank.passes, isMirror)
                : found;
    if (found == m_context.rank.passes.end())
    {
        m_sizes.Refuse(run.layers.front().tasks.front(),
                       "is of a backward pass whose layers no forward pass goes through");
    }
    return static_cast<size_t>(found - m_context.rank.passes.begin());
}

void
PassReader::ReadBackward(size_t pass)
{
    // Both directions have equally many segments. A backward pass begins with the last one.
    const std::vector<std::vector<BlockWork>>& forward = m_forward[MirrorOf(pass)];
    for (size_t segment = 0; segment < forward.size(); ++segment)
    {
        const size_t mirrored = forward.size() - 1 - segment;
        AddWorks(ReadBackwardWorks(SegmentOf(pass, segment), forward[mirrored], m_sizes));
    }
}

} // namespace

void
ReadPassWorks(const RankContext& context, SizeSightings& sizes, RankMeaning& meaning)
{
    PassReader(context, sizes, meaning).Read();
}

} // namespace nadi
