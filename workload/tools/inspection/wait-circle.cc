// SPDX-License-Identifier: GPL-2.0-only
#include "workload/node-kind.h"
#include "workload/tools/inspection/checked-job.h"
#include "workload/tools/inspection/static-progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nadi
{

namespace
{

/// Nodes each of which waits for the next one, and the last for the first. Requires: `start` is not
/// done.
std::vector<RankNode>
FindCircle(const StaticProgress& progress, RankNode start)
{
    const auto key = [](RankNode at) { return std::pair(at.rank, at.node); };
    std::set<std::pair<uint32_t, uint32_t>> seen;
    RankNode at = start;
    // Every node that is left waits for another one that is left, so the walk meets itself.
    while (seen.insert(key(at)).second)
    {
        at = progress.FindBlocker(at);
    }
    // The walk may have begun outside of the circle. It stands on the circle now, and goes round
    // once.
    std::vector<RankNode> circle;
    do
    {
        circle.push_back(at);
        at = progress.FindBlocker(at);
    }
    while (!(at == circle.front()));
    return circle;
}

/// "rank 0 in node 5 "sum" (all-reduce), which waits for rank 1".
std::string
DescribeWait(const CheckedJob& job, RankNode waiting, RankNode next)
{
    const ExecutionGraph& graph = job.workload.GraphOf(RankId{waiting.rank});
    return fmt::format("rank {} waits in node {} \"{}\" ({}) for rank {}, which comes to node {} "
                       "\"{}\" only afterwards",
                       waiting.rank,
                       graph.Node(waiting.node).id,
                       graph.Name(waiting.node),
                       KindOf(graph.Node(waiting.node)),
                       next.rank,
                       job.workload.GraphOf(RankId{next.rank}).Node(next.node).id,
                       job.workload.GraphOf(RankId{next.rank}).Name(next.node));
}

} // namespace

void
FindWaitCircle(const CheckedJob& job, FindingList& findings)
{
    // A circle can be thousands of nodes long, which nobody would read.
    constexpr size_t mostWaits = 16;
    const StaticProgress progress(job);
    const std::optional<RankNode> left = progress.FindLeft();
    if (!left)
    {
        return;
    }
    const std::vector<RankNode> circle = FindCircle(progress, *left);
    std::string text;
    std::set<uint32_t> ranks;
    size_t waits = 0;
    for (size_t step = 0; step < circle.size(); ++step)
    {
        // Only these wait for another rank; the others follow from dependencies on one rank.
        if (progress.IsReady(circle[step]) && ++waits <= mostWaits)
        {
            text +=
                fmt::format("{}{}",
                            text.empty() ? "" : "; ",
                            DescribeWait(job, circle[step], circle[(step + 1) % circle.size()]));
        }
        ranks.insert(circle[step].rank);
    }
    findings.Add({.severity = Severity::Error,
                  .where = job.files[circle.front().rank],
                  .ranks = {ranks.begin(), ranks.end()},
                  .text = fmt::format("the ranks wait for each other in a circle, so that {} nodes "
                                      "would never be done: {}{}; put the calls in one order on "
                                      "all ranks",
                                      progress.LeftCount(),
                                      text,
                                      waits > mostWaits ? "; and so on" : ""),
                  .count = 0,
                  .nodes = {}});
}

} // namespace nadi
