// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/parameter-count.h"

#include "workload/what-if/kernel-times/kernel-tensors.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// What the kernels of the optimizer do in an iteration.
struct UpdateTraffic
{
    uint64_t numbers = 0; ///< that they update; 0: they do not say
    uint64_t bytes = 0;   ///< that they read and write
};

UpdateTraffic
ReadUpdates(const ExecutionGraph& graph, uint32_t iterations)
{
    UpdateTraffic traffic;
    for (const ExecutionNode& node : graph.Nodes())
    {
        for (const KernelLaunch& kernel : graph.KernelsOf(node))
        {
            if (kernel.op == KernelOp::Optimizer)
            {
                traffic.numbers += CountWritten(kernel);
                traffic.bytes += kernel.bytes;
            }
        }
    }
    const uint64_t parts = std::max<uint32_t>(iterations, 1);
    return {traffic.numbers / parts, traffic.bytes / parts};
}

/// The bytes of a gradient, as the optimizer reads it: it also reads and writes its states, and
/// writes the parameter. 0: its bytes are not those of such a step.
uint64_t
FindGradientBytes(const UpdateTraffic& traffic, uint64_t parameterBytes)
{
    const uint64_t others = 2 * STATE_BYTES + parameterBytes;
    if (traffic.numbers == 0 || traffic.bytes % traffic.numbers != 0 ||
        traffic.bytes / traffic.numbers <= others)
    {
        return 0;
    }
    const uint64_t bytes = traffic.bytes / traffic.numbers - others;
    const bool isSizeOfNumber = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    return isSizeOfNumber ? bytes : 0;
}

/// The right matrices of products of one kind in the forward passes of the first micro-batch.
uint64_t
CountInProducts(const ExecutionGraph& graph, const RankStructure& rank, KernelOp op)
{
    uint64_t numbers = 0;
    const auto add = [&](const TaskList& tasks)
    {
        for (const uint32_t task : tasks)
        {
            for (const KernelLaunch& kernel : graph.KernelsOf(graph.Node(task)))
            {
                // Grouped products multiply by a matrix for each expert.
                const uint64_t matrices = op == KernelOp::GroupedGemm ? kernel.batch : 1;
                numbers += kernel.op == op ? matrices * kernel.k * kernel.n : 0;
            }
        }
    };
    for (const LayerRunPass& pass : rank.passes)
    {
        // Forward passes of other micro-batches and iterations multiply by the same matrices.
        if (!pass.isForward || pass.microBatch > 0 || pass.iteration > 0)
        {
            continue;
        }
        add(pass.before);
        add(pass.after);
        for (const LayerPass& layer : pass.layers)
        {
            add(layer.tasks);
        }
    }
    return numbers;
}

ParameterGroup
GroupOf(const CopyTraffic& traffic, const std::string& where, uint64_t gradientSize)
{
    return {.where = where,
            .numbers = traffic.gradientBytes / gradientSize,
            .gradientBytes = traffic.gradientBytes,
            .parameterShards = traffic.ParameterShards(),
            .gradientShards = traffic.GradientShards(),
            .updatedShards = traffic.UpdatedShards()};
}

/// Counts the parameters of one rank by the best evidence that there is.
class ParameterCounter
{
  public:
    ParameterCounter(const ExecutionGraph& graph,
                     const RankStructure& rank,
                     const CopiesTraffic& traffic,
                     const UpdateTraffic& updates,
                     uint64_t numberSize)
        : m_graph(graph)
        , m_rank(rank)
        , m_traffic(traffic)
        , m_updated(updates.numbers)
        , m_numberSize(numberSize)
        , m_readSize(FindGradientBytes(updates, numberSize))
    {
    }

    /// Sums of gradients together with the optimizer tell how many bytes a gradient has. Sums
    /// alone, or the optimizer alone, need an assumption for that. Products come last: parameters
    /// that no product multiplies by are missing in them.
    ParameterCount Count() const
    {
        if (m_traffic.HasSums())
        {
            return m_updated > 0 ? CountByBoth() : CountBySums();
        }
        if (m_updated > 0)
        {
            return {.groups = {WholeGroup("", m_updated, UnsummedSize())},
                    .evidence = "numbers that the optimizer updates, as no gradients are summed",
                    .gradientEvidence = DescribeUnsummedSize()};
        }
        return CountByProducts();
    }

  private:
    static ParameterGroup
    WholeGroup(const std::string& where, uint64_t numbers, uint64_t gradientSize)
    {
        return {.where = where, .numbers = numbers, .gradientBytes = numbers * gradientSize};
    }

    /// Of a gradient that nobody sums.
    uint64_t UnsummedSize() const
    {
        return m_readSize > 0 ? m_readSize : m_numberSize;
    }

    std::string DescribeUnsummedSize() const
    {
        return fmt::format("{} B a number{}",
                           UnsummedSize(),
                           m_readSize > 0 ? ", as the optimizer reads them" : " (assumed)");
    }

    uint64_t CountInExperts() const
    {
        return CountInProducts(m_graph, m_rank, KernelOp::GroupedGemm);
    }

    std::vector<ParameterGroup> SummedGroups(uint64_t gradientSize) const
    {
        std::vector<ParameterGroup> groups;
        if (m_traffic.dense.gradientBytes > 0)
        {
            groups.push_back(GroupOf(m_traffic.dense, "", gradientSize));
        }
        if (m_traffic.experts.gradientBytes > 0)
        {
            groups.push_back(GroupOf(m_traffic.experts, " in experts", gradientSize));
        }
        return groups;
    }

    /// What the optimizer of the rank updates of groups.
    static uint64_t UpdatedOf(const std::vector<ParameterGroup>& groups)
    {
        uint64_t numbers = 0;
        for (const ParameterGroup& group : groups)
        {
            numbers += DivideUp(group.numbers, group.updatedShards);
        }
        return numbers;
    }

    /// The bytes of a gradient. 0: unknown, as the optimizer also updates experts that nobody sums
    /// and whose products name no shapes.
    uint64_t FindGradientSize() const
    {
        const uint64_t lone = m_traffic.HasLoneExperts() ? CountInExperts() : 0;
        if (lone >= m_updated || (m_traffic.HasLoneExperts() && lone == 0))
        {
            return 0;
        }
        // Shards are rounded up, and biases of experts are in no product, so the quotient may be a
        // little too small.
        const uint64_t summed = m_updated - lone;
        const uint64_t bytes = UpdatedOf(SummedGroups(1));
        return std::max<uint64_t>((bytes + summed / 2) / summed, 1);
    }

    ParameterCount CountByBoth() const
    {
        const uint64_t found = FindGradientSize();
        const uint64_t size = found > 0 ? found : UnsummedSize();
        const bool isAssumed = found == 0 && m_readSize == 0;
        ParameterCount count{.groups = SummedGroups(size),
                             .evidence = fmt::format("sums of gradients of {} B a number{}, as the "
                                                     "optimizer updates {}",
                                                     size,
                                                     isAssumed ? " (assumed)" : "",
                                                     m_updated)};
        const uint64_t summed = UpdatedOf(count.groups);
        if (m_traffic.HasLoneExperts() && summed < m_updated)
        {
            count.groups.push_back(WholeGroup(" in experts", m_updated - summed, size));
            count.evidence += "; the gradients of experts are summed by nobody";
        }
        return count;
    }

    ParameterCount CountBySums() const
    {
        ParameterCount count{.groups = SummedGroups(m_numberSize),
                             .evidence = fmt::format("sums of gradients, taken to have {} B a "
                                                     "number",
                                                     m_numberSize)};
        if (m_traffic.HasLoneExperts())
        {
            const uint64_t numbers = CountInExperts();
            count.groups.push_back(WholeGroup(" in experts", numbers, m_numberSize));
            count.evidence += numbers > 0
                                  ? "; experts, whose gradients nobody sums, by their products"
                                  : "; experts are missing: nobody sums their gradients, and "
                                    "their products name no shapes";
        }
        return count;
    }

    ParameterCount CountByProducts() const
    {
        const uint64_t numbers = CountInProducts(m_graph, m_rank, KernelOp::Gemm);
        if (numbers == 0)
        {
            return {.groups = {WholeGroup("", 0, m_numberSize)},
                    .evidence = "unknown and not counted: there are neither sums of gradients, nor "
                                "sizes of an optimizer, nor kernels that name their shapes"};
        }
        return {.groups = {WholeGroup("", numbers, m_numberSize)},
                .evidence = "matrices of the products of a forward pass, as there are neither sums "
                            "of gradients nor sizes of an optimizer; embeddings, norms and experts "
                            "are missing",
                .gradientEvidence = DescribeUnsummedSize()};
    }

    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    const CopiesTraffic& m_traffic;
    uint64_t m_updated;
    uint64_t m_numberSize;
    uint64_t m_readSize; // of a gradient, by the optimizer; 0: unknown
};

} // namespace

ParameterCount
CountParameters(const ExecutionGraph& graph,
                const RankStructure& rank,
                const CopiesTraffic& traffic,
                uint32_t iterations,
                uint64_t numberSize)
{
    const UpdateTraffic updates = ReadUpdates(graph, iterations);
    ParameterCount count = ParameterCounter(graph, rank, traffic, updates, numberSize).Count();
    count.updated = updates.numbers;
    return count;
}

} // namespace nadi
