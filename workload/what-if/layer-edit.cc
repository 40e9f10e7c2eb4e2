// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/layer-edit.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/tools/structure/job-doubts.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/host/host-gaps.h"
#include "workload/what-if/host/recorded-host.h"
#include "workload/what-if/layer-copier.h"
#include "workload/what-if/parameter-share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace nadi
{

namespace
{

const std::string LAYERS_WISH = "what-if: layers";

/// Of each pass.
uint32_t
LayersOfPass(const JobStructure& structure, uint32_t layers)
{
    const uint32_t parts = structure.degrees.pipeline.value_or(1) * structure.chunks;
    if (structure.layers % parts != 0)
    {
        throw ConfigError("what-if",
                          fmt::format("the {} layers of the job are unevenly dealt to {} stages of "
                                      "{} chunks each; layers are repeated, taken out and dealt "
                                      "anew where all chunks have as many",
                                      structure.layers,
                                      structure.degrees.pipeline.value_or(1),
                                      structure.chunks));
    }
    if (layers % parts != 0)
    {
        throw ConfigError(LAYERS_WISH,
                          fmt::format("{} layers are to become {} on {} stages of {} chunks each; "
                                      "write a multiple of {}",
                                      structure.layers,
                                      layers,
                                      structure.degrees.pipeline.value_or(1),
                                      structure.chunks,
                                      parts));
    }
    return layers / parts;
}

void
CheckHasLayers(const JobStructure& structure, uint32_t layers)
{
    if (!structure.HasLayers())
    {
        throw ConfigError(LAYERS_WISH, NO_LAYERS_FOUND);
    }
    if (layers == 0)
    {
        throw ConfigError(LAYERS_WISH, "a model has at least one layer");
    }
}

/// Changes the graphs of a copy of the job one by one. Parameters are counted in the job as it was
/// recorded, which stays.
class JobEditor
{
  public:
    JobEditor(const Workload& job,
              const JobStructure& structure,
              uint32_t layers,
              LayerDurations durations)
        : m_structure(structure)
        , m_layers(layers)
        , m_durations(durations)
        , m_perPass(LayersOfPass(structure, layers))
        , m_parameters(TryToCountParameters(job, structure))
        , m_edit{job, {}}
    {
    }

    LayerEdit Run()
    {
        std::set<uint32_t> done;
        for (const RankStructure& rank : m_structure.ranks)
        {
            const uint32_t graph = m_edit.job.graphOfRank[rank.rank];
            if (done.insert(graph).second)
            {
                Change(m_edit.job.graphs[graph], rank);
            }
        }
        Note();
        return std::move(m_edit);
    }

  private:
    void Change(ExecutionGraph& graph, const RankStructure& rank)
    {
        // Tasks are listed for the first of equal ranks alone. Nodes have the same numbers in the
        // graphs of all of them.
        RankStructure tasks = m_structure.ranks[IndexOf(rank.sameAs)];
        // The groups of sums are those of this rank (SizesOfGroups).
        tasks.rank = rank.rank;
        const LayerPlaces places(graph, tasks);
        if (m_perPass > 1 && places.LayerCount() == 1)
        {
            throw ConfigError(graph.Source(),
                              fmt::format("rank {} has a single layer in each pass, which does not "
                                          "tell what stands between two; begin with a "
                                          "recording of two layers or more",
                                          rank.rank));
        }
        // An upper bound: what is outside of layers is counted as if it grew, too.
        if (uint64_t{graph.NodeCount()} / places.LayerCount() * m_perPass > MOST_NEW_TASKS)
        {
            throw ConfigError(LAYERS_WISH,
                              fmt::format("{} layers have more than {} tasks on a rank",
                                          m_layers,
                                          MOST_NEW_TASKS));
        }
        // Both look at the recorded graph, which the copier replaces.
        const RecordedHost host(graph);
        KeepWorst(FindHostGaps(host, tasks, places, m_perPass));
        const LayerChange change{
            .layers = m_perPass, .share = FindShare(graph, tasks), .durations = m_durations};
        graph = LayerCopier(host, tasks, places, change).Run();
    }

    ParameterShare FindShare(const ExecutionGraph& graph, const RankStructure& tasks)
    {
        bool isAssumed = false;
        const ParameterShare share =
            FindParameterShare(graph,
                               tasks,
                               {m_parameters.counted, SizesOfGroups(m_edit.job, tasks.rank)},
                               m_perPass,
                               isAssumed);
        // Operations stand in for parameters only where nothing is summed. Sums that stand in no
        // layer would keep their number and size, though there are other gradients.
        if (isAssumed && !tasks.gradientSums.empty())
        {
            const uint32_t sum = tasks.gradientSums.front();
            throw ConfigError(
                graph.Source(),
                fmt::format("node {} (\"{}\") sums gradients, and neither it nor another sum "
                            "stands among the tasks of a layer; which sums other numbers of layers "
                            "would have is unknown",
                            graph.Node(sum).id,
                            graph.Name(sum)));
        }
        m_isShareAssumed |= isAssumed;
        return share;
    }

    size_t IndexOf(uint32_t rank) const
    {
        const auto found = std::ranges::find(m_structure.ranks, rank, &RankStructure::rank);
        return static_cast<size_t>(found - m_structure.ranks.begin());
    }

    void KeepWorst(const std::optional<HostGaps>& gaps)
    {
        // The page has one line for the host, so it is that of the rank on which the edit is worst.
        if (gaps && (!m_gaps || std::abs(gaps->Error()) > std::abs(m_gaps->Error())))
        {
            m_gaps = gaps;
        }
    }

    static std::string TimeText(double picos)
    {
        return ToRoundedText(SimTime::FromPs(std::llround(picos)));
    }

    void NoteGaps()
    {
        if (m_gaps)
        {
            m_edit.notes.push_back(fmt::format(
                "Operators of the host are copied with the layers whose kernels they launch. The "
                "host takes {} to {} for a layer, {} on average; for those layers that are kept or "
                "repeated {}, so that its time for a layer is {:.1f} % off",
                TimeText(m_gaps->least),
                TimeText(m_gaps->most),
                TimeText(m_gaps->mean),
                TimeText(m_gaps->keptMean),
                100 * m_gaps->Error()));
        }
    }

    void Note()
    {
        m_edit.notes.push_back(
            m_layers < m_structure.layers
                ? fmt::format("{} of {} layers are taken out, the last of each stage",
                              m_structure.layers - m_layers,
                              m_structure.layers)
                : fmt::format("The {} layers are repeated in turn, with {}, until there are {}",
                              m_structure.layers,
                              m_durations == LayerDurations::Median
                                  ? "the median time of each of their tasks"
                                  : "their recorded times",
                              m_layers));
        NoteGaps();
        if ((m_parameters.counted || m_isShareAssumed) && m_structure.hasOptimizer)
        {
            m_edit.notes.push_back(NoteOfParameters(m_parameters));
        }
    }

    const JobStructure& m_structure;
    uint32_t m_layers;
    LayerDurations m_durations;
    uint32_t m_perPass;
    CountedOrReason m_parameters; ///< where gradients are not summed
    bool m_isShareAssumed = false;
    std::optional<HostGaps> m_gaps; ///< of the rank on which they differ most
    LayerEdit m_edit;
};

} // namespace

LayerEdit
ChangeLayers(const Workload& job,
             const JobStructure& structure,
             uint32_t layers,
             LayerDurations durations)
{
    CheckHasLayers(structure, layers);
    if (layers == structure.layers)
    {
        return {job, {}};
    }
    return JobEditor(job, structure, layers, durations).Run();
}

} // namespace nadi
