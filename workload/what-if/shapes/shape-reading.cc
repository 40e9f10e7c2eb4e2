// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/shape-reading.h"

#include "common/error.h"
#include "workload/what-if/shapes/element-bytes.h"
#include "workload/what-if/shapes/group-roles.h"
#include "workload/what-if/shapes/rank-reader.h"
#include "workload/what-if/shapes/shape-parts.h"
#include "workload/what-if/shapes/tied-sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

namespace nadi
{

namespace
{

class ShapeReader
{
  public:
    ShapeReader(const Workload& job, const JobStructure& structure, std::string wish)
        : m_job(job)
        , m_structure(structure)
        , m_wish(std::move(wish))
        , m_roles(job, structure)
    {
    }

    ShapeReading Read()
    {
        if (!m_structure.HasLayers())
        {
            throw ConfigError(
                m_wish,
                "no layers were found, so what sizes mean is unknown; --layer-pattern "
                "says how the first kernel of a layer is called");
        }
        if (m_structure.ranks.size() != m_job.RankCount())
        {
            throw ConfigError(m_wish,
                              fmt::format("{} of {} ranks were recorded; sizes are told from all",
                                          m_structure.ranks.size(),
                                          m_job.RankCount()));
        }
        if (IsServed())
        {
            throw ConfigError(m_wish,
                              "the job serves requests (its attention is that of prefill or "
                              "decode), and sizes of steps of a training alone are changed; "
                              "generate traces of the other sizes");
        }
        if (m_structure.degrees.context.value_or(1) > 1)
        {
            throw ConfigError(m_wish,
                              "sequences are cut over ranks (context parallelism), and the sizes "
                              "of their parts are not changed yet");
        }
        for (const RankStructure& rank : m_structure.ranks)
        {
            if (rank.sameAs == rank.rank)
            {
                const ExecutionGraph& graph = m_job.GraphOf(RankId{rank.rank});
                m_reading.jobs.emplace(
                    m_job.graphOfRank[rank.rank],
                    ReadRank({m_job, m_structure, m_roles, rank, graph}, m_wish));
            }
        }
        // The order matters: parts follow from what all ranks saw, kernels are checked with the
        // parts, and rules are about what is left.
        FindParts(m_job, m_structure, m_roles, m_wish, m_reading);
        CheckKernels();
        m_reading.byteCounting = ReadByteCounting(m_job, m_reading.jobs);
        FindWholeTiedSums(m_job, m_structure, m_reading);
        FindRules();
        return std::move(m_reading);
    }

  private:
    bool IsServed() const
    {
        const auto isOfService = [](const KernelLaunch& kernel) {
            return kernel.op == KernelOp::AttentionPrefill ||
                   kernel.op == KernelOp::AttentionDecode;
        };
        return std::ranges::any_of(
            m_job.graphs,
            [isOfService](const ExecutionGraph& graph)
            {
                return std::ranges::any_of(
                    graph.Nodes(),
                    [&](const ExecutionNode& node)
                    { return std::ranges::any_of(graph.KernelsOf(node), isOfService); });
            });
    }

    const RankMeaning& MeaningOf(uint32_t rank) const
    {
        return m_reading.jobs.at(m_job.graphOfRank[rank]);
    }

    [[noreturn]] void Refuse(uint32_t rank, uint32_t node, const std::string& why) const
    {
        SizeSightings(m_job.GraphOf(RankId{rank}), m_wish).Refuse(node, why);
    }

    /// Meanings are told by the places of products. A kernel of other sizes than its place asks for
    /// shows that the model is built in another way.
    void CheckKernels() const
    {
        for (const RankStructure& rank : m_structure.ranks)
        {
            if (rank.sameAs != rank.rank)
            {
                continue;
            }
            const ExecutionGraph& graph = m_job.GraphOf(RankId{rank.rank});
            const std::vector<TaskMeaning>& tasks = MeaningOf(rank.rank).tasks;
            for (const uint32_t node : rank.tasks)
            {
                if (tasks[node].work)
                {
                    CheckWork(rank.rank, *tasks[node].work, graph.KernelsOf(graph.Node(node)));
                }
            }
        }
    }

    void
    CheckWork(uint32_t rank, const BlockWork& work, const std::vector<KernelLaunch>& kernels) const
    {
        for (size_t i = 0; i < kernels.size(); ++i)
        {
            const ShapeSizes& part = m_reading.PartOf(rank);
            if (!Fits(kernels[i], work.kernels[i], part))
            {
                Refuse(rank,
                       work.node,
                       fmt::format("has sizes ({}) that do not fit its place among the products "
                                   "around it{}",
                                   ToText(kernels[i]),
                                   HintOfSingleLayers(rank)));
            }
        }
    }

    /// What repetition would tell: what is of a layer, and what is before or after it.
    std::string HintOfSingleLayers(uint32_t rank) const
    {
        const auto found = std::ranges::find(m_structure.ranks, rank, &RankStructure::rank);
        const bool areSingle = std::ranges::all_of(
            found->passes, [](const LayerRunPass& pass) { return pass.layers.size() < 2; });
        return areSingle
                   ? "; its passes have a single layer, which is hard to tell from what is "
                     "before and after it, and a recording with two layers on each stage helps"
                   : "";
    }

    /// The first rule that explains everything. Which one does not matter where none of them tells
    /// another size.
    void FindRules()
    {
        // The misfit of the first rule is kept: it is that of most models, so its task says most.
        std::optional<std::pair<uint32_t, uint32_t>> misfit;
        for (const ParameterRules& rules : ListParameterRules())
        {
            const auto unexplained = FindUnexplained(rules);
            if (!unexplained)
            {
                // All rules that fit are kept. For the new model they may give different sizes,
                // which CheckAlternatives then refuses.
                m_reading.rules = rules;
                m_reading.alternatives.push_back(rules);
            }
            misfit = misfit ? misfit : unexplained;
        }
        if (m_reading.alternatives.empty())
        {
            Refuse(misfit->first,
                   misfit->second,
                   fmt::format("has {}, which does not follow from the matrices around it, with or "
                               "without biases, positions and a matrix of the head",
                               DescribeSize(misfit->first, misfit->second)));
        }
        m_reading.rules = m_reading.alternatives.front();
    }

    std::string DescribeSize(uint32_t rank, uint32_t node) const
    {
        const ExecutionNode& task = m_job.GraphOf(RankId{rank}).Node(node);
        return task.type == NodeType::Compute ? fmt::format("{} operations", task.operations)
                                              : fmt::format("{} bytes", task.size);
    }

    /// A task whose size the rules do not explain, and its rank. Amounts of one kind have numbers
    /// of as many bytes.
    std::optional<std::pair<uint32_t, uint32_t>> FindUnexplained(const ParameterRules& rules) const
    {
        // The first task of a kind tells how many bytes its numbers have; all others must have as
        // many.
        std::map<std::pair<AmountKind, bool>, uint64_t> factors;
        for (const RankStructure& rank : m_structure.ranks)
        {
            if (rank.sameAs != rank.rank)
            {
                continue;
            }
            const std::vector<TaskMeaning>& tasks = MeaningOf(rank.rank).tasks;
            for (const uint32_t node : rank.tasks)
            {
                if (!tasks[node].work && !Explains(rules, rank.rank, node, factors))
                {
                    return std::pair(rank.rank, node);
                }
            }
        }
        return std::nullopt;
    }

    bool Explains(const ParameterRules& rules,
                  uint32_t rank,
                  uint32_t node,
                  std::map<std::pair<AmountKind, bool>, uint64_t>& factors) const
    {
        const TaskMeaning& meaning = MeaningOf(rank).tasks[node];
        const ExecutionNode& task = m_job.GraphOf(RankId{rank}).Node(node);
        const ShapeSizes& part = m_reading.PartOf(rank);
        if (meaning.isOptimizer)
        {
            return ExplainsOptimizer(
                meaning.amount, m_job.GraphOf(RankId{rank}), task, part, rules);
        }
        if (meaning.amount.kind == AmountKind::Fixed)
        {
            return true;
        }
        const auto factor = FindFactor(meaning.amount, task, part, rules);
        // No number has more than 8 bytes.
        if (!factor || *factor == 0 || *factor > 8)
        {
            return false;
        }
        // Parameters are gathered in other numbers than gradients are summed in.
        const bool isGather = task.collective == CollectiveType::AllGather;
        const auto [known, isNew] = factors.emplace(
            std::pair(meaning.amount.kind, isGather && meaning.amount.HasParameters()), *factor);
        return known->second == *factor;
    }

    /// Where it says how many it updates.
    static bool ExplainsOptimizer(const Amount& amount,
                                  const ExecutionGraph& graph,
                                  const ExecutionNode& task,
                                  const ShapeSizes& part,
                                  const ParameterRules& rules)
    {
        const std::vector<KernelLaunch>& kernels = graph.KernelsOf(task);
        // A node of several kernels does not say how many numbers it updates, so it fits any rule.
        return kernels.size() != 1 || kernels.front().op != KernelOp::Optimizer ||
               kernels.front().m == amount.Count(part, rules);
    }

    const Workload& m_job;
    const JobStructure& m_structure;
    std::string m_wish;
    GroupRoles m_roles;
    ShapeReading m_reading;
};

} // namespace

std::optional<uint64_t>
FindFactor(const Amount& amount,
           const ExecutionNode& node,
           const ShapeSizes& part,
           const ParameterRules& rules)
{
    const uint64_t count = amount.Count(part, rules);
    if (count == 0 || node.size % count != 0)
    {
        return std::nullopt;
    }
    return node.size / count;
}

ShapeReading
ReadShapes(const Workload& job, const JobStructure& structure, const std::string& wish)
{
    return ShapeReader(job, structure, wish).Read();
}

} // namespace nadi
