// SPDX-License-Identifier: GPL-2.0-only
#include "workload/custom-collectives/trace-program.h"

#include "common/error.h"
#include "system/message-programs/program-builder.h"
#include "system/message-programs/program-proof.h"
#include "workload/custom-collectives/trace-messages.h"
#include "workload/trace/trace-set.h"
#include "workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

__extension__ using Product = unsigned __int128;

/// bytes x size / written, rounded down.
uint64_t
Scale(uint64_t bytes, uint64_t size, uint64_t written)
{
    return static_cast<uint64_t>(Product{bytes} * size / written);
}

/// Traces of one collective, ready to become programs.
///
/// Each node of a trace becomes a lane of its own. A step can wait for one other step, and a node
/// for many. So before the step of the node come steps that do nothing, one for each parent but the
/// last, and each waits for its parent.
class TraceCollective
{
  public:
    explicit TraceCollective(Workload traces)
        : m_traces(std::move(traces))
        , m_numbers(NumberTraceMessages(m_traces))
    {
    }

    uint32_t RankCount() const
    {
        return m_traces.RankCount();
    }

    /// Counts sends only: receives are the same messages once more.
    uint64_t BytesSent() const
    {
        uint64_t bytes = 0;
        for (uint32_t rank = 0; rank < RankCount(); ++rank)
        {
            for (const ExecutionNode& node : m_traces.GraphOf(RankId{rank}).Nodes())
            {
                bytes += node.type == NodeType::Send ? node.size : 0;
            }
        }
        return bytes;
    }

    /// Its messages have size / written of their bytes.
    MessageProgram Make(CollectiveType type, uint64_t size, uint64_t written) const
    {
        ProgramBuilder builder({.type = type,
                                .ranks = RankCount(),
                                .chunks = RankCount(),
                                .isInPlace = type != CollectiveType::AllToAll});
        for (uint32_t rank = 0; rank < RankCount(); ++rank)
        {
            builder.BeginRank();
            const Parents parents = FindParents(rank);
            const std::vector<uint32_t> last = NumberSteps(parents);
            for (uint32_t node = 0; node < last.size(); ++node)
            {
                const uint64_t bytes = m_traces.GraphOf(RankId{rank}).Node(node).size;
                ProgramStep step = StepOf(rank, node);
                builder.BeginLane(LaneOf(rank, node));
                for (const uint32_t parent : parents[node])
                {
                    if (parent != parents[node].back())
                    {
                        builder.AddSized({.after = last[parent]}, 0);
                    }
                    else
                    {
                        step.after = last[parent];
                    }
                }
                builder.AddSized(step, Scale(bytes, size, written));
            }
        }
        return std::move(builder).Finish();
    }

  private:
    using Parents = std::vector<std::vector<uint32_t>>; // by node

    /// Ascending and each once: Make tells the last parent from the others by its index.
    Parents FindParents(uint32_t rank) const
    {
        const ExecutionGraph& graph = m_traces.GraphOf(RankId{rank});
        Parents parents(graph.NodeCount());
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            for (const uint32_t child : graph.Children(node))
            {
                parents[child].push_back(node);
            }
        }
        return parents;
    }

    /// The number of the step that each node is; steps of nothing that wait for its other parents
    /// come before it.
    /// Example: parents {}, {0}, {0, 1} make the numbers 0, 1, 3; step 2 waits for node 0 on behalf
    /// of node 2.
    static std::vector<uint32_t> NumberSteps(const Parents& parents)
    {
        std::vector<uint32_t> last;
        uint32_t next = 0;
        for (const std::vector<uint32_t>& of : parents)
        {
            next += static_cast<uint32_t>(std::max<size_t>(of.size(), 1));
            last.push_back(next - 1);
        }
        return last;
    }

    /// A node is a lane: nothing says in what order nodes run but their dependencies.
    ProgramLane LaneOf(uint32_t rank, uint32_t node) const
    {
        const ExecutionNode& of = m_traces.GraphOf(RankId{rank}).Node(node);
        ProgramLane lane{.channel = m_numbers[rank][node]};
        if (of.type == NodeType::Send)
        {
            lane.sendPeer = of.peer;
        }
        if (of.type == NodeType::Receive)
        {
            lane.receivePeer = of.peer;
        }
        return lane;
    }

    ProgramStep StepOf(uint32_t rank, uint32_t node) const
    {
        const ExecutionNode& of = m_traces.GraphOf(RankId{rank}).Node(node);
        ProgramStep step;
        switch (of.type)
        {
        case NodeType::Send:
            step.action = ProgramStep::Action::SendAndWait;
            break;
        case NodeType::Receive:
            step.action = ProgramStep::Action::Receive;
            break;
        case NodeType::Compute:
            step.action = ProgramStep::Action::Work;
            // In nanoseconds. CheckNodes has refused what does not fit.
            step.operand = static_cast<uint32_t>(of.durationPs / 1000);
            break;
        default:
            break;
        }
        return step;
    }

    Workload m_traces;
    std::vector<std::vector<uint32_t>> m_numbers; // of messages, by rank and node
};

/// Throws ConfigError for nodes that no collective algorithm has.
void
CheckNodes(const Workload& traces)
{
    for (const ExecutionGraph& graph : traces.graphs)
    {
        for (const ExecutionNode& node : graph.Nodes())
        {
            if (node.type == NodeType::Collective)
            {
                throw ConfigError(graph.Source(),
                                  fmt::format("node {} is a collective; an algorithm of one has "
                                              "sends and receives only",
                                              node.id));
            }
            if (node.type == NodeType::Compute && node.durationPs / 1000 > UINT32_MAX)
            {
                throw ConfigError(
                    graph.Source(),
                    fmt::format("node {} takes more than 4 s; a reduction does not", node.id));
            }
        }
    }
}

/// Throws ConfigError where the messages do not suffice for the size of the call.
uint64_t
FindWrittenSize(const std::string& source, const ProgramWish& wish, uint64_t bytes, bool isScaled)
{
    const auto size = static_cast<uint64_t>(wish.size.Count());
    const std::optional<uint64_t> largest =
        LargestBuffer(wish.type, static_cast<uint32_t>(wish.ranks.size()), bytes);
    // A barrier, or a call of no bytes. At least 1, since Scale divides by it.
    if (!largest || size == 0)
    {
        return std::max<uint64_t>(size, 1);
    }
    if (isScaled && *largest > 0)
    {
        return *largest;
    }
    if (size > *largest)
    {
        throw ConfigError(
            source,
            fmt::format("its messages carry {} B in all, enough for {} of {} B, but one of {} B is "
                        "called; write scale: on to scale them",
                        bytes,
                        ToText(wish.type),
                        *largest,
                        size));
    }
    return size;
}

/// Of messages that keep their sizes. Up to a hundredth is what the rounding of parts makes of a
/// size, and says nothing about the call.
std::optional<FileExcess>
FindExcess(const std::string& source, const ProgramWish& wish, uint64_t bytes)
{
    const auto size = static_cast<uint64_t>(wish.size.Count());
    const std::optional<uint64_t> largest =
        LargestBuffer(wish.type, static_cast<uint32_t>(wish.ranks.size()), bytes);
    if (!largest || size == 0 || *largest <= size + size / 100)
    {
        return std::nullopt;
    }
    return FileExcess{.source = source,
                      .type = wish.type,
                      .called = wish.size,
                      .carried = Bytes(static_cast<int64_t>(bytes)),
                      .enough = Bytes(static_cast<int64_t>(*largest))};
}

} // namespace

std::optional<uint64_t>
LargestBuffer(CollectiveType type, uint32_t ranks, uint64_t bytes)
{
    // The least that the messages of p ranks carry together for a buffer of S bytes, solved for S.
    // In a broadcast each of the p-1 others gets S. In an all-gather or all-to-all each of p ranks
    // gets S less a p-th. Both come to (p-1) S, and so do a reduce and a reduce-scatter, which are
    // reverses. An all-reduce is a reduction and its distribution: 2 (p-1) S. In a gather or
    // scatter the root's buffer moves but for its own part: (p-1)/p S.
    const uint64_t others = ranks - 1;
    switch (type)
    {
    case CollectiveType::AllReduce:
        return bytes / (2 * others);
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        return Scale(bytes, ranks, others);
    case CollectiveType::Barrier:
        return std::nullopt;
    default:
        return bytes / others;
    }
}

FileProgram
ReadTraceProgram(const std::string& pattern, bool isScaled)
{
    Workload read = ReadTraces({.pattern = pattern, .ranks = std::nullopt});
    CheckNodes(read);
    if (read.RankCount() < 2)
    {
        throw ConfigError(pattern,
                          "a collective has two ranks or more; write {rank} where the "
                          "names of its traces differ");
    }
    // Shared with `make` below, which is called after this function has returned.
    const auto traces = std::make_shared<const TraceCollective>(std::move(read));
    const uint64_t bytes = traces->BytesSent();
    // The order of steps is the same for every type and size, so any of them serves for this.
    const std::optional<ProgramFault> fault =
        FindOrderFault(traces->Make(CollectiveType::AllReduce, 1, 1));
    if (fault)
    {
        throw ConfigError(pattern, fault->what);
    }
    return {.source = pattern,
            .ranks = traces->RankCount(),
            .type = std::nullopt,
            .make =
                [traces, pattern, bytes, isScaled](const ProgramWish& wish)
            {
                const uint64_t written = FindWrittenSize(pattern, wish, bytes, isScaled);
                const auto size = static_cast<uint64_t>(wish.size.Count());
                return traces->Make(wish.type, size, written);
            },
            .findExcess = [pattern, bytes, isScaled](const ProgramWish& wish)
            { return isScaled ? std::nullopt : FindExcess(pattern, wish, bytes); },
            .isProven = false};
}

} // namespace nadi
