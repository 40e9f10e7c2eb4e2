// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-edit.h"

#include "common/error.h"
#include "workload/what-if/axis-numbering.h"
#include "workload/what-if/communicator-list.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/parameter-share.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/what-if/stage-copier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
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
        , m_from(FindStages())
        , m_to{m_from.stride, wanted.stages}
        , m_rankCount(job.RankCount() / recorded.stages * wanted.stages)
        , m_communicators(m_rankCount)
    {
    }

    PipelineEdit Run()
    {
        m_edit.job = m_job;
        m_edit.job.graphs.clear();
        m_edit.job.graphOfRank.clear();
        const bool moves = m_wanted.stages != m_recorded.stages;
        if (moves)
        {
            m_edit.job.communicatorOfGroup.clear();
            m_edit.job.rankOfPeer.clear();
        }
        for (uint32_t rank = 0; rank < m_rankCount; ++rank)
        {
            m_edit.job.graphOfRank.push_back(FindGraph(rank));
            if (moves)
            {
                AddGroups(rank);
                AddPeers(rank);
            }
        }
        if (moves)
        {
            m_edit.job.communicators = m_communicators.All();
        }
        if (m_isShareAssumed)
        {
            m_edit.notes.emplace_back("No gradients are summed, so kernels of the optimizer are "
                                      "taken to grow with the operations of a forward pass");
        }
        return std::move(m_edit);
    }

  private:
    AxisNumbering FindStages() const
    {
        if (m_recorded.stages == m_wanted.stages)
        {
            return {m_job.RankCount(), 1}; // ranks stay where they are
        }
        std::vector<uint32_t> stages;
        for (const RankStructure& rank : m_structure.ranks)
        {
            stages.push_back(rank.stage);
        }
        const std::optional<AxisNumbering> numbering = FindNumbering(stages, m_recorded.stages);
        if (!numbering)
        {
            throw ConfigError(STAGES_WISH,
                              "ranks that differ in their stage alone do not stand equally far "
                              "apart, so those of other stages would have unknown numbers");
        }
        return *numbering;
    }

    uint32_t NewStageOf(uint32_t rank) const
    {
        return m_recorded.stages == m_wanted.stages ? m_structure.ranks[rank].stage
                                                    : m_to.PlaceOf(rank);
    }

    /// The recorded stage whose tasks a new one has.
    uint32_t BaseOf(uint32_t stage) const
    {
        if (stage == 0 || stage + 1 == m_wanted.stages || m_recorded.stages == m_wanted.stages)
        {
            return stage + 1 == m_wanted.stages ? m_recorded.stages - 1 : stage;
        }
        return m_recorded.stages == 2 ? 1 : 1 + (stage - 1) % (m_recorded.stages - 2);
    }

    /// Whether a new stage is between others, and no recorded one is.
    bool IsJoined(uint32_t stage) const
    {
        return m_recorded.stages == 2 && stage > 0 && stage + 1 < m_wanted.stages;
    }

    uint32_t SourceOf(uint32_t rank) const
    {
        return m_recorded.stages == m_wanted.stages
                   ? rank
                   : m_to.Moved(rank, m_from, BaseOf(NewStageOf(rank)));
    }

    uint32_t FindGraph(uint32_t rank)
    {
        const uint32_t stage = NewStageOf(rank);
        const uint32_t source = SourceOf(rank);
        const auto next = static_cast<uint32_t>(m_edit.job.graphs.size());
        const auto [known, isNew] =
            m_known.emplace(std::pair(m_job.graphOfRank[source], stage), next);
        if (isNew)
        {
            m_edit.job.graphs.push_back(MakeGraph(rank, source, stage));
        }
        return known->second;
    }

    ExecutionGraph MakeGraph(uint32_t rank, uint32_t source, uint32_t stage)
    {
        const RecordedStage base(m_job.GraphOf(RankId{source}), TasksOf(source), BaseOf(stage));
        NewStage made{.base = base,
                      .passes = ComputePasses(m_wanted, stage),
                      .microBatches = m_wanted.microBatches,
                      .firstLayers = FirstLayers(stage)};
        if (m_wanted.stages != m_recorded.stages)
        {
            made.nextPeer = PeerCountOf(source);
        }
        if (!IsJoined(stage))
        {
            return StageCopier(made).Run();
        }
        CheckHasNoGathers(base);
        const uint32_t firstRank = m_to.Moved(rank, m_from, 0);
        const RecordedStage first(m_job.GraphOf(RankId{firstRank}), TasksOf(firstRank), 0);
        made.first = &first;
        made.dropped = FindDropped(source);
        made.share = FindShareOfLayers(base.Graph(), base.Rank(), m_isShareAssumed);
        return StageCopier(made).Run();
    }

    /// Of the parameters that the last stage gathers (ZeRO), some are of the head.
    static void CheckHasNoGathers(const RecordedStage& last)
    {
        const auto isGather = [&](uint32_t node)
        {
            const ExecutionNode& task = last.Graph().Node(node);
            return task.type == NodeType::Collective &&
                   task.collective == CollectiveType::AllGather;
        };
        if (std::ranges::any_of(last.Rank().optimizer, isGather))
        {
            throw ConfigError(STAGES_WISH,
                              "copies hold shards of the parameters (ZeRO), of which some are of "
                              "the head of the model; a stage between others is known from a "
                              "recording of three stages");
        }
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

    std::set<uint32_t> StagesOf(CommunicatorId group) const
    {
        std::set<uint32_t> stages;
        for (const RankId rank : m_job.communicators[group.value].ranks)
        {
            stages.insert(m_from.PlaceOf(rank.value));
        }
        return stages;
    }

    /// By group: whether it is one of several stages.
    std::vector<bool> FindDropped(uint32_t source) const
    {
        std::vector<bool> dropped;
        for (const CommunicatorId group : m_job.communicatorOfGroup[source])
        {
            dropped.push_back(StagesOf(group).size() > 1);
        }
        return dropped;
    }

    void AddGroups(uint32_t rank)
    {
        const uint32_t source = SourceOf(rank);
        std::vector<CommunicatorId>& groups = m_edit.job.communicatorOfGroup.emplace_back();
        const std::vector<CommunicatorId>& old = m_job.communicatorOfGroup[source];
        for (uint32_t group = 0; group < old.size(); ++group)
        {
            groups.push_back(group == 0 ? CommunicatorId{0} : MoveGroup(rank, group, old[group]));
        }
    }

    CommunicatorId MoveGroup(uint32_t rank, uint32_t index, CommunicatorId group)
    {
        const std::set<uint32_t> stages = StagesOf(group);
        const bool isOfEnds = stages == std::set<uint32_t>{0, m_recorded.stages - 1};
        const uint32_t stage = NewStageOf(rank);
        const bool isEnd = stage == 0 || stage + 1 == m_wanted.stages;
        if (stages.size() > 1 && (!isOfEnds || !isEnd))
        {
            return CheckUnused(rank, index, stages.size());
        }
        std::vector<RankId> moved;
        for (const RankId member : m_job.communicators[group.value].ranks)
        {
            const bool isLast = m_from.PlaceOf(member.value) + 1 == m_recorded.stages;
            const uint32_t ends = isLast ? m_wanted.stages - 1 : 0;
            moved.push_back(
                RankId{m_from.Moved(member.value, m_to, stages.size() > 1 ? ends : stage)});
        }
        return m_communicators.Find(moved);
    }

    /// A group of several stages, which the new rank is not in.
    CommunicatorId CheckUnused(uint32_t rank, uint32_t index, size_t stages) const
    {
        const ExecutionGraph& graph = m_edit.job.GraphOf(RankId{rank});
        const auto calls = [&](const ExecutionNode& node)
        { return node.type == NodeType::Collective && node.group == index; };
        if (std::ranges::any_of(graph.Nodes(), calls))
        {
            throw ConfigError(STAGES_WISH,
                              fmt::format("a group holds ranks of {} stages; which of other stages "
                                          "it would hold is unknown",
                                          stages));
        }
        return CommunicatorId{0};
    }

    uint32_t PeerCountOf(uint32_t rank) const
    {
        return m_job.rankOfPeer.empty() ? m_job.RankCount()
                                        : static_cast<uint32_t>(m_job.rankOfPeer[rank].size());
    }

    /// Those of the recorded rank, in the new stage, then the next and the previous stage.
    void AddPeers(uint32_t rank)
    {
        const uint32_t source = SourceOf(rank);
        const uint32_t stage = NewStageOf(rank);
        std::vector<RankId>& peers = m_edit.job.rankOfPeer.emplace_back();
        for (uint32_t peer = 0; peer < PeerCountOf(source); ++peer)
        {
            const uint32_t old =
                m_job.rankOfPeer.empty() ? peer : m_job.rankOfPeer[source][peer].value;
            peers.push_back(RankId{m_from.Moved(old, m_to, stage)});
        }
        for (const uint32_t step : {1U, m_wanted.stages - 1})
        {
            peers.push_back(RankId{m_to.Moved(rank, m_to, (stage + step) % m_wanted.stages)});
        }
    }

    const Workload& m_job;
    const JobStructure& m_structure;
    Pipeline m_recorded;
    Pipeline m_wanted;
    AxisNumbering m_from;
    AxisNumbering m_to;
    uint32_t m_rankCount;
    CommunicatorList m_communicators;
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
