// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-times/fuse-edit.h"

#include "common/error.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/host/kernel-launches.h"
#include "workload/what-if/kernel-pattern.h"
#include "workload/what-if/kernel-times/kernel-fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint32_t NOTHING = UINT32_MAX;

/// What was fused, over all graphs.
struct FuseTally
{
    uint64_t before = 0;
    uint64_t after = 0;
    uint64_t assumed = 0; ///< of those after, with bytes that sizes do not tell
};

/// The kernels of a graph that follow each other.
class NeighbourFinder
{
  public:
    NeighbourFinder(const ExecutionGraph& graph, const std::vector<bool>& fits)
        : m_graph(graph)
        , m_fits(fits)
        , m_parents(FindParents(graph))
    {
    }

    /// By index of their last one: chains of two kernels or more, in their order.
    std::map<uint32_t, std::vector<uint32_t>> FindChains() const
    {
        const std::vector<uint32_t> next = FindNext();
        std::vector<bool> isNext(m_graph.NodeCount(), false);
        for (const uint32_t node : next)
        {
            if (node != NOTHING)
            {
                isNext[node] = true;
            }
        }
        std::map<uint32_t, std::vector<uint32_t>> chains;
        // A chain begins at a kernel that has a next one and is the next of none. Every kernel has
        // at most one next and is the next of at most one, so chains share no kernel.
        for (uint32_t first = 0; first < m_graph.NodeCount(); ++first)
        {
            if (isNext[first] || next[first] == NOTHING)
            {
                continue;
            }
            std::vector<uint32_t> chain{first};
            while (next[chain.back()] != NOTHING)
            {
                chain.push_back(next[chain.back()]);
            }
            chains[chain.back()] = std::move(chain);
        }
        return chains;
    }

    const std::vector<std::vector<uint32_t>>& Parents() const
    {
        return m_parents;
    }

  private:
    bool IsOfHost(uint32_t node) const
    {
        return m_graph.Node(node).isCpu;
    }

    /// The kernel that goes on with the work of each; NOTHING: none may be fused with it.
    std::vector<uint32_t> FindNext() const
    {
        std::vector<uint32_t> next(m_graph.NodeCount(), NOTHING);
        std::map<uint32_t, uint32_t> lastOfStream;
        for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
        {
            if (IsOfHost(node))
            {
                continue;
            }
            const uint32_t stream = m_graph.Node(node).stream;
            // Without streams only dependencies say what follows what. On a stream its order does.
            const uint32_t before =
                stream == 0 ? FindOnlyUse(node) : FindLast(lastOfStream, stream);
            if (before != NOTHING && MayFuse(before, node))
            {
                next[before] = node;
            }
            // Also what is no kernel: a call on the stream stands between the kernels beside it.
            lastOfStream[stream] = node;
        }
        return next;
    }

    static uint32_t FindLast(const std::map<uint32_t, uint32_t>& lastOfStream, uint32_t stream)
    {
        const auto found = lastOfStream.find(stream);
        return found == lastOfStream.end() ? NOTHING : found->second;
    }

    /// The last kernel without a stream for which nothing but `node` waits.
    uint32_t FindOnlyUse(uint32_t node) const
    {
        uint32_t found = NOTHING;
        for (const uint32_t parent : m_parents[node])
        {
            // `node` is a child of the parent, so a single child is `node`.
            if (m_fits[parent] && m_graph.Node(parent).stream == 0 &&
                m_graph.Children(parent).size() == 1)
            {
                found = parent;
            }
        }
        return found;
    }

    bool MayFuse(uint32_t one, uint32_t other) const
    {
        // What waits for the first alone could not start before the whole is done.
        const bool isUsedByOther = std::ranges::any_of(
            m_graph.Children(one), [other](uint32_t child) { return child != other; });
        // A call, message or access to memory that the second waits for comes between both. A fused
        // kernel would have to wait for it before the first part.
        const bool waitsForOther = std::ranges::any_of(
            m_parents[other],
            [this](uint32_t parent) { return m_graph.Node(parent).type != NodeType::Compute; });
        return m_fits[one] && m_fits[other] && !isUsedByOther && !waitsForOther;
    }

    const ExecutionGraph& m_graph;
    const std::vector<bool>& m_fits;
    std::vector<std::vector<uint32_t>> m_parents;
};

/// One kernel in the place of a chain.
NodeCopy
FuseChain(const ExecutionGraph& graph,
          const std::vector<uint32_t>& chain,
          KernelTimer& timer,
          FuseTally& tally)
{
    std::vector<NodeCopy> parts;
    for (const uint32_t node : chain)
    {
        parts.push_back(CopyNode(graph, node));
    }
    FusedKernel fused = FuseKernels(parts);
    fused.whole.node.durationPs = timer.TimeFused(parts, fused.whole);
    tally.before += chain.size();
    ++tally.after;
    tally.assumed += fused.isTrafficAssumed ? 1 : 0;
    return std::move(fused.whole);
}

ExecutionGraph
FuseGraph(const ExecutionGraph& graph,
          const std::vector<bool>& fits,
          KernelTimer& timer,
          FuseTally& tally)
{
    const NeighbourFinder finder(graph, fits);
    const std::map<uint32_t, std::vector<uint32_t>> chains = finder.FindChains();
    std::vector<bool> isRemoved(graph.NodeCount(), false);
    for (const auto& [last, chain] : chains)
    {
        for (size_t part = 0; part + 1 < chain.size(); ++part)
        {
            isRemoved[chain[part]] = true;
        }
    }
    AddLaunches(graph, finder.Parents(), isRemoved);
    return ChangeNodesWithout(graph,
                              isRemoved,
                              [&](uint32_t node, NodeCopy& copy)
                              {
                                  if (const auto chain = chains.find(node); chain != chains.end())
                                  {
                                      copy = FuseChain(graph, chain->second, timer, tally);
                                  }
                              });
}

std::vector<std::string>
DescribeFusion(const std::string& pattern, const FuseTally& tally)
{
    std::vector<std::string> notes{
        fmt::format("{} kernels whose names fit \"{}\" are fused to {}, counted in the graphs that "
                    "ranks share",
                    tally.before,
                    pattern,
                    tally.after)};
    if (tally.assumed > 0)
    {
        notes.push_back(fmt::format("The sizes of {} of these do not tell what one kernel writes "
                                    "and the next reads: the larger bytes of both stay",
                                    tally.assumed));
    }
    return notes;
}

} // namespace

FuseEdit
FuseNeighbours(Workload job, const std::string& pattern, KernelTimer& timer)
{
    KernelPattern kernels("fuse", pattern);
    FuseTally tally;
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = FuseGraph(graph, kernels.FindIn(graph), timer, tally);
    }
    kernels.CheckFit();
    if (tally.after == 0)
    {
        throw ConfigError("what-if: fuse",
                          fmt::format("no two kernels whose names fit \"{}\" follow each other on "
                                      "a stream with nothing between them and nothing else that "
                                      "waits for the first; write a pattern that fits neighbours",
                                      pattern));
    }
    return {std::move(job), DescribeFusion(pattern, tally)};
}

} // namespace nadi
