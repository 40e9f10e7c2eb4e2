// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/host-pace.h"

#include "workload/document/node-attributes.h"
#include "workload/document/recorded-clock.h"
#include "workload/document/stream-waits.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

bool
IsOfHost(const Node& node)
{
    return ToBool(GetAttribute(node, NodeAttribute::IsCpu)).value_or(false);
}

int64_t
ThreadOf(const Node& node)
{
    // A recording that names no threads is taken for one of a single thread.
    return ToInteger(GetAttribute(node, NodeAttribute::Thread)).value_or(0);
}

/// Of an operation or a gap that is shorter, nothing is taken to be waiting.
constexpr int64_t LEAST_WAIT_NANOS = 50'000;

/// A span of a thread's time.
struct HostSpan
{
    int64_t start = 0;
    int64_t end = 0;
};

/// What the host has launched on the accelerator, as far as the walk has come.
class LaunchedWork
{
  public:
    void Add(const Node& kernel)
    {
        // Only what ends last is kept: once it has ended, all has.
        if (ClockEnd(kernel) > m_end)
        {
            m_end = ClockEnd(kernel);
            m_last = kernel.id();
        }
    }

    /// Whether all of it ended within the span, long enough after its start to have been waited
    /// for.
    bool EndsWithin(const HostSpan& span) const
    {
        return m_end > span.start + LEAST_WAIT_NANOS && m_end <= span.end;
    }

    int64_t End() const
    {
        return m_end;
    }

    /// What ended last. Requires: something was added.
    uint64_t Last() const
    {
        return m_last;
    }

  private:
    int64_t m_end = std::numeric_limits<int64_t>::min(); // nothing was added
    uint64_t m_last = 0;
};

/// Walks the operations of the host in the order of their recorded starts.
///
/// For each operation the walk knows when a replay would start it: at the latest of the ends of
/// what it depends on and of the operation before it on its thread. If the recorded start is later,
/// a gap fills the time. Whatever the operation launches joins the launched work, and a gap or an
/// operation in which all of that ended is taken to have waited for it.
///
/// Ends of the host are those of the replay and not the recorded ones, so that what one gap
/// corrects is not corrected again by the next. Time: n log n in the nodes, and linear in
/// dependencies.
class HostWalk
{
  public:
    explicit HostWalk(TraceDocument& document)
        : m_nodes(document.nodes)
        , m_clock(document)
    {
        for (size_t index = 0; index < m_nodes.size(); ++index)
        {
            const Node& node = m_nodes[index];
            m_indices.emplace(node.id(), index);
            m_nextId = std::max(m_nextId, node.id() + 1);
            // The walk replaces the recorded ends of the host as it comes to them.
            m_ends.push_back(ClockEnd(node));
        }
        ListBlocked();
    }

    HostPace Run()
    {
        const std::vector<size_t> order = HostNodesByStart();
        // Comes first, as gaps are measured from the ends of operations.
        CutAtNextStart(order);
        // The walk never comes to these operations, so what they launch would never be launched.
        ReleaseUnrecorded();
        for (const size_t index : order)
        {
            // Order: before the gap, which may have been a wait for what is released here.
            ReleaseUnlaunched(ClockStart(m_nodes[index]));
            const int64_t start = AddGap(index);
            // Taken before TakeWait, which may shorten the duration: the wait fills what it takes
            // away, so the end stays.
            m_ends[index] = ClockEndFrom(start, m_nodes[index]);
            TakeWait(m_nodes[index], {start, m_ends[index]});
            m_threads[ThreadOf(m_nodes[index])] = {m_nodes[index].id(), m_ends[index]};
            Release(index);
        }
        // At the end of the walk, which holds references to nodes.
        m_nodes.insert(m_nodes.end(), m_gaps.begin(), m_gaps.end());
        return m_pace;
    }

  private:
    /// How far the walk has come on a thread.
    struct Thread
    {
        std::optional<uint64_t> last; ///< id of a node
        int64_t end = 0;              ///< recorded
    };

    /// What each of the accelerator's nodes waits for: operations of the host, one of which
    /// launches it, and nodes before it on its stream. An operation may launch it after others that
    /// are recorded within the operation; the nodes before it on its stream tell when.
    void ListBlocked()
    {
        m_blocked.resize(m_nodes.size());
        m_blockers.resize(m_nodes.size());
        for (size_t index = 0; index < m_nodes.size(); ++index)
        {
            if (IsOfHost(m_nodes[index]))
            {
                continue;
            }
            for (const uint64_t parent : m_nodes[index].data_deps())
            {
                const auto found = m_indices.find(parent);
                if (found != m_indices.end())
                {
                    m_blocked[found->second].push_back(index);
                    ++m_blockers[index];
                }
            }
            if (m_blockers[index] == 0)
            {
                m_unlaunched.push_back(index);
            }
        }
        std::sort(m_unlaunched.begin(),
                  m_unlaunched.end(),
                  [this](size_t left, size_t right)
                  { return ClockStart(m_nodes[left]) < ClockStart(m_nodes[right]); });
    }

    /// Operations of the host without a recorded start hold nothing back.
    void ReleaseUnrecorded()
    {
        for (size_t index = 0; index < m_nodes.size(); ++index)
        {
            if (IsOfHost(m_nodes[index]) && !m_clock.HasStart(m_nodes[index]))
            {
                Release(index);
            }
        }
    }

    /// A recording may lack what launched some of the accelerator's nodes. They count as launched
    /// when they start.
    void ReleaseUnlaunched(int64_t nowNanos)
    {
        while (m_nextUnlaunched < m_unlaunched.size() &&
               ClockStart(m_nodes[m_unlaunched[m_nextUnlaunched]]) <= nowNanos)
        {
            const size_t index = m_unlaunched[m_nextUnlaunched++];
            m_launched.Add(m_nodes[index]);
            Release(index);
        }
    }

    /// The walk has passed the node: what only waited for it counts as launched.
    void Release(size_t passed)
    {
        // This is no recursion, as a stream of the accelerator can be a chain of many thousands of
        // nodes.
        std::vector<size_t> open{passed};
        while (!open.empty())
        {
            const size_t index = open.back();
            open.pop_back();
            for (const size_t kernel : m_blocked[index])
            {
                if (--m_blockers[kernel] == 0)
                {
                    m_launched.Add(m_nodes[kernel]);
                    open.push_back(kernel);
                }
            }
        }
    }

    /// An operation that has others within it, on its thread or on one that works for it, is
    /// recorded with the start of the whole and the duration of its own parts. What of it comes
    /// after the start of the first of the others is left to gaps.
    void CutAtNextStart(const std::vector<size_t>& order)
    {
        std::map<int64_t, size_t> lastOfThread;
        for (const size_t index : order)
        {
            const int64_t start = ClockStart(m_nodes[index]);
            // All operations of the thread but the last one have been cut at earlier starts
            // already.
            const auto [last, isFirst] = lastOfThread.try_emplace(ThreadOf(m_nodes[index]), index);
            if (!isFirst)
            {
                EndBy(m_nodes[last->second], start);
                last->second = index;
            }
            for (const uint64_t parent : m_nodes[index].data_deps())
            {
                const auto found = m_indices.find(parent);
                if (found != m_indices.end() && IsOfHost(m_nodes[found->second]))
                {
                    EndBy(m_nodes[found->second], start);
                }
            }
        }
    }

    /// Shortens a node that was recorded to start before `nanos` and to end after.
    static void EndBy(Node& node, int64_t nanos)
    {
        const int64_t most = nanos - ClockStart(node);
        // A parent that starts after its child is a fault of the recording, and is left alone.
        if (most >= 0 && GetDurationNanos(node) > most)
        {
            SetDurationNanos(node, most);
        }
    }

    std::vector<size_t> HostNodesByStart() const
    {
        std::vector<size_t> order;
        for (size_t index = 0; index < m_nodes.size(); ++index)
        {
            if (IsOfHost(m_nodes[index]) && m_clock.HasStart(m_nodes[index]))
            {
                order.push_back(index);
            }
        }
        std::stable_sort(order.begin(),
                         order.end(),
                         [this](size_t left, size_t right)
                         { return ClockStart(m_nodes[left]) < ClockStart(m_nodes[right]); });
        return order;
    }

    /// When the node starts in a replay: as recorded, unless what it depends on ends later.
    int64_t AddGap(size_t index)
    {
        Node& node = m_nodes[index];
        // The gap before the first operation of a thread begins with the trace.
        const Thread thread =
            m_threads.try_emplace(ThreadOf(node), Thread{{}, m_clock.Begin()}).first->second;
        const HostSpan span{EarliestStart(node, thread), ClockStart(node)};
        // The replay comes here at the recorded time or later, so there is no time to fill.
        if (span.end <= span.start)
        {
            return span.start;
        }
        Node gap = MakeGap(node, thread, span);
        TakeWait(gap, span);
        node.add_data_deps(gap.id());
        m_gaps.push_back(std::move(gap));
        ++m_pace.gaps;
        return span.end;
    }

    /// Where the host waited for the accelerator in the span of `node`, makes it do so.
    void TakeWait(Node& node, const HostSpan& span)
    {
        if (m_launched.EndsWithin(span))
        {
            node.add_data_deps(m_launched.Last());
            // What is left is what the host did after the accelerator was done.
            SetDurationNanos(node, span.end - m_launched.End());
            ++m_pace.waits;
        }
    }

    int64_t EarliestStart(const Node& node, const Thread& thread) const
    {
        int64_t start = thread.end;
        for (const uint64_t parent : node.data_deps())
        {
            const auto found = m_indices.find(parent);
            if (found != m_indices.end())
            {
                start = std::max(start, m_ends[found->second]);
            }
        }
        return start;
    }

    Node MakeGap(const Node& node, const Thread& thread, const HostSpan& span)
    {
        Node gap;
        gap.set_id(m_nextId++);
        gap.set_name("host gap");
        gap.set_type(ChakraProtoMsg::COMP_NODE);
        // The gap begins when the node would have begun without it.
        *gap.mutable_data_deps() = node.data_deps();
        if (thread.last)
        {
            gap.add_data_deps(*thread.last);
        }
        // The gap is on the node's thread, so that nothing else of the thread runs within it.
        SetBool(gap, NodeAttribute::IsCpu, true);
        if (FindAttribute(node, NodeAttribute::Thread) != nullptr)
        {
            SetNumber(gap, NodeAttribute::Thread, ThreadOf(node));
        }
        SetStartNanos(gap, span.start);
        SetDurationNanos(gap, span.end - span.start);
        return gap;
    }

    std::vector<Node>& m_nodes;
    RecordedClock m_clock;
    std::vector<int64_t> m_ends; // by node: in a replay of the host, else as recorded
    std::vector<Node> m_gaps;
    std::vector<std::vector<size_t>> m_blocked; // by node: the accelerator's that depend on it
    std::vector<size_t> m_blockers;             // by node of the accelerator
    std::vector<size_t> m_unlaunched;           // of those, by their starts: nothing blocks them
    size_t m_nextUnlaunched = 0;
    std::unordered_map<uint64_t, size_t> m_indices; // by id
    uint64_t m_nextId = 0;
    std::map<int64_t, Thread> m_threads; // by their tid
    LaunchedWork m_launched;
    HostPace m_pace;
};

} // namespace

HostPace
AddHostPace(TraceDocument& document)
{
    // Order: before HostWalk, which reads the dependencies that this adds (ListBlocked).
    const uint64_t streamWaits = AddStreamWaits(document);
    HostPace pace = HostWalk(document).Run();
    pace.streamWaits = streamWaits;
    return pace;
}

} // namespace nadi
