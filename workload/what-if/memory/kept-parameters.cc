// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/kept-parameters.h"

#include "common/units.h"
#include "workload/what-if/kernel-times/kernel-tensors.h"
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

/// What copies of a rank's parameters do with each other.
struct CopyTraffic
{
    uint64_t gradientBytes = 0; ///< that are summed once
    uint32_t copies = 1;        ///< that sum most of them
    bool hasScatters = false;   ///< each copy gets a shard of the sums
    bool sumsOften = false;     ///< in more than one micro-batch
    bool gathersInPasses = false;
};

/// Reads what a rank does with its copies.
class CopyTrafficReader
{
  public:
    CopyTrafficReader(const Workload& job, const JobStructure& structure, const RankStructure& rank)
        : m_job(job)
        , m_rank(rank)
        , m_graph(job.GraphOf(RankId{rank.rank}))
    {
        for (const GroupUse& use : structure.groups)
        {
            if (use.role == GroupRole::Data || use.role == GroupRole::ExpertData)
            {
                m_groups.push_back(use.ranks);
            }
        }
    }

    CopyTraffic Read()
    {
        for (const LayerRunPass& pass : m_rank.passes)
        {
            if (pass.iteration == 0)
            {
                ReadPass(pass);
            }
        }
        // Lists outside of passes hold the tasks of all iterations, so their bytes are divided by
        // the number of iterations. Of passes, only those of the first iteration were read.
        m_iterations = CountIterations();
        m_ofMicroBatch[NO_MICRO_BATCH] = 0;
        ReadTasks(m_rank.head, NO_MICRO_BATCH);
        ReadTasks(m_rank.optimizer, NO_MICRO_BATCH);
        // Sums behind all passes come on top of those within a micro-batch.
        const uint64_t rest = m_ofMicroBatch[NO_MICRO_BATCH] / m_iterations;
        m_ofMicroBatch.erase(NO_MICRO_BATCH);
        // Micro-batches sum gradients of the same parameters, so the one that sums most counts, not
        // all.
        uint64_t most = 0;
        for (const auto& [microBatch, bytes] : m_ofMicroBatch)
        {
            most = std::max(most, bytes);
        }
        m_traffic.sumsOften =
            std::ranges::count_if(m_ofMicroBatch,
                                  [](const auto& entry) { return entry.second > 0; }) > 1;
        m_traffic.gradientBytes = most + rest;
        return m_traffic;
    }

  private:
    static constexpr uint32_t NO_MICRO_BATCH = UINT32_MAX;

    uint64_t CountIterations() const
    {
        int64_t last = 0;
        for (const LayerRunPass& pass : m_rank.passes)
        {
            last = std::max(last, pass.iteration);
        }
        return static_cast<uint64_t>(last) + 1;
    }

    void ReadPass(const LayerRunPass& pass)
    {
        ReadTasks(pass.before, pass.microBatch);
        for (const LayerPass& layer : pass.layers)
        {
            ReadTasks(layer.tasks, pass.microBatch);
            ReadTasks(layer.extra, pass.microBatch);
        }
        ReadTasks(pass.after, pass.microBatch);
    }

    void ReadTasks(const TaskList& tasks, uint32_t microBatch)
    {
        for (const uint32_t task : tasks)
        {
            if (m_graph.Node(task).type == NodeType::Collective)
            {
                ReadCall(m_graph.Node(task), microBatch);
            }
        }
    }

    void ReadCall(const ExecutionNode& call, uint32_t microBatch)
    {
        const std::vector<uint32_t> ranks = RanksOf(call);
        if (std::ranges::find(m_groups, ranks) == m_groups.end())
        {
            return;
        }
        // Parameters that are gathered for passes are in shards between them (ZeRO 3). A gather
        // behind the optimizer does not tell that.
        if (call.collective == CollectiveType::AllGather)
        {
            m_traffic.gathersInPasses = m_traffic.gathersInPasses || microBatch != NO_MICRO_BATCH;
        }
        if (call.collective == CollectiveType::AllReduce ||
            call.collective == CollectiveType::ReduceScatter)
        {
            m_ofMicroBatch[microBatch] += call.size;
            // Most gradients are of the group with most copies; those of experts have fewer.
            m_traffic.copies = std::max(m_traffic.copies, static_cast<uint32_t>(ranks.size()));
            m_traffic.hasScatters =
                m_traffic.hasScatters || call.collective == CollectiveType::ReduceScatter;
        }
    }

    std::vector<uint32_t> RanksOf(const ExecutionNode& call) const
    {
        const CommunicatorId group = m_job.communicatorOfGroup[m_rank.rank][call.group];
        std::vector<uint32_t> ranks;
        for (const RankId member : m_job.communicators[group.value].ranks)
        {
            ranks.push_back(member.value);
        }
        return ranks;
    }

    const Workload& m_job;
    const RankStructure& m_rank;
    const ExecutionGraph& m_graph;
    std::vector<std::vector<uint32_t>> m_groups; // that sum gradients
    std::map<uint32_t, uint64_t> m_ofMicroBatch; // bytes of sums
    uint64_t m_iterations = 1;
    CopyTraffic m_traffic;
};

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

/// The right matrices of products in the forward passes of the first micro-batch.
uint64_t
CountInProducts(const ExecutionGraph& graph, const RankStructure& rank)
{
    uint64_t numbers = 0;
    const auto add = [&](const TaskList& tasks)
    {
        for (const uint32_t task : tasks)
        {
            for (const KernelLaunch& kernel : graph.KernelsOf(graph.Node(task)))
            {
                numbers += kernel.op == KernelOp::Gemm ? kernel.k * kernel.n : 0;
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

/// How many parameters a rank works on, the bytes of their gradients, and how that is known.
struct ParameterCount
{
    uint64_t numbers = 0;
    uint64_t gradientBytes = 0;
    std::string evidence;
};

/// By the best evidence that there is. Sums of gradients together with the optimizer tell how many
/// bytes a gradient has. Sums alone, or the optimizer alone, need an assumption for that. Products
/// come last: parameters that no product multiplies by are missing in them.
ParameterCount
CountParameters(const ExecutionGraph& graph,
                const RankStructure& rank,
                const CopyTraffic& traffic,
                uint64_t updated,
                uint64_t numberSize)
{
    // Where copies scatter gradients, the optimizer of each updates one shard.
    const uint64_t shards = traffic.hasScatters ? traffic.copies : 1;
    if (traffic.gradientBytes > 0 && updated > 0)
    {
        // Shards are rounded up, so the quotient may be a little too small.
        const uint64_t all = updated * shards;
        const uint64_t size = std::max<uint64_t>((traffic.gradientBytes + all / 2) / all, 1);
        return {traffic.gradientBytes / size,
                traffic.gradientBytes,
                fmt::format("sums of gradients of {} B a number, as the optimizer updates {}",
                            size,
                            updated)};
    }
    if (traffic.gradientBytes > 0)
    {
        return {traffic.gradientBytes / numberSize,
                traffic.gradientBytes,
                fmt::format("sums of gradients, taken to have {} B a number", numberSize)};
    }
    if (updated > 0)
    {
        return {updated,
                updated * numberSize,
                "numbers that the optimizer updates, as no gradients are summed"};
    }
    const uint64_t numbers = CountInProducts(graph, rank);
    if (numbers == 0)
    {
        return {0,
                0,
                "unknown and not counted: there are neither sums of gradients, nor sizes of an "
                "optimizer, nor kernels that name their shapes"};
    }
    return {numbers,
            numbers * numberSize,
            "matrices of the products of a forward pass, as there are neither sums of gradients "
            "nor sizes of an optimizer; embeddings, norms and experts are missing"};
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
    const CopyTraffic traffic = CopyTrafficReader(job, structure, rank).Read();
    bool isAssumed = false;
    const uint64_t numberSize = FindNumberSize(graph, isAssumed);
    const uint64_t updated = CountUpdated(graph, structure.iterations);
    const ParameterCount count = CountParameters(graph, rank, traffic, updated, numberSize);
    const auto shared = [&](bool isShared, uint64_t bytes)
    { return isShared ? DivideUp(bytes, traffic.copies) : bytes; };
    const auto shards = [&](bool isShared)
    { return isShared ? fmt::format(", in {} shards", traffic.copies) : std::string(); };
    // Gradients are kept in shards where each micro-batch scatters them, or where parameters are in
    // shards, too (ZeRO 3). If they are scattered once at the end, all of them are there until
    // then.
    const bool cutsGradients =
        traffic.hasScatters && (traffic.sumsOften || traffic.gathersInPasses);
    // What the optimizer updates is a rank's own shard already.
    const uint64_t states = updated > 0 ? updated : shared(traffic.hasScatters, count.numbers);
    return {
        {"parameters",
         shared(traffic.gathersInPasses, count.numbers * numberSize),
         fmt::format("{} numbers of {} B{}{}: {}",
                     count.numbers,
                     numberSize,
                     isAssumed ? " (assumed)" : "",
                     shards(traffic.gathersInPasses),
                     count.evidence)},
        {"gradients",
         structure.hasBackward ? shared(cutsGradients, count.gradientBytes) : 0,
         structure.hasBackward ? fmt::format("{} B{}", count.gradientBytes, shards(cutsGradients))
                               : "there is no backward pass"},
        {"optimizer states",
         structure.hasOptimizer ? states * STATE_BYTES : 0,
         structure.hasOptimizer
             ? fmt::format("{} numbers of an fp32 copy and two moments, {} B each (assumed), {}",
                           states,
                           STATE_BYTES,
                           updated > 0 ? "as its kernels update" : "of all parameters")
             : "there is no optimizer"}};
}

} // namespace nadi
