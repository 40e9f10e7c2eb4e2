// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/partial-iterations.h"

#include "workload/tools/structure/task-order.h"
#include "workload/tools/structure/task-signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Returns a sentence, or an empty text, as all functions below that return a text.
std::string
FindUnequalPasses(const RankStructure& rank)
{
    std::map<uint32_t, std::set<size_t>> layersOfChunks;
    for (const LayerRunPass& pass : rank.passes)
    {
        layersOfChunks[pass.chunk].insert(pass.layers.size());
    }
    for (const auto& [chunk, layers] : layersOfChunks)
    {
        if (layers.size() > 1)
        {
            return fmt::format("Rank {}: its passes go through {} to {} layers. The trace may hold "
                               "several models, or begin or end within an iteration; `nadi trace "
                               "slice` takes parts.",
                               rank.rank,
                               *layers.begin(),
                               *layers.rbegin());
        }
    }
    return "";
}

std::string
FindUnequalIterations(const JobStructure& structure, const RankStructure& rank)
{
    std::map<int64_t, std::pair<size_t, size_t>> counts; // of passes forward and backward
    for (const LayerRunPass& pass : rank.passes)
    {
        auto& [forward, backward] = counts[pass.iteration];
        ++(pass.isForward ? forward : backward);
    }
    for (const auto& [iteration, passes] : counts)
    {
        if (passes != counts.begin()->second)
        {
            return fmt::format("Rank {}: iterations have different numbers of passes; the first or "
                               "the last may be partial. `nadi trace slice` takes whole ones.",
                               rank.rank);
        }
        if (structure.hasBackward && passes.first != passes.second)
        {
            return fmt::format("Rank {}: {} passes go forward and {} backward, so the trace begins "
                               "or ends within an iteration; `nadi trace slice` takes whole ones.",
                               rank.rank,
                               passes.first,
                               passes.second);
        }
    }
    return "";
}

/// Tells whether a rank's first or last layer is a part of another one.
class LayerParts
{
  public:
    LayerParts(const ExecutionGraph& graph, const RankStructure& rank)
        : m_graph(graph)
        , m_rank(rank)
    {
    }

    /// A layer with which the trace begins or ends, and of which there are longer ones.
    std::string FindCut()
    {
        const LayerRunPass& first = m_rank.passes.front();
        const LayerRunPass& last = m_rank.passes.back();
        // Requires: the whole is not shorter than the part. IsPartOfOther sees to that.
        const auto isEndOf = [](const Signatures& part, const Signatures& whole)
        { return std::equal(part.rbegin(), part.rend(), whole.rbegin()); };
        const auto isBeginOf = [](const Signatures& part, const Signatures& whole)
        { return std::equal(part.begin(), part.end(), whole.begin()); };
        // A trace that begins or ends with kernels outside of layers was not cut within one.
        // Kernels are looked at first, as signatures are only computed where they do not decide.
        if (!HasKernel(m_rank.head) && !HasKernel(first.before) &&
            IsPartOfOther(first.isForward, first.layers.front(), isEndOf))
        {
            return Describe("begins within a layer");
        }
        if (!HasKernel(m_rank.optimizer) && !HasKernel(last.after) &&
            IsPartOfOther(last.isForward, last.layers.back(), isBeginOf))
        {
            return Describe("ends within a layer");
        }
        return "";
    }

  private:
    using Signatures = std::vector<TaskSignature>;

    Signatures SignaturesOf(const LayerPass& layer)
    {
        // All tasks of the rank are signed together, as ComputeSignatures decides over all of them
        // whether digits in names count.
        if (m_signatureOf.empty())
        {
            const Signatures all = ComputeSignatures(m_graph, m_rank.tasks);
            for (size_t place = 0; place < all.size(); ++place)
            {
                m_signatureOf.emplace(m_rank.tasks[place], all[place]);
            }
        }
        Signatures signatures;
        for (const uint32_t task : layer.tasks)
        {
            signatures.push_back(m_signatureOf.at(task));
        }
        return signatures;
    }

    bool HasKernel(const TaskList& tasks) const
    {
        return std::ranges::any_of(
            tasks, [this](uint32_t task) { return IsKernelTask(m_graph.Node(task)); });
    }

    /// Of a longer layer of the same direction. A layer without tasks, which would fit all others,
    /// counts as a part of none.
    template <typename IsPart>
    bool IsPartOfOther(bool isForward, const LayerPass& layer, IsPart isPart)
    {
        const Signatures part = SignaturesOf(layer);
        for (const LayerRunPass& pass : m_rank.passes)
        {
            for (const LayerPass& other : pass.layers)
            {
                const bool isLonger =
                    pass.isForward == isForward && other.tasks.size() > part.size();
                if (isLonger && !part.empty() && isPart(part, SignaturesOf(other)))
                {
                    return true;
                }
            }
        }
        return false;
    }

    std::string Describe(const char* where) const
    {
        return fmt::format("Rank {}: the trace {}, and so within an iteration; `nadi trace slice` "
                           "takes whole ones.",
                           m_rank.rank,
                           where);
    }

    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    std::unordered_map<uint32_t, TaskSignature> m_signatureOf; // empty: not computed yet
};

/// The places among the tasks of a rank at which its iterations begin: with their first layer that
/// has tasks. They ascend, as passes stand in the order of the program.
std::vector<size_t>
FindBegins(const RankStructure& rank, const std::unordered_map<uint32_t, size_t>& places)
{
    std::vector<size_t> begins;
    std::optional<int64_t> iteration;
    for (const LayerRunPass& pass : rank.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            if (iteration != pass.iteration && !layer.tasks.empty())
            {
                begins.push_back(places.at(layer.tasks.front()));
                iteration = pass.iteration;
            }
        }
    }
    return begins;
}

/// By iteration: how many kernels the optimizer has behind its passes.
std::vector<size_t>
CountOptimizerKernels(const ExecutionGraph& graph, const RankStructure& rank)
{
    std::unordered_map<uint32_t, size_t> places;
    for (const uint32_t task : rank.tasks)
    {
        places.emplace(task, places.size());
    }
    // RankStructure::optimizer lists the tasks of all iterations together. The place of a task
    // among all tasks tells the iteration.
    const std::vector<size_t> begins = FindBegins(rank, places);
    std::vector<size_t> kernels(begins.size());
    for (const uint32_t task : rank.optimizer)
    {
        const auto begun = std::ranges::upper_bound(begins, places.at(task)) - begins.begin();
        if (begun > 0 && IsKernelTask(graph.Node(task)))
        {
            ++kernels[static_cast<size_t>(begun) - 1];
        }
    }
    return kernels;
}

/// A single iteration has no other one whose optimizer it could be compared with.
std::string
FindCutOptimizer(const ExecutionGraph& graph, const RankStructure& rank)
{
    if (rank.passes.front().iteration == rank.passes.back().iteration)
    {
        return "";
    }
    const std::vector<size_t> kernels = CountOptimizerKernels(graph, rank);
    // Where another iteration lacks an optimizer too, nothing says that the last one was cut.
    const bool isCut = kernels.size() > 1 && kernels.back() == 0 &&
                       std::count(kernels.begin(), kernels.end(), 0U) == 1;
    return isCut ? fmt::format("Rank {}: the last of {} iterations has no optimizer, so the trace "
                               "ends within it; `nadi trace slice` takes whole ones.",
                               rank.rank,
                               kernels.size())
                 : "";
}

} // namespace

std::string
FindPartialIteration(const Workload& workload, const JobStructure& structure)
{
    for (const RankStructure& rank : structure.ranks)
    {
        if (rank.passes.empty())
        {
            continue; // as those that share the lists of another rank
        }
        const ExecutionGraph& graph = workload.GraphOf(RankId{rank.rank});
        for (const std::string& found : {FindUnequalPasses(rank),
                                         FindUnequalIterations(structure, rank),
                                         LayerParts(graph, rank).FindCut(),
                                         FindCutOptimizer(graph, rank)})
        {
            if (!found.empty())
            {
                return found;
            }
        }
    }
    return "";
}

} // namespace nadi
