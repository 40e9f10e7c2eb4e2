// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/slice-selection.h"

#include "common/error.h"
#include "workload/document/recorded-clock.h"
#include "workload/tools/editing/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

constexpr int64_t NO_START = std::numeric_limits<int64_t>::max();
constexpr int64_t BEFORE_ALL = std::numeric_limits<int64_t>::min();

/// The same numbers in ranges that are ascending and apart from each other, for a binary search:
/// a list of nodes may have as many ranges as a trace has nodes.
std::vector<WholeRange>
MergeRanges(std::vector<WholeRange> ranges)
{
    std::ranges::sort(ranges, {}, &WholeRange::first);
    std::vector<WholeRange> merged;
    for (const WholeRange& range : ranges)
    {
        if (!merged.empty() && range.first <= merged.back().last)
        {
            merged.back().last = std::max(merged.back().last, range.last);
            continue;
        }
        merged.push_back(range);
    }
    return merged;
}

bool
NeedsStarts(const SliceConditions& conditions)
{
    return conditions.fromNanos || conditions.toNanos;
}

/// Selects the nodes of one rank after the other.
///
/// Conditions on types, ids and iterations are applied to one document at a time. Those on times
/// come last, as they need the first start of all ranks. No document is kept: of each there are
/// only the marks, and the starts where times are asked for.
class NodeSelector
{
  public:
    NodeSelector(const TraceJob& job, const SliceConditions& conditions)
        : m_job(job)
        , m_conditions(conditions)
        , m_ids(MergeRanges(conditions.nodes))
    {
    }

    SliceSelection Select()
    {
        CheckRanks();
        SliceSelection selection;
        m_starts.resize(m_job.RankCount());
        for (uint32_t rank = 0; rank < m_job.RankCount(); ++rank)
        {
            // A rank that is cut off has no marks. Of a rank that stays, all may be false.
            selection.keep.push_back(IsRankKept(rank) ? SelectOf(rank, selection.notes)
                                                      : std::vector<bool>());
        }
        // The first start of all ranks is known only when all of them have been read.
        if (NeedsStarts(m_conditions))
        {
            CutTimes(selection);
        }
        return selection;
    }

  private:
    void CheckRanks() const
    {
        for (const uint32_t rank : m_conditions.ranks)
        {
            if (rank >= m_job.RankCount())
            {
                throw ConfigError("--ranks",
                                  fmt::format("there is no rank {}; the traces are of ranks 0..{}",
                                              rank,
                                              m_job.RankCount() - 1));
            }
        }
    }

    bool IsRankKept(uint32_t rank) const
    {
        return m_conditions.ranks.empty() || std::ranges::binary_search(m_conditions.ranks, rank);
    }

    bool IsMeant(const Node& node) const
    {
        const bool hasType = m_conditions.types.empty() || m_conditions.types.contains(node.type());
        return hasType && (m_ids.empty() || HoldsId(node.id()));
    }

    bool HoldsId(uint64_t id) const
    {
        // The ranges do not overlap, so only the last one that begins at or before the id can hold
        // it.
        const auto after = std::ranges::upper_bound(m_ids, id, {}, &WholeRange::first);
        return after != m_ids.begin() && std::prev(after)->Contains(id);
    }

    std::vector<bool> SelectOf(uint32_t rank, std::vector<std::string>& notes)
    {
        // The graph knows neither starts nor the attribute of iterations.
        const TraceDocument document = m_job.ReadRank(rank);
        const RecordedClock clock(document);
        m_firstStart = std::min(m_firstStart, clock.Begin());
        std::vector<bool> keep;
        for (const Node& node : document.nodes)
        {
            keep.push_back(IsMeant(node));
            if (NeedsStarts(m_conditions))
            {
                // A node without a recorded start counts as if it had started at the first
                // start of all ranks.
                m_starts[rank].push_back(clock.HasStart(node) ? ClockStart(node) : BEFORE_ALL);
            }
        }
        if (m_conditions.iterations)
        {
            CutIterations(document, m_job.GraphOf(rank), keep, notes);
        }
        return keep;
    }

    void CutIterations(const TraceDocument& document,
                       const ExecutionGraph& graph,
                       std::vector<bool>& keep,
                       std::vector<std::string>& notes) const
    {
        const Iterations iterations = FindIterations(document, graph);
        const WholeRange& range = *m_conditions.iterations;
        const auto first = static_cast<uint64_t>(std::max<int64_t>(iterations.first, 0));
        const auto last = static_cast<uint64_t>(std::max<int64_t>(iterations.last, 0));
        // The range is not cut down to what this rank has: slices of different ranks would then be
        // of different iterations.
        if (range.first < first || range.last > last)
        {
            throw ConfigError(graph.Source(),
                              fmt::format("has iterations {} to {} ({}), not {} to {}",
                                          first,
                                          last,
                                          iterations.found,
                                          range.first,
                                          range.last));
        }
        // Ranks are mostly alike, so there is a note on the first one only.
        if (notes.empty())
        {
            notes.push_back(
                fmt::format("iterations {} to {} are found {}", first, last, iterations.found));
        }
        for (size_t index = 0; index < keep.size(); ++index)
        {
            const int64_t iteration = iterations.ofNode[index];
            keep[index] = keep[index] && iteration != Iterations::BEFORE &&
                          range.Contains(static_cast<uint64_t>(iteration));
        }
    }

    void CheckStarts() const
    {
        if (m_firstStart == NO_START)
        {
            throw ConfigError(m_job.files.front(),
                              "records no starts of nodes, so it cannot be cut by time; cut it by "
                              "--iterations or --nodes");
        }
    }

    void CutTimes(SliceSelection& selection) const
    {
        CheckStarts();
        const int64_t from = m_conditions.fromNanos.value_or(0);
        const int64_t to = m_conditions.toNanos.value_or(NO_START);
        for (uint32_t rank = 0; rank < m_job.RankCount(); ++rank)
        {
            std::vector<bool>& keep = selection.keep[rank];
            for (size_t index = 0; index < keep.size(); ++index)
            {
                const int64_t start = std::max(m_starts[rank][index], m_firstStart) - m_firstStart;
                keep[index] = keep[index] && from <= start && start < to;
            }
        }
    }

    const TraceJob& m_job;
    const SliceConditions& m_conditions;
    const std::vector<WholeRange> m_ids;        // of nodes that are kept; empty: all
    std::vector<std::vector<int64_t>> m_starts; // [rank][place in the document]
    int64_t m_firstStart = NO_START;            // of all ranks
};

} // namespace

SliceSelection
SelectNodes(const TraceJob& job, const SliceConditions& conditions)
{
    return NodeSelector(job, conditions).Select();
}

} // namespace nadi
