// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/kept-activations.h"

#include "workload/what-if/kernel-times/kernel-tensors.h"
#include "workload/what-if/memory/call-roles-of-rank.h"
#include "workload/what-if/memory/kept-parameters.h"
#include "workload/what-if/memory/layer-recomputation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

bool
IsForwardAttention(const KernelLaunch& kernel)
{
    return kernel.op == KernelOp::AttentionForward || kernel.op == KernelOp::AttentionPrefill;
}

/// What the tasks of a list have written so far.
struct WrittenSoFar
{
    uint64_t bytes = 0;
    uint64_t last = 0;      ///< what the last kernel wrote
    uint64_t toScatter = 0; ///< what the last kernel but attention wrote
    uint64_t round = 0;     ///< the result of an attention, which further rounds add to
    uint64_t gathered = 0;  ///< what the tensor group gathered behind the last kernel
    bool hasRing = false;
};

/// What the passes of one rank write.
class ActivationReader
{
  public:
    ActivationReader(const Workload& job, const JobStructure& structure, const RankStructure& rank)
        : m_job(job)
        , m_structure(structure)
        , m_rank(rank)
        , m_graph(job.GraphOf(RankId{rank.rank}))
        , m_roles(job, structure, rank.rank)
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
        m_isRecomputed = ComputesLayersAgain(m_graph, m_rank);
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
        if (m_hasProducts && !m_hasPointwise)
        {
            text += "; no kernel is a norm or an activation function, so what these write is "
                    "missing";
        }
        return text;
    }

    static bool RunsOnAccelerator(const ExecutionNode& node)
    {
        return node.type == NodeType::Compute && !node.isCpu;
    }

    uint64_t BytesOf(const KernelLaunch& kernel, uint64_t numbers) const
    {
        const uint64_t size = SizeOf(kernel.type);
        return numbers * (size > 0 ? size : m_numberSize);
    }

    /// Keys and values go around a ring of ranks, and each round of the attention adds to one
    /// result. Behind a product, another attention begins.
    void AddKernel(const KernelLaunch& kernel, WrittenSoFar& written)
    {
        written.last = BytesOf(kernel, CountWritten(kernel));
        const bool isRound = written.hasRing && IsForwardAttention(kernel);
        const uint64_t before = isRound ? written.round : 0;
        written.bytes += std::max(written.last, before) - before;
        written.round = isRound                      ? std::max(written.last, before)
                        : IsProductOfWeights(kernel) ? 0
                                                     : written.round;
        // A task may name attention behind the product that follows it.
        written.toScatter = IsForwardAttention(kernel) ? written.toScatter : written.last;
        m_hasProducts |= IsProductOfWeights(kernel);
        m_hasPointwise |= kernel.op == KernelOp::Norm || kernel.op == KernelOp::Elementwise;
    }

    void AddKernels(uint32_t task, WrittenSoFar& written)
    {
        const ExecutionNode& node = m_graph.Node(task);
        uint64_t sizes = 0;
        for (const KernelLaunch& kernel : m_graph.KernelsOf(node))
        {
            AddKernel(kernel, written);
            sizes += written.last;
        }
        if (sizes == 0)
        {
            // Sets, as the notes count tasks, and a task may be asked for more than once.
            (node.size > 0 ? m_withoutSizes : m_silent).insert(task);
            written.bytes += node.size / 2;
            written.last = node.size / 2;
            written.toScatter = node.size / 2;
        }
    }

    /// With sequence parallelism a tensor group sums what a product wrote, and each rank keeps its
    /// part of the tokens.
    void Scatter(const ExecutionNode& call, WrittenSoFar& written) const
    {
        const bool isOfLast = call.collective == CollectiveType::ReduceScatter &&
                              call.size == written.toScatter &&
                              m_roles.Has(call, GroupRole::Tensor);
        if (isOfLast)
        {
            written.bytes -= call.size - call.size / m_roles.CountRanks(call);
            written.toScatter = 0;
        }
    }

    void Gather(const ExecutionNode& call, WrittenSoFar& written) const
    {
        if (call.collective == CollectiveType::AllGather && m_roles.Has(call, GroupRole::Tensor))
        {
            written.gathered = call.size * m_roles.CountRanks(call);
        }
    }

    /// With sequence parallelism blocks gather their inputs again backward, and so do not keep
    /// them. Experts do not gather them again.
    void KeepGathered(uint32_t task, WrittenSoFar& written) const
    {
        const std::vector<KernelLaunch>& kernels = m_graph.KernelsOf(m_graph.Node(task));
        const bool isOfExperts = !kernels.empty() && kernels.front().op == KernelOp::GroupedGemm;
        written.bytes += isOfExperts ? written.gathered : 0;
        written.gathered = 0;
    }

    uint64_t WrittenBy(const TaskList& tasks, WrittenSoFar written)
    {
        for (const uint32_t task : tasks)
        {
            const ExecutionNode& node = m_graph.Node(task);
            if (RunsOnAccelerator(node))
            {
                KeepGathered(task, written);
                AddKernels(task, written);
            }
            else if (node.type == NodeType::Collective)
            {
                Scatter(node, written);
                Gather(node, written);
            }
        }
        return written.bytes;
    }

    bool IsReceive(uint32_t task) const
    {
        return m_graph.Node(task).type == NodeType::Receive;
    }

    /// Nothing: the rank that a message comes from was not recorded.
    std::optional<uint32_t> StageOfSender(const ExecutionNode& receive) const
    {
        const uint32_t sender = m_job.rankOfPeer.empty()
                                    ? receive.peer
                                    : m_job.rankOfPeer[m_rank.rank][receive.peer].value;
        const auto rank =
            std::ranges::lower_bound(m_structure.ranks, sender, {}, &RankStructure::rank);
        const bool isRecorded = rank != m_structure.ranks.end() && rank->rank == sender;
        return isRecorded ? std::optional(rank->stage) : std::nullopt;
    }

    /// What a layer receives from its own stage are keys and values of other ranks. It does not
    /// keep them: they come around once more in the backward pass.
    bool IsOfRing(uint32_t task) const
    {
        return IsReceive(task) &&
               StageOfSender(m_graph.Node(task)).value_or(m_rank.stage) == m_rank.stage;
    }

    uint64_t WrittenByLayer(const LayerPass& layer)
    {
        const bool hasRing =
            std::ranges::any_of(layer.tasks, [this](uint32_t task) { return IsOfRing(task); });
        uint64_t received = 0;
        for (const uint32_t task : layer.tasks)
        {
            received += IsReceive(task) && !IsOfRing(task) ? m_graph.Node(task).size : 0;
        }
        return received + WrittenBy(layer.tasks, {.hasRing = hasRing});
    }

    /// What comes from another stage is what the first layer takes in, and is kept like what
    /// kernels write.
    uint64_t WrittenOutside(const TaskList& tasks)
    {
        uint64_t received = 0;
        for (const uint32_t task : tasks)
        {
            received += IsReceive(task) ? m_graph.Node(task).size : 0;
        }
        return received + WrittenBy(tasks, {});
    }

    /// What the last kernel of a layer writes; 0: it has none.
    uint64_t WrittenLast(const LayerPass& layer)
    {
        for (auto task = layer.tasks.rbegin(); task != layer.tasks.rend(); ++task)
        {
            if (RunsOnAccelerator(m_graph.Node(*task)))
            {
                WrittenSoFar written;
                AddKernels(*task, written);
                return written.last;
            }
        }
        return 0;
    }

    /// What the first kernel of a layer reads, or what its tensor group gathers for it; 0: unknown.
    uint64_t ReadFirst(const LayerPass& layer) const
    {
        for (const uint32_t task : layer.tasks)
        {
            const ExecutionNode& node = m_graph.Node(task);
            if (RunsOnAccelerator(node))
            {
                const std::vector<KernelLaunch>& kernels = m_graph.KernelsOf(node);
                return kernels.empty() ? 0 : BytesOf(kernels.front(), CountRead(kernels.front()));
            }
            if (node.type == NodeType::Collective && node.collective == CollectiveType::AllGather &&
                m_roles.Has(node, GroupRole::Tensor))
            {
                return node.size;
            }
        }
        return 0;
    }

    /// What one layer hands to the next. The last product may write more, as that of experts
    /// writes a row for each expert of a token, and their sum is handed on. The first kernel may
    /// read more, where it reads in a wider type.
    uint64_t BeginOf(const LayerPass& layer)
    {
        const uint64_t last = WrittenLast(layer);
        const uint64_t first = ReadFirst(layer);
        return first > 0 && last > 0 ? std::min(first, last) : std::max(first, last);
    }

    uint64_t KeptOf(const LayerRunPass& pass)
    {
        // What is outside of layers is kept in either case.
        const uint64_t before = WrittenOutside(pass.before);
        const uint64_t after = WrittenOutside(pass.after);
        if (m_isRecomputed && !pass.layers.empty())
        {
            return KeptBegins(pass, before) + after;
        }
        uint64_t bytes = before + after;
        for (const LayerPass& layer : pass.layers)
        {
            bytes += WrittenByLayer(layer);
        }
        return bytes;
    }

    /// What the layers of a pass begin with, and its head. `before`: what is written or received
    /// before the layers, of which the first one begins with a part or all.
    /// Requires: there is a layer.
    uint64_t KeptBegins(const LayerRunPass& pass, uint64_t before)
    {
        uint64_t bytes = std::max(before, BeginOf(pass.layers.front()));
        for (size_t layer = 1; layer < pass.layers.size(); ++layer)
        {
            bytes += BeginOf(pass.layers[layer]);
        }
        const bool hasHead = std::ranges::any_of(
            pass.after, [this](uint32_t task) { return RunsOnAccelerator(m_graph.Node(task)); });
        return bytes + (hasHead ? BeginOf(pass.layers.back()) : 0);
    }

    uint64_t FindLargestLayer()
    {
        uint64_t most = 0;
        for (const LayerRunPass& pass : m_rank.passes)
        {
            for (const LayerPass& layer : pass.layers)
            {
                most = std::max(most, pass.isForward ? WrittenByLayer(layer) : 0);
            }
            if (pass.isForward && most > 0)
            {
                break; // others are alike
            }
        }
        return most;
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

    const Workload& m_job;
    const JobStructure& m_structure;
    const RankStructure& m_rank;
    const ExecutionGraph& m_graph;
    CallRolesOfRank m_roles;
    uint64_t m_numberSize = 2;
    bool m_isRecomputed = false;
    size_t m_mostPasses = 0;
    bool m_hasProducts = false;
    bool m_hasPointwise = false;
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
