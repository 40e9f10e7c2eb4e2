// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/kept-activations.h"

#include "workload/what-if/kernel-times/kernel-tensors.h"
#include "workload/what-if/memory/kept-parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

// A backward layer does twice the operations of a forward one, and three times if it does the
// forward ones once more.
constexpr double FULL_RECOMPUTATION = 2.9; // operations of a backward layer over a forward one

/// What the passes of one rank write.
class ActivationReader
{
  public:
    ActivationReader(const Workload& job, const JobStructure& structure, const RankStructure& rank)
        : m_structure(structure)
        , m_rank(rank)
        , m_graph(job.GraphOf(RankId{rank.rank}))
    {
        bool isAssumed = false;
        m_numberSize = FindNumberSize(m_graph, isAssumed);
    }

    MemoryPart Read()
    {
        if (!m_structure.hasBackward)
        {
            return {"activations", FindLargestLayer(), Describe("of the layer that writes most")};
        }
        m_isRecomputed = FindBackwardShare() >= FULL_RECOMPUTATION;
        const uint64_t most = FindMostKept();
        const uint64_t again = m_isRecomputed ? FindLargestLayer() : 0;
        return {"activations",
                most + again,
                Describe(fmt::format(
                    "of at most {} passes at a time{}",
                    m_mostPasses,
                    m_isRecomputed ? ": what their layers begin with, and one layer whole, as "
                                     "layers are computed again"
                                   : ""))};
    }

  private:
    std::string Describe(const std::string& which) const
    {
        std::string text = "what kernels write, " + which;
        if (!m_withoutSizes.empty())
        {
            text += fmt::format("; {} kernels without sizes are taken to write half of their bytes",
                                m_withoutSizes.size());
        }
        if (!m_silent.empty())
        {
            text += fmt::format("; {} kernels tell nothing and are missing", m_silent.size());
        }
        return text;
    }

    uint64_t WrittenBy(uint32_t task)
    {
        const ExecutionNode& node = m_graph.Node(task);
        // What comes from another stage is what the first layer takes in, and is kept like what
        // kernels write.
        if (node.type != NodeType::Compute || node.isCpu)
        {
            return node.type == NodeType::Receive ? node.size : 0;
        }
        uint64_t bytes = 0;
        for (const KernelLaunch& kernel : m_graph.KernelsOf(node))
        {
            const uint64_t size = SizeOf(kernel.type);
            bytes += CountWritten(kernel) * (size > 0 ? size : m_numberSize);
        }
        if (bytes == 0)
        {
            // Sets, as the notes count tasks, and a task may be asked for more than once.
            (node.size > 0 ? m_withoutSizes : m_silent).insert(task);
            return node.size / 2;
        }
        return bytes;
    }

    uint64_t WrittenBy(const TaskList& tasks)
    {
        uint64_t bytes = 0;
        for (const uint32_t task : tasks)
        {
            bytes += WrittenBy(task);
        }
        return bytes;
    }

    /// What the last kernel of a layer writes, which the next one begins with.
    uint64_t WrittenLast(const LayerPass& layer)
    {
        for (auto task = layer.tasks.rbegin(); task != layer.tasks.rend(); ++task)
        {
            if (m_graph.Node(*task).type == NodeType::Compute && !m_graph.Node(*task).isCpu)
            {
                const std::vector<KernelLaunch>& kernels = m_graph.KernelsOf(m_graph.Node(*task));
                const uint64_t size = kernels.empty() ? 0 : SizeOf(kernels.back().type);
                return kernels.empty()
                           ? WrittenBy(*task)
                           : CountWritten(kernels.back()) * (size > 0 ? size : m_numberSize);
            }
        }
        return 0;
    }

    uint64_t KeptOf(const LayerRunPass& pass)
    {
        // What is outside of layers is kept in either case.
        uint64_t bytes = WrittenBy(pass.before) + WrittenBy(pass.after);
        for (const LayerPass& layer : pass.layers)
        {
            bytes += m_isRecomputed ? WrittenLast(layer) : WrittenBy(layer.tasks);
        }
        return bytes;
    }

    uint64_t FindLargestLayer()
    {
        uint64_t most = 0;
        for (const LayerRunPass& pass : m_rank.passes)
        {
            for (const LayerPass& layer : pass.layers)
            {
                most = std::max(most, pass.isForward ? WrittenBy(layer.tasks) : 0);
            }
            if (pass.isForward && most > 0)
            {
                break; // others are alike
            }
        }
        return most;
    }

    /// Operations of all backward layers over those of all forward ones.
    double FindBackwardShare() const
    {
        double forward = 0;
        double backward = 0;
        for (const LayerKind& kind : m_rank.kinds)
        {
            (kind.isForward ? forward : backward) +=
                static_cast<double>(kind.operations) * static_cast<double>(kind.passes);
        }
        return forward == 0 ? 0 : backward / forward;
    }

    /// Passes that were begun and not gone back through, at most, in bytes.
    uint64_t FindMostKept()
    {
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> kept; // by micro-batch and chunk
        uint64_t now = 0;
        uint64_t most = 0;
        for (const LayerRunPass& pass : m_rank.passes)
        {
            if (pass.iteration > 0)
            {
                break; // the others are alike
            }
            const std::pair key{pass.microBatch, pass.chunk};
            if (pass.isForward)
            {
                // Kept from the forward pass of a micro-batch until it goes back through the same
                // chunk.
                now += kept[key] = KeptOf(pass);
                m_mostPasses = std::max(m_mostPasses, kept.size());
                most = std::max(most, now);
            }
            else if (const auto found = kept.find(key); found != kept.end())
            {
                now -= found->second;
                kept.erase(found);
            }
        }
        return most;
    }

    const JobStructure& m_structure;
    const RankStructure& m_rank;
    const ExecutionGraph& m_graph;
    uint64_t m_numberSize = 2;
    bool m_isRecomputed = false;
    size_t m_mostPasses = 0;
    std::set<uint32_t> m_withoutSizes;
    std::set<uint32_t> m_silent;
};

} // namespace

MemoryPart
FindKeptActivations(const Workload& job, const JobStructure& structure, const RankStructure& rank)
{
    return ActivationReader(job, structure, rank).Read();
}

} // namespace nadi
