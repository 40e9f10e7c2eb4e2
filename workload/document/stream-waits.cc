// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/stream-waits.h"

#include "workload/document/node-attributes.h"
#include "workload/document/recorded-clock.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

/// A node that starts sooner after what it depends on has not waited for anything else.
constexpr int64_t LEAST_IDLE_NANOS = 50'000;
/// A stream goes on so soon after what it waited for.
constexpr int64_t RESUME_NANOS = 10'000;

/// Work of the accelerator.
struct StreamWork
{
    int64_t start = 0;
    int64_t end = 0;
    int64_t stream = 0;
    uint64_t id = 0;
};

/// Time: n log n in the nodes, and for each node a step for each work that ended within
/// RESUME_NANOS before its start.
class StreamWaits
{
  public:
    explicit StreamWaits(TraceDocument& document)
        : m_nodes(document.nodes)
    {
        for (const Node& node : m_nodes)
        {
            const int64_t end = ClockEnd(node);
            m_ends.emplace(node.id(), end);
            if (const auto stream = StreamOf(node))
            {
                m_work.push_back(
                    {.start = ClockStart(node), .end = end, .stream = *stream, .id = node.id()});
            }
        }
        std::stable_sort(m_work.begin(),
                         m_work.end(),
                         [](const StreamWork& left, const StreamWork& right)
                         { return left.start < right.start; });
        // FindStreamFree needs the order of starts. FindAwaited searches by ends, so the work is
        // sorted again.
        FindStreamFree();
        std::stable_sort(m_work.begin(),
                         m_work.end(),
                         [](const StreamWork& left, const StreamWork& right)
                         { return left.end < right.end; });
    }

    uint64_t Add()
    {
        uint64_t added = 0;
        for (Node& node : m_nodes)
        {
            const auto stream = StreamOf(node);
            const auto awaited = stream ? FindAwaited(node, *stream) : std::nullopt;
            if (awaited)
            {
                // The awaited work began before the node, so these dependencies make no circle with
                // each other.
                node.add_data_deps(*awaited);
                ++added;
            }
        }
        return added;
    }

  private:
    static std::optional<int64_t> StreamOf(const Node& node)
    {
        const bool isOfHost = ToBool(GetAttribute(node, NodeAttribute::IsCpu)).value_or(false);
        return isOfHost ? std::nullopt : ToInteger(GetAttribute(node, NodeAttribute::Stream));
    }

    /// Requires: work in the order of its starts.
    void FindStreamFree()
    {
        std::unordered_map<int64_t, int64_t> ends; // by stream, of all work so far
        for (const StreamWork& work : m_work)
        {
            const auto [end, isFirst] = ends.try_emplace(work.stream, work.end);
            if (!isFirst)
            {
                // The first work of a stream gets no entry, as nothing is before it.
                m_streamFree.emplace(work.id, end->second);
                end->second = std::max(end->second, work.end);
            }
        }
    }

    std::optional<uint64_t> FindAwaited(const Node& node, int64_t stream) const
    {
        const int64_t start = ClockStart(node);
        const int64_t ready = FindReady(node);
        // What the node waits for anyway explains its start.
        if (start - ready <= LEAST_IDLE_NANOS)
        {
            return std::nullopt;
        }
        // All work that had ended when the node started. From there backwards, the first one of
        // another stream ended last.
        auto work =
            std::partition_point(m_work.begin(),
                                 m_work.end(),
                                 [start](const StreamWork& one) { return one.end <= start; });
        while (work != m_work.begin())
        {
            --work;
            if (start - work->end > RESUME_NANOS)
            {
                return std::nullopt;
            }
            // What takes no time and starts with the node may have waited for the node.
            if (work->stream != stream && work->start < start)
            {
                return work->id;
            }
        }
        return std::nullopt;
    }

    /// When all that the node depends on, and all before it on its stream, had ended. Without
    /// either nothing tells it, and the node counts as ready when it started.
    int64_t FindReady(const Node& node) const
    {
        std::optional<int64_t> ready;
        if (const auto free = m_streamFree.find(node.id()); free != m_streamFree.end())
        {
            ready = free->second;
        }
        for (const uint64_t parent : node.data_deps())
        {
            const auto found = m_ends.find(parent);
            if (found != m_ends.end())
            {
                ready = std::max(ready.value_or(found->second), found->second);
            }
        }
        return ready.value_or(ClockStart(node));
    }

    std::vector<Node>& m_nodes;
    std::unordered_map<uint64_t, int64_t> m_ends;       // by id, as recorded
    std::unordered_map<uint64_t, int64_t> m_streamFree; // by id: when its stream had done the rest
    std::vector<StreamWork> m_work;                     // by end
};

} // namespace

uint64_t
AddStreamWaits(TraceDocument& document)
{
    return StreamWaits(document).Add();
}

} // namespace nadi
