// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/rank-structures.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

/// Layers that hold a smaller share of the kernels are taken for something else that repeats. What
/// repeats in a recorded DLRM, which has no layers, holds 26 % (docs/recordings.md).
constexpr double LEAST_COVERED = 0.4;

/// Likewise of the operators of a host, where the optimizer repeats itself for each parameter.
constexpr double LEAST_COVERED_OF_HOST = 0.5;

/// Order: every graph is analysed by itself first, as doubts about a rank come from the layers of
/// others. Layers are dropped only after doubtful ranks were analysed again.
class AllRanksAnalysis
{
  public:
    AllRanksAnalysis(const Workload& workload,
                     const std::vector<RecordedOrder>& orders,
                     const StructureHints& hints)
        : m_workload(workload)
        , m_orders(orders)
        , m_hints(hints)
    {
    }

    FoundRanks Find()
    {
        AnalyseRanks();
        AnalyseDoubtfulRanks();
        DropDoubtfulLayers();
        DropBackwardAlone();
        return std::move(m_found);
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
                const RankStructure& same = m_found.ranks[first->second];
                structure.covered = same.covered;
                structure.evidence = same.evidence;
                structure.sameAs = first->second;
            }
            structure.rank = rank;
            m_found.ranks.push_back(std::move(structure));
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
        // A rank is doubtful if a layer of it holds one of another rank, or if it has no layers.
        // Doubtful ranks are analysed again, by the layers of the others.
        std::vector<KnownLayer> known;
        std::vector<uint32_t> doubtful;
        for (const auto& [rank, layers] : m_layers)
        {
            // Layers that names tell are not doubted, and are no model for other ranks.
            if (m_found.ranks[rank].evidence > StructureEvidence::Scopes || layers.empty())
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
        // A pattern would find the same layers again.
        StructureHints hints = m_hints;
        hints.layerPattern.clear();
        for (const uint32_t rank : known.empty() ? std::vector<uint32_t>() : doubtful)
        {
            RankAnalysis analysis(m_workload.GraphOf(RankId{rank}), OrderOf(rank), hints, known);
            m_found.ranks[rank] = analysis.Analyse();
            m_found.ranks[rank].rank = rank;
            m_found.ranks[rank].sameAs = rank;
        }
        // A rank that shares a graph has its lists from the first rank of that graph, which may
        // have been analysed again.
        for (RankStructure& rank : m_found.ranks)
        {
            rank.covered = m_found.ranks[rank.sameAs].covered;
            rank.evidence = m_found.ranks[rank.sameAs].evidence;
        }
    }

    void DropDoubtfulLayers()
    {
        for (RankStructure& rank : m_found.ranks)
        {
            const double least = IsOfHost(m_workload, m_found.ranks[rank.sameAs])
                                     ? LEAST_COVERED_OF_HOST
                                     : LEAST_COVERED;
            if (rank.covered < least && rank.evidence == StructureEvidence::Repetition)
            {
                m_found.leftOut = std::max(m_found.leftOut, rank.covered);
                Drop(rank);
            }
        }
    }

    /// Leaves the rank like one in which no layers were found: all of its tasks are in the head.
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
        if (std::ranges::any_of(m_found.ranks, hasPasses) &&
            std::ranges::none_of(m_found.ranks, goesForward))
        {
            std::ranges::for_each(m_found.ranks, Drop);
            m_found.notes.emplace_back("What repeats is of backward passes alone, so it is no "
                                       "layers.");
        }
    }

    const Workload& m_workload;
    const std::vector<RecordedOrder>& m_orders;
    const StructureHints& m_hints;
    FoundRanks m_found;
    std::map<uint32_t, std::vector<KnownLayer>> m_layers; ///< by the first rank of each graph
};

} // namespace

FoundRanks
FindRankStructures(const Workload& workload,
                   const std::vector<RecordedOrder>& orders,
                   const StructureHints& hints)
{
    return AllRanksAnalysis(workload, orders, hints).Find();
}

bool
IsOfHost(const Workload& workload, const RankStructure& rank)
{
    const ExecutionGraph& graph = workload.GraphOf(RankId{rank.rank});
    // Collectives of a host trace are none of the host.
    const auto first = std::ranges::find_if(
        rank.tasks, [&graph](uint32_t task) { return IsKernelTask(graph.Node(task)); });
    return first != rank.tasks.end() && graph.Node(*first).isCpu;
}

} // namespace nadi
