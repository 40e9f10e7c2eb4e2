// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/kept-parameters.h"

#include "workload/what-if/kernel-times/kernel-tensors.h"
#include "workload/what-if/memory/copy-traffic.h"
#include "workload/what-if/memory/streamed-parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint64_t STATE_BYTES = 12; // an fp32 copy and two moments of it

uint64_t
DivideUp(uint64_t number, uint64_t parts)
{
    return number / parts + (number % parts == 0 ? 0 : 1);
}

/// The numbers that the optimizer updates in an iteration; 0: its kernels do not say.
uint64_t
CountUpdated(const ExecutionGraph& graph, uint32_t iterations)
{
    uint64_t numbers = 0;
    for (const ExecutionNode& node : graph.Nodes())
    {
        for (const KernelLaunch& kernel : graph.KernelsOf(node))
        {
            numbers += kernel.op == KernelOp::Optimizer ? CountWritten(kernel) : 0;
        }
    }
    return numbers / std::max<uint32_t>(iterations, 1);
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

/// Parameters of one kind that a rank works on, and in how many shards copies have them.
struct ParameterGroup
{
    std::string where; ///< " in experts"; "" of all else
    uint64_t numbers = 0;
    uint64_t gradientBytes = 0;
    uint32_t parameterShards = 1;
    uint32_t gradientShards = 1;
    uint32_t updatedShards = 1;
};

/// All of them, and how that is known.
struct ParameterCount
{
    std::vector<ParameterGroup> groups;
    std::string evidence;
};

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
                     uint64_t updated,
                     uint64_t numberSize)
        : m_graph(graph)
        , m_rank(rank)
        , m_traffic(traffic)
        , m_updated(updated)
        , m_numberSize(numberSize)
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
            return {{WholeGroup("", m_updated, m_numberSize)},
                    "numbers that the optimizer updates, as no gradients are summed"};
        }
        return CountByProducts();
    }

  private:
    static ParameterGroup
    WholeGroup(const std::string& where, uint64_t numbers, uint64_t gradientSize)
    {
        return {.where = where, .numbers = numbers, .gradientBytes = numbers * gradientSize};
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
        const uint64_t size = found > 0 ? found : m_numberSize;
        ParameterCount count{SummedGroups(size),
                             fmt::format("sums of gradients of {} B a number{}, as the optimizer "
                                         "updates {}",
                                         size,
                                         found > 0 ? "" : " (assumed)",
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
        ParameterCount count{
            SummedGroups(m_numberSize),
            fmt::format("sums of gradients, taken to have {} B a number", m_numberSize)};
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
            return {{WholeGroup("", 0, m_numberSize)},
                    "unknown and not counted: there are neither sums of gradients, nor sizes of an "
                    "optimizer, nor kernels that name their shapes"};
        }
        return {{WholeGroup("", numbers, m_numberSize)},
                "matrices of the products of a forward pass, as there are neither sums of "
                "gradients nor sizes of an optimizer; embeddings, norms and experts are missing"};
    }

    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    const CopiesTraffic& m_traffic;
    uint64_t m_updated;
    uint64_t m_numberSize;
};

std::string
DescribeShards(uint32_t shards)
{
    return shards > 1 ? fmt::format(", in {} shards", shards) : "";
}

MemoryPart
KeptParametersOf(const ParameterCount& count, uint64_t numberSize, bool isAssumed)
{
    MemoryPart part{"parameters", 0, ""};
    for (const ParameterGroup& group : count.groups)
    {
        part.bytes += DivideUp(group.numbers * numberSize, group.parameterShards);
        part.evidence += fmt::format("{}{} numbers of {} B{}{}{}",
                                     part.evidence.empty() ? "" : "; ",
                                     group.numbers,
                                     numberSize,
                                     isAssumed ? " (assumed)" : "",
                                     group.where,
                                     DescribeShards(group.parameterShards));
    }
    part.evidence += ": " + count.evidence;
    return part;
}

MemoryPart
KeptGradientsOf(const ParameterCount& count)
{
    MemoryPart part{"gradients", 0, ""};
    for (const ParameterGroup& group : count.groups)
    {
        part.bytes += DivideUp(group.gradientBytes, group.gradientShards);
        part.evidence += fmt::format("{}{} B{}{}",
                                     part.evidence.empty() ? "" : "; ",
                                     group.gradientBytes,
                                     group.where,
                                     DescribeShards(group.gradientShards));
    }
    return part;
}

/// Where one micro-batch goes through each copy, ZeRO 1 and 2 scatter gradients alike.
std::string
DescribeDoubtOfGradients(const ParameterCount& count)
{
    uint64_t cut = 0; // what ZeRO 2 would keep
    bool isCut = false;
    for (const ParameterGroup& group : count.groups)
    {
        isCut = isCut || group.gradientShards != group.updatedShards;
        cut += DivideUp(group.gradientBytes, group.updatedShards);
    }
    return isCut ? fmt::format("; a single micro-batch does not tell ZeRO 1, which is taken, from "
                               "ZeRO 2, with which a rank keeps {} B",
                               cut)
                 : "";
}

MemoryPart
KeptStatesOf(const ParameterCount& count, uint64_t updated)
{
    uint64_t states = updated; // a rank's own shard already
    for (const ParameterGroup& group : count.groups)
    {
        states += updated > 0 ? 0 : DivideUp(group.numbers, group.updatedShards);
    }
    return {"optimizer states",
            states * STATE_BYTES,
            fmt::format("{} numbers of an fp32 copy and two moments, {} B each (assumed), {}",
                        states,
                        STATE_BYTES,
                        updated > 0 ? "as its kernels update" : "of all parameters")};
}

} // namespace

uint64_t
FindNumberSize(const ExecutionGraph& graph, bool& isAssumed)
{
    std::map<uint64_t, uint64_t> kernels; // by size
    for (const ExecutionNode& node : graph.Nodes())
    {
        for (const KernelLaunch& kernel : graph.KernelsOf(node))
        {
            ++kernels[SizeOf(kernel.type)];
        }
    }
    // Kernels that do not say their type do not count.
    kernels.erase(0);
    isAssumed = kernels.empty();
    return isAssumed ? 2
                     : std::ranges::max_element(
                           kernels, {}, [](const auto& entry) { return entry.second; })
                           ->first;
}

std::vector<MemoryPart>
FindKeptParameters(const Workload& job, const JobStructure& structure, const RankStructure& rank)
{
    const ExecutionGraph& graph = job.GraphOf(RankId{rank.rank});
    if (auto streamed = FindStreamedParameters(graph, rank))
    {
        return std::move(*streamed);
    }
    const CopiesTraffic traffic = ReadCopyTraffic(job, structure, rank);
    bool isAssumed = false;
    const uint64_t numberSize = FindNumberSize(graph, isAssumed);
    const uint64_t updated = CountUpdated(graph, structure.iterations);
    const ParameterCount count =
        ParameterCounter(graph, rank, traffic, updated, numberSize).Count();
    std::vector<MemoryPart> parts{KeptParametersOf(count, numberSize, isAssumed),
                                  {"gradients", 0, "there is no backward pass"},
                                  {"optimizer states", 0, "there is no optimizer"}};
    if (structure.hasBackward)
    {
        parts[1] = KeptGradientsOf(count);
        parts[1].evidence += structure.microBatches == 1 ? DescribeDoubtOfGradients(count) : "";
    }
    if (structure.hasOptimizer)
    {
        parts[2] = KeptStatesOf(count, updated);
    }
    return parts;
}

} // namespace nadi
