// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/job-analysis.h"

#include "common/error.h"
#include "workload/tools/structure/call-roles.h"
#include "workload/tools/structure/job-doubts.h"
#include "workload/tools/structure/stage-order.h"
#include "workload/tools/structure/structure-notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// Layers that hold less of the kernels than this are taken for something else that repeats.
constexpr double LEAST_COVERED = 0.4;

/// Likewise of the operators of a host, where the optimizer repeats itself for each parameter.
constexpr double LEAST_COVERED_OF_HOST = 0.5;

class JobAnalysis
{
  public:
    JobAnalysis(const Workload& workload,
                const std::vector<RecordedOrder>& orders,
                const StructureHints& hints)
        : m_workload(workload)
        , m_orders(orders)
        , m_hints(hints)
    {
    }

    JobStructure Find()
    {
        AnalyseRanks();
        AnalyseDoubtfulRanks();
        DropDoubtfulLayers();
        DropBackwardAlone();
        SumUpRanks();
        if (m_result.confidence > 0)
        {
            OrderStages(m_workload, m_result);
        }
        if (HasContradiction())
        {
            ForgetLayers();
        }
        const CallRoles roles(m_workload, m_result);
        m_result.groups = roles.ListUses();
        m_result.hasSequenceParallelism = roles.HasScatteredSums();
        SetApartGradients(roles);
        if (m_result.HasLayers())
        {
            FindDegrees();
        }
        const FoundDegrees shown = m_result.degrees;
        SetHints();
        SetHintedCopies();
        AddStructureNotes(m_result);
        AddDoubts(shown);
        return std::move(m_result);
    }

  private:
    const RecordedOrder& OrderOf(uint32_t rank) const
    {
        static const RecordedOrder none;
        const uint32_t graph = m_workload.graphOfRank[rank];
        return graph < m_orders.size() ? m_orders[graph] : none;
    }

    void AnalyseRanks()
    {
        std::map<uint32_t, uint32_t> firstOfGraph;
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            const auto [first, isNew] =
                firstOfGraph.try_emplace(m_workload.graphOfRank[rank], rank);
            RankStructure structure;
            if (isNew)
            {
                RankAnalysis analysis(
                    m_workload.GraphOf(RankId{rank}), OrderOf(rank), m_hints, m_hints.layers);
                structure = analysis.Analyse();
                structure.sameAs = rank;
                m_layers[rank] = analysis.Layers();
            }
            else
            {
                const RankStructure& same = m_result.ranks[first->second];
                structure.covered = same.covered;
                structure.evidence = same.evidence;
                structure.sameAs = first->second;
            }
            structure.rank = rank;
            m_result.ranks.push_back(std::move(structure));
        }
    }

    /// Whether a layer of a rank holds one of another rank: then it is a whole pass, as a stage of
    /// one layer repeats it.
    bool HoldsOthers(const KnownLayer& layer) const
    {
        for (const auto& [rank, layers] : m_layers)
        {
            for (const KnownLayer& other : layers)
            {
                if (HoldsLayer(layer.block, other.block))
                {
                    return true;
                }
            }
        }
        return false;
    }

    // Stages of one layer repeat nothing but passes; the layers of other stages are theirs too.
    void AnalyseDoubtfulRanks()
    {
        std::vector<KnownLayer> known;
        std::vector<uint32_t> doubtful;
        for (const auto& [rank, layers] : m_layers)
        {
            if (m_result.ranks[rank].evidence > StructureEvidence::Scopes || layers.empty())
            {
                const bool holds = std::ranges::any_of(
                    layers, [this](const KnownLayer& layer) { return HoldsOthers(layer); });
                if (holds || layers.empty())
                {
                    doubtful.push_back(rank);
                }
                else
                {
                    known.insert(known.end(), layers.begin(), layers.end());
                }
            }
        }
        for (const uint32_t rank : known.empty() ? std::vector<uint32_t>() : doubtful)
        {
            RankAnalysis analysis(m_workload.GraphOf(RankId{rank}), OrderOf(rank), m_hints, known);
            m_result.ranks[rank] = analysis.Analyse();
            m_result.ranks[rank].rank = rank;
            m_result.ranks[rank].sameAs = rank;
        }
        for (RankStructure& rank : m_result.ranks)
        {
            rank.covered = m_result.ranks[rank.sameAs].covered;
            rank.evidence = m_result.ranks[rank.sameAs].evidence;
        }
    }

    void DropDoubtfulLayers()
    {
        for (RankStructure& rank : m_result.ranks)
        {
            const double least =
                IsOfHost(m_result.ranks[rank.sameAs]) ? LEAST_COVERED_OF_HOST : LEAST_COVERED;
            if (rank.covered < least && rank.evidence == StructureEvidence::Repetition)
            {
                m_leftOut = std::max(m_leftOut, rank.covered);
                Drop(rank);
            }
        }
    }

    static void Drop(RankStructure& rank)
    {
        rank.passes.clear();
        rank.kinds.clear();
        rank.optimizer.clear();
        rank.head = rank.tasks;
        rank.covered = 0;
        rank.evidence = StructureEvidence::None;
    }

    // What is only ever done backward is no layer: no pass would have gone forward through it.
    void DropBackwardAlone()
    {
        const auto goesForward = [](const RankStructure& rank)
        { return std::ranges::any_of(rank.passes, &LayerRunPass::isForward); };
        const auto hasPasses = [](const RankStructure& rank) { return !rank.passes.empty(); };
        if (std::ranges::any_of(m_result.ranks, hasPasses) &&
            std::ranges::none_of(m_result.ranks, goesForward))
        {
            std::ranges::for_each(m_result.ranks, Drop);
            m_result.notes.emplace_back("What repeats is of backward passes alone, so it is no "
                                        "layers.");
        }
    }

    void SumUpRanks()
    {
        m_result.confidence = 1;
        m_result.evidence = StructureEvidence::None;
        for (const RankStructure& rank : m_result.ranks)
        {
            m_result.confidence = std::min(m_result.confidence, rank.covered);
            m_result.evidence = std::max(m_result.evidence, rank.evidence);
            m_result.hasOptimizer |= !rank.optimizer.empty();
            m_result.isOfHost |= IsOfHost(rank);
            for (const LayerRunPass& pass : rank.passes)
            {
                m_result.hasBackward |= !pass.isForward;
                m_result.iterations =
                    std::max(m_result.iterations, static_cast<uint32_t>(pass.iteration + 1));
            }
        }
    }

    bool IsOfHost(const RankStructure& rank) const
    {
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank.rank});
        return !rank.tasks.empty() && graph.Node(rank.tasks.front()).isCpu;
    }

    bool HasMessage(const LayerPass& layer, uint32_t rank) const
    {
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
        return std::ranges::any_of(
            layer.tasks, [&graph](uint32_t task) { return IsMessageTask(graph.Node(task)); });
    }

    // Where every stage has one layer, what repeats is whole passes. Then messages stand in the
    // layers of some ranks, and not all ranks that talk with each other go as often each way; or
    // they lead along the stages, or ranks that seem to be of one stage repeat different things.
    bool HasContradiction() const
    {
        size_t withMessages = 0;
        size_t withPasses = 0;
        bool isOneWay = false;
        for (const RankStructure& rank : m_result.ranks)
        {
            for (const LayerRunPass& pass : rank.passes)
            {
                ++withPasses;
                withMessages += HasMessage(pass.layers.front(), rank.rank) ? 1 : 0;
            }
            const bool goesBack = std::ranges::any_of(
                rank.passes, [](const LayerRunPass& pass) { return !pass.isForward; });
            isOneWay |= rank.sameAs == rank.rank && goesBack != m_result.hasBackward;
        }
        const bool isRepetition = m_result.evidence == StructureEvidence::Repetition;
        return isRepetition && withMessages > 0 &&
               (withMessages < withPasses || isOneWay || HasOpenRing(m_workload, m_result) ||
                !FindUnequalStages(m_result).empty());
    }

    void ForgetLayers()
    {
        JobStructure bare;
        bare.isOfHost = m_result.isOfHost;
        for (RankStructure& rank : m_result.ranks)
        {
            RankStructure& kept = bare.ranks.emplace_back();
            kept.rank = rank.rank;
            kept.sameAs = rank.sameAs;
            kept.head = rank.tasks;
            kept.tasks = std::move(rank.tasks);
        }
        bare.notes.emplace_back("What repeats holds the messages between stages, so it is passes, "
                                "not layers: each stage seems to have one layer.");
        m_result = std::move(bare);
    }

    // Sums of gradients stand in every layer where buckets are small, and still are of none.
    void SetApartGradients(const CallRoles& roles)
    {
        for (RankStructure& rank : m_result.ranks)
        {
            const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank.rank});
            const auto isGradient = [&](uint32_t task)
            {
                const ExecutionNode& node = graph.Node(task);
                if (!IsCollectiveTask(node) || node.collective == CollectiveType::AllGather)
                {
                    return false;
                }
                const GroupRole role = roles.RoleOf(rank.rank, node);
                return role == GroupRole::Data || role == GroupRole::ExpertData;
            };
            std::ranges::copy_if(rank.tasks, std::back_inserter(rank.gradientSums), isGradient);
            for (LayerRunPass& pass : rank.passes)
            {
                for (LayerPass& layer : pass.layers)
                {
                    const auto moved =
                        std::stable_partition(layer.tasks.begin(),
                                              layer.tasks.end(),
                                              [&](uint32_t task) { return !isGradient(task); });
                    layer.extra.insert(layer.extra.end(), moved, layer.tasks.end());
                    layer.tasks.erase(moved, layer.tasks.end());
                    std::ranges::sort(layer.extra);
                    CountAgain(graph, layer, rank.kinds[layer.kind]);
                }
            }
        }
    }

    static void CountAgain(const ExecutionGraph& graph, const LayerPass& layer, LayerKind& kind)
    {
        if (layer.tasks.size() >= kind.taskCount)
        {
            return;
        }
        kind.taskCount = static_cast<uint32_t>(layer.tasks.size());
        std::map<std::string, uint32_t> calls;
        for (const uint32_t task : layer.tasks)
        {
            if (IsCollectiveTask(graph.Node(task)))
            {
                ++calls[std::string(ToText(graph.Node(task).collective))];
            }
        }
        std::erase_if(kind.tasksByType,
                      [&calls](const auto& entry) {
                          return FindCollectiveType(entry.first).has_value() &&
                                 !calls.contains(entry.first);
                      });
        for (const auto& [type, count] : calls)
        {
            kind.tasksByType[type] = count;
        }
    }

    /// `shown`: the degrees without hints.
    void AddDoubts(const FoundDegrees& shown)
    {
        uint32_t recordedRanks = 0;
        for (const RecordedOrder& order : m_orders)
        {
            recordedRanks = std::max(recordedRanks, order.jobRanks);
        }
        m_result.obstacle =
            FindObstacle(m_workload, m_result, {m_hints.degrees, shown}, recordedRanks);
        if (!m_result.obstacle.empty())
        {
            m_result.notes.push_back(m_result.obstacle);
        }
        std::ranges::move(ListOddities(m_workload, m_result), std::back_inserter(m_result.notes));
    }

    /// How many ranks share what the role says: 1 where no group has it, nothing where the other
    /// members of its groups were not recorded.
    std::optional<uint32_t> DegreeOf(GroupRole role)
    {
        size_t size = 0;
        for (const GroupUse& use : m_result.groups)
        {
            size = use.role == role ? std::max(size, use.ranks.size()) : size;
        }
        if (size == 1)
        {
            m_result.notes.push_back(
                fmt::format("Only one rank of the {} groups was recorded, so their size is not "
                            "known; a groups file or --degrees says it.",
                            ToText(role)));
            return std::nullopt;
        }
        return std::max(1U, static_cast<uint32_t>(size));
    }

    void FindDegrees()
    {
        FoundDegrees& degrees = m_result.degrees;
        degrees.tensor = DegreeOf(GroupRole::Tensor);
        degrees.expert = DegreeOf(GroupRole::Expert);
        degrees.context = FindContextDegree(m_workload, m_result);
        const std::optional<uint32_t> copies = DegreeOf(GroupRole::Data);
        if (!degrees.tensor || !copies)
        {
            return;
        }
        const uint32_t others = *degrees.tensor * *degrees.context * *degrees.pipeline;
        const uint32_t ranks = m_workload.RankCount();
        degrees.data = *copies > 1 ? *copies / *degrees.context : std::max(1U, ranks / others);
    }

    void
    SetHint(const char* name, std::optional<uint32_t>& found, const std::optional<uint32_t>& hint)
    {
        if (hint && found && *found != *hint)
        {
            m_result.notes.push_back(fmt::format(
                "The hint {}={} is taken, while the traces show {}.", name, *hint, *found));
        }
        found = hint ? hint : found;
    }

    void SetHints()
    {
        SetHint("tp", m_result.degrees.tensor, m_hints.degrees.tensor);
        SetHint("cp", m_result.degrees.context, m_hints.degrees.context);
        SetHint("dp", m_result.degrees.data, m_hints.degrees.data);
        SetHint("pp", m_result.degrees.pipeline, m_hints.degrees.pipeline);
        SetHint("ep", m_result.degrees.expert, m_hints.degrees.expert);
        if (!m_result.HasLayers() && m_leftOut > 0)
        {
            m_result.notes.push_back(
                fmt::format("The longest parts that repeat hold {:.0f} % of the {}, which is too "
                            "little for layers.",
                            100 * m_leftOut,
                            m_result.isOfHost ? "operators" : "kernels"));
        }
    }

    /// Without layers, groups of as many ranks as the hint says, of which each rank is in one, and
    /// which do nothing but sum, are those of the copies.
    void SetHintedCopies()
    {
        if (m_result.HasLayers() || m_hints.degrees.data.value_or(1) == 1)
        {
            return;
        }
        const uint32_t size = *m_hints.degrees.data * m_hints.degrees.context.value_or(1);
        std::vector<GroupUse*> ofCopies;
        std::set<uint32_t> members;
        size_t count = 0;
        for (GroupUse& use : m_result.groups)
        {
            if (use.ranks.size() == size && OnlySums(use))
            {
                ofCopies.push_back(&use);
                members.insert(use.ranks.begin(), use.ranks.end());
                count += use.ranks.size();
            }
        }
        if (members.size() == count && count == m_workload.RankCount())
        {
            std::ranges::for_each(ofCopies, [](GroupUse* use) { use->role = GroupRole::Data; });
        }
    }

    const Workload& m_workload;
    const std::vector<RecordedOrder>& m_orders;
    const StructureHints& m_hints;
    JobStructure m_result;
    std::map<uint32_t, std::vector<KnownLayer>> m_layers; ///< by the first rank of each graph
    double m_leftOut = 0;
};

} // namespace

JobStructure
FindStructure(const Workload& workload,
              const std::vector<RecordedOrder>& orders,
              const StructureHints& hints)
{
    return JobAnalysis(workload, orders, hints).Find();
}

JobStructure
FindStructure(const TraceJob& job, const StructureHints& hints)
{
    std::vector<RecordedOrder> orders;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        orders.push_back(ReadRecordedOrder(job.ReadRank(rank), job.GraphOf(rank)));
    }
    return FindStructure(job.workload, orders, hints);
}

} // namespace nadi
