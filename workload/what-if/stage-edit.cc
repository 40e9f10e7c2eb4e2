// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-edit.h"

#include "common/error.h"
#include "workload/what-if/axis-numbering.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/parameter-share.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/what-if/stage-copier.h"
#include "workload/what-if/stage-ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

const std::string PASSES_WISH = "what-if: micro-batches";
const std::string STAGES_WISH = "what-if: pp";

/// How the stages work, as it was found.
Pipeline
FindPipeline(const JobStructure& structure)
{
    if (!structure.HasLayers() || !structure.schedule || structure.microBatches == 0 ||
        structure.iterations != 1)
    {
        throw ConfigError(PASSES_WISH,
                          "passes of one iteration in the order of a known schedule (1f1b, gpipe, "
                          "interleaved) are needed; nadi trace structure says what was found");
    }
    return {.schedule = *structure.schedule,
            .stages = structure.degrees.pipeline.value_or(1),
            .chunks = structure.chunks,
            .microBatches = structure.microBatches};
}

/// Rounds of an interleaved schedule are whole, and only it has several chunks.
void
CheckPipeline(const Pipeline& recorded, const Pipeline& wanted)
{
    const bool isInterleaved = wanted.schedule == PipelineSchedule::Interleaved;
    if (isInterleaved && wanted.microBatches % wanted.stages != 0)
    {
        throw ConfigError(PASSES_WISH,
                          fmt::format("{} micro-batches do not go in rounds of {} stages; write a "
                                      "multiple of {}",
                                      wanted.microBatches,
                                      wanted.stages,
                                      wanted.stages));
    }
    if (isInterleaved != (wanted.chunks > 1))
    {
        throw ConfigError("what-if: schedule",
                          "interleaved stages have several chunks of layers, others have one; to "
                          "cut layers anew is not known yet");
    }
    if (wanted.stages != recorded.stages && std::min(wanted.stages, recorded.stages) < 2)
    {
        throw ConfigError(STAGES_WISH,
                          fmt::format("{} stages are to become {}; a single stage sends nothing, "
                                      "so what goes between stages is known from two or more",
                                      recorded.stages,
                                      wanted.stages));
    }
}

/// Throws ConfigError.
void
CheckSize(const Workload& job, const Pipeline& recorded, const Pipeline& wanted)
{
    if (uint64_t{job.RankCount()} / recorded.stages * wanted.stages > MOST_NEW_RANKS)
    {
        throw ConfigError(
            STAGES_WISH,
            fmt::format("{} stages have more than {} ranks", wanted.stages, MOST_NEW_RANKS));
    }
    for (const ExecutionGraph& graph : job.graphs)
    {
        const uint64_t perMicroBatch = graph.NodeCount() / recorded.microBatches + 1;
        if (perMicroBatch * wanted.microBatches > MOST_NEW_TASKS)
        {
            throw ConfigError(PASSES_WISH,
                              fmt::format("{} micro-batches have more than {} tasks on a rank",
                                          wanted.microBatches,
                                          MOST_NEW_TASKS));
        }
    }
}

/// Of the parameters that the last stage gathers (ZeRO), some are of the head. Throws ConfigError.
void
CheckHasNoGathers(const RecordedStage& last)
{
    const auto isGather = [&](uint32_t node)
    {
        const ExecutionNode& task = last.Graph().Node(node);
        return task.type == NodeType::Collective && task.collective == CollectiveType::AllGather;
    };
    if (std::ranges::any_of(last.Rank().optimizer, isGather))
    {
        throw ConfigError(STAGES_WISH,
                          "copies hold shards of the parameters (ZeRO), of which some are of the "
                          "head of the model; a stage between others is known from a recording of "
                          "three stages");
    }
}

class PipelineEditor
{
  public:
    PipelineEditor(const Workload& job,
                   const JobStructure& structure,
                   const Pipeline& recorded,
                   const Pipeline& wanted)
        : m_job(job)
        , m_structure(structure)
        , m_recorded(recorded)
        , m_wanted(wanted)
        , m_ranks(job, structure, recorded.stages, wanted.stages)
    {
    }

    PipelineEdit Run()
    {
        Workload& made = m_edit.job;
        made = m_job;
        made.graphs.clear();
        made.graphOfRank.clear();
        for (uint32_t rank = 0; rank < m_ranks.RankCount(); ++rank)
        {
            made.graphOfRank.push_back(FindGraph(rank));
        }
        if (m_ranks.AreOther())
        {
            JoinRanks(made);
        }
        if (m_isShareAssumed)
        {
            m_edit.notes.emplace_back("No gradients are summed, so kernels of the optimizer are "
                                      "taken to grow with the operations of a forward pass");
        }
        return std::move(m_edit);
    }

  private:
    /// Their groups and peers.
    void JoinRanks(Workload& made)
    {
        made.communicatorOfGroup.clear();
        made.rankOfPeer.clear();
        for (uint32_t rank = 0; rank < m_ranks.RankCount(); ++rank)
        {
            made.communicatorOfGroup.push_back(m_ranks.GroupsOf(rank, made.GraphOf(RankId{rank})));
            made.rankOfPeer.push_back(m_ranks.PeersOf(rank));
        }
        made.communicators = m_ranks.Communicators();
        if (m_ranks.HaveAssumedEnds())
        {
            m_edit.notes.emplace_back("Groups of one rank of each of two stages are taken to be of "
                                      "the first and the last stage, as for a matrix that both "
                                      "have");
        }
    }

    uint32_t FindGraph(uint32_t rank)
    {
        const uint32_t recorded = m_job.graphOfRank[m_ranks.SourceOf(rank)];
        const auto next = static_cast<uint32_t>(m_edit.job.graphs.size());
        const auto [known, isNew] =
            m_known.emplace(std::pair(recorded, m_ranks.StageOf(rank)), next);
        if (isNew)
        {
            m_edit.job.graphs.push_back(MakeGraph(rank));
        }
        return known->second;
    }

    ExecutionGraph MakeGraph(uint32_t rank)
    {
        const uint32_t source = m_ranks.SourceOf(rank);
        const uint32_t stage = m_ranks.StageOf(rank);
        const RecordedStage base(m_job.GraphOf(RankId{source}), TasksOf(source));
        NewStage made{.base = base,
                      .passes = ComputePasses(m_wanted, stage),
                      .microBatches = m_wanted.microBatches,
                      .firstLayers = FirstLayers(stage)};
        if (m_ranks.AreOther())
        {
            made.nextPeer = m_ranks.PeerCountOf(source);
        }
        if (!m_ranks.IsJoined(stage))
        {
            return StageCopier(made).Run();
        }
        CheckHasNoGathers(base);
        const uint32_t firstRank = m_ranks.FirstOf(rank);
        const RecordedStage first(m_job.GraphOf(RankId{firstRank}), TasksOf(firstRank));
        made.first = &first;
        made.dropped = m_ranks.FindGroupsOfEnds(source);
        made.share = FindShareOfLayers(base.Graph(), base.Rank(), m_isShareAssumed);
        return StageCopier(made).Run();
    }

    /// Ranks of equal tasks share the lists of one of them.
    const RankStructure& TasksOf(uint32_t rank) const
    {
        return *std::ranges::find(
            m_structure.ranks, m_structure.ranks[rank].sameAs, &RankStructure::rank);
    }

    std::vector<uint32_t> FirstLayers(uint32_t stage) const
    {
        const auto perPass = m_structure.layers / (m_recorded.stages * m_recorded.chunks);
        std::vector<uint32_t> layers;
        for (uint32_t chunk = 0; chunk < m_wanted.chunks; ++chunk)
        {
            layers.push_back((chunk * m_wanted.stages + stage) * perPass);
        }
        return layers;
    }

    const Workload& m_job;
    const JobStructure& m_structure;
    Pipeline m_recorded;
    Pipeline m_wanted;
    StageRanks m_ranks;
    bool m_isShareAssumed = false;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_known; // of recorded graph and new stage
    PipelineEdit m_edit;
};

} // namespace

PipelineEdit
ChangePipeline(const Workload& job, const JobStructure& structure, const PipelineWish& wish)
{
    const Pipeline recorded = FindPipeline(structure);
    Pipeline wanted = recorded;
    wanted.stages = wish.stages.value_or(recorded.stages);
    wanted.microBatches = wish.microBatches.value_or(recorded.microBatches);
    wanted.schedule = wish.schedule.value_or(recorded.schedule);
    if (wanted.stages == recorded.stages && wanted.microBatches == recorded.microBatches &&
        wanted.schedule == recorded.schedule)
    {
        return {job, {}};
    }
    CheckPipeline(recorded, wanted);
    CheckSize(job, recorded, wanted);
    return PipelineEditor(job, structure, recorded, wanted).Run();
}

} // namespace nadi
