// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/layer-edit.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/host/host-gaps.h"
#include "workload/what-if/host/recorded-host.h"
#include "workload/what-if/job-parameters.h"
#include "workload/what-if/layer-copier.h"
#include "workload/what-if/parameter-share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

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
    if (layers % parts != 0 || structure.layers % parts != 0)
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
        throw ConfigError(LAYERS_WISH,
                          "no layers were found in the traces; --layer-pattern REGEX helps, with "
                          "the name of the first kernel of each layer");
    }
    if (layers == 0)
    {
        throw ConfigError(LAYERS_WISH, "a model has at least one layer");
    }
}

/// Of a job whose ranks sum no gradients. Nothing where kernels do not tell them.
std::optional<JobParameters>
FindParameters(const Workload& job, const JobStructure& structure)
{
    const bool hasSums = std::ranges::any_of(
        structure.groups, [](const GroupUse& use) { return use.role == GroupRole::Data; });
    if (hasSums || !structure.hasOptimizer)
    {
        return std::nullopt;
    }
    try
    {
        return std::optional<JobParameters>(std::in_place, job, structure);
    }
    catch (const ConfigError&)
    {
        return std::nullopt;
    }
}

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
        , m_parameters(FindParameters(job, structure))
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
        RankStructure tasks = m_structure.ranks[IndexOf(rank.sameAs)];
        tasks.rank = rank.rank;
        const LayerPlaces places(graph, tasks);
        if (m_perPass > 1 && places.LayerCount() == 1)
        {
            throw ConfigError(graph.Source(),
                              fmt::format("rank {} has a single layer in each pass, which does not "
                                          "tell what stands between two",
                                          rank.rank));
        }
        if (uint64_t{graph.NodeCount()} / places.LayerCount() * m_perPass > MOST_NEW_TASKS)
        {
            throw ConfigError(LAYERS_WISH,
                              fmt::format("{} layers have more than {} tasks on a rank",
                                          m_layers,
                                          MOST_NEW_TASKS));
        }
        const RecordedHost host(graph);
        KeepWorst(FindHostGaps(host, tasks, places, m_perPass));
        const LayerChange change{.layers = m_perPass,
                                 .share = ShareOf(graph, tasks, places.LayerCount()),
                                 .durations = m_durations};
        graph = LayerCopier(host, tasks, places, change).Run();
    }

    /// Of the parameters of a rank, by which kernels of its optimizer grow. Where it sums no
    /// gradients, they are counted if kernels name their shapes.
    ParameterShare ShareOf(const ExecutionGraph& graph, const RankStructure& rank, size_t layers)
    {
        bool isAssumed = false;
        const ParameterShare share = FindParameterShare(graph, rank, m_perPass, isAssumed);
        if (!isAssumed || !m_structure.hasOptimizer)
        {
            return share;
        }
        const RankStructure& original = m_structure.ranks[IndexOf(rank.rank)];
        const auto counted =
            m_parameters ? CountShare(m_parameters->CountFor(original), layers) : std::nullopt;
        m_isShareCounted |= counted.has_value();
        m_isShareAssumed |= !counted;
        return counted.value_or(share);
    }

    /// Nothing: the layers of the stage are not equal.
    std::optional<ParameterShare> CountShare(const StageParameters& stage, size_t layers) const
    {
        uint64_t ofLayers = 0;
        std::set<uint64_t> sizes;
        for (const GradientUnit& unit : stage.units)
        {
            if (unit.kind == GradientUnit::Kind::Layer)
            {
                ofLayers += unit.parameters;
                sizes.insert(unit.parameters);
            }
        }
        if (sizes.size() != 1 || ofLayers > stage.updated)
        {
            return std::nullopt;
        }
        return ParameterShare{.after = stage.updated - ofLayers + ofLayers / layers * m_perPass,
                              .before = stage.updated};
    }

    size_t IndexOf(uint32_t rank) const
    {
        const auto found = std::ranges::find(m_structure.ranks, rank, &RankStructure::rank);
        return static_cast<size_t>(found - m_structure.ranks.begin());
    }

    void KeepWorst(const std::optional<HostGaps>& gaps)
    {
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
        if (m_isShareCounted)
        {
            m_edit.notes.emplace_back(
                "No gradients are summed, so the parameters of a layer are those of the matrices "
                "of its weight gradients; those beyond matrices (norms, biases) are dealt to the "
                "layers evenly, and kernels of the optimizer grow with them");
        }
        if (m_isShareAssumed)
        {
            m_edit.notes.emplace_back(
                "No gradients are summed, so kernels of the optimizer are taken to grow with the "
                "operations of a forward pass");
        }
    }

    const JobStructure& m_structure;
    uint32_t m_layers;
    LayerDurations m_durations;
    uint32_t m_perPass;
    std::optional<JobParameters> m_parameters; ///< nothing: kernels do not tell them
    bool m_isShareCounted = false;
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
