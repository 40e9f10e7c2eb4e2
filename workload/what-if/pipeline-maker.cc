// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/pipeline-maker.h"

#include "common/error.h"
#include "workload/what-if/chunk-source.h"
#include "workload/what-if/group-origins.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/what-if/stage-copier.h"
#include "workload/what-if/stage-parameters.h"
#include "workload/what-if/stage-ranks.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace nadi
{

namespace
{

/// Of parameters that are gathered behind the optimizer (ZeRO 1, 2), some are of the ends of the
/// model. Throws ConfigError.
void
CheckHasNoGathers(const RecordedStage& stage)
{
    const auto isGather = [&](uint32_t node)
    {
        const ExecutionNode& task = stage.Graph().Node(node);
        return task.type == NodeType::Collective && task.collective == CollectiveType::AllGather;
    };
    if (std::ranges::any_of(stage.Rank().optimizer, isGather))
    {
        throw ConfigError("what-if: pp",
                          "copies hold shards of the parameters (ZeRO), of which some are of the "
                          "head of the model; a stage between others is known from a recording of "
                          "three stages");
    }
}

/// Throws ConfigError where a recording does not tell whether sums of the only micro-batch are of
/// each, or of the last alone.
void
CheckOnlyMicroBatch(const RecordedStage& stage, const Pipeline& wanted)
{
    for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
    {
        const bool isScattered = stage.IsGradientSum(node) && stage.Graph().Node(node).collective ==
                                                                  CollectiveType::ReduceScatter;
        if (isScattered && stage.HasOnlyMicroBatch() && wanted.microBatches > 1 &&
            !stage.SumsEachMicroBatch())
        {
            throw ConfigError("what-if: micro-batches",
                              "a single micro-batch was recorded, which does not tell whether "
                              "copies scatter the gradients of each (ZeRO 2) or of the last alone "
                              "(ZeRO 1); a recording of two micro-batches does");
        }
    }
}

/// Of messages between stages. Those within layers keep theirs, which must be others.
uint64_t
FindFirstTag(const Workload& job, const JobStructure& structure)
{
    // As in generated jobs, in which messages of rings have tags from 0.
    uint64_t first = uint64_t{1} << 29;
    for (const RankStructure& rank : structure.ranks)
    {
        const ExecutionGraph& graph = job.GraphOf(RankId{rank.rank});
        for (const LayerRunPass& pass : rank.passes)
        {
            for (const LayerPass& layer : pass.layers)
            {
                for (const uint32_t task : layer.tasks)
                {
                    const uint64_t tag = graph.Node(task).tag;
                    first = std::max(first, tag + 1);
                }
            }
        }
    }
    return first;
}

/// How much a stage gets, or loses, of a matrix that both ends share.
int64_t
TiedIn(StageWeights::Unit unit, const TiedMatrix& tied)
{
    switch (unit)
    {
    case StageWeights::Unit::GradientBytes:
        return tied.sumBytes;
    case StageWeights::Unit::Parameters:
        return tied.parameters;
    case StageWeights::Unit::Operations:
        break;
    }
    return 0; // an operation of the head is no parameter
}

/// Makes the graphs of new stages one by one, then who is in the groups of each rank.
///
/// A new rank has a base: the recorded rank that is like it, of the stage that BaseStageOf says.
/// Tasks outside of layers at the ends of a chunk may come from recorded ranks of other stages
/// (FindChunkSource).
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
        , m_ranks(job, structure, recorded, wanted)
        , m_firstTag(FindFirstTag(job, structure))
        , m_parameters(TryToCountParameters(job, structure))
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
        if (m_hasHost)
        {
            m_edit.notes.emplace_back("Operators of the host are copied with the tasks that they "
                                      "launch, in the order of the new passes; what is put in has "
                                      "no launches");
        }
        if ((m_parameters.counted && m_ranks.AreOther()) || m_isShareAssumed)
        {
            m_edit.notes.push_back(NoteOfParameters(m_parameters));
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
            made.communicatorOfGroup.push_back(m_ranks.GroupsOf(
                rank, made.GraphOf(RankId{rank}), m_added[made.graphOfRank[rank]]));
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

    /// One for all ranks whose recorded stages share theirs.
    uint32_t FindGraph(uint32_t rank)
    {
        // A graph is made for its new stage, of the recorded graphs of all stages at the same
        // place. Without new stages or chunks it is made of its own recorded graph alone.
        std::vector<uint32_t> key{m_ranks.StageOf(rank)};
        for (uint32_t stage = 0; m_ranks.AreOther() && stage < m_recorded.stages; ++stage)
        {
            key.push_back(m_job.graphOfRank[m_ranks.RecordedAt(rank, stage)]);
        }
        key.push_back(m_job.graphOfRank[m_ranks.SourceOf(rank)]);
        const auto next = static_cast<uint32_t>(m_edit.job.graphs.size());
        const auto [known, isNew] = m_known.emplace(std::move(key), next);
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
        const RecordedStage& base = RecordedOf(source);
        CheckOnlyMicroBatch(base, m_wanted);
        NewStage made{.base = base,
                      .chunks = MakeChunks(rank),
                      .passes = ComputePasses(m_wanted, stage),
                      .microBatches = m_wanted.microBatches,
                      .isWhole = m_wanted.stages == 1,
                      .firstTag = m_firstTag};
        if (m_ranks.AreOther())
        {
            Join(rank, made);
        }
        GroupOrigins groups(base.Graph(),
                            [&](uint32_t from, uint32_t group)
                            { return m_ranks.FindInSource(rank, from, group); });
        StageCopier copier(made, groups);
        ExecutionGraph graph = copier.Run();
        m_added.push_back(groups.AllAdded());
        if (base.Host().IsEmpty())
        {
            return graph;
        }
        m_hasHost = true;
        return WeaveHost(graph, copier.Origins(), base.Host());
    }

    std::vector<NewChunk> MakeChunks(uint32_t rank)
    {
        const uint32_t stage = m_ranks.StageOf(rank);
        const uint32_t perPass = m_structure.layers / (m_recorded.stages * m_recorded.chunks);
        std::vector<NewChunk> chunks;
        for (uint32_t chunk = 0; chunk < m_wanted.chunks; ++chunk)
        {
            const ChunkSource source = FindChunkSource(m_recorded, m_wanted, stage, chunk);
            // Chunks go round the stages: the second chunk of stage 0 follows the first of the last
            // stage.
            const uint32_t number = chunk * m_wanted.stages + stage;
            chunks.push_back({.number = number,
                              .firstLayer = number * perPass,
                              .layers = PartOf(rank, source.layers),
                              .begin = PartOf(rank, source.begin),
                              .end = PartOf(rank, source.end)});
        }
        return chunks;
    }

    StagePart PartOf(uint32_t rank, const std::optional<RecordedChunk>& chunk)
    {
        if (!chunk)
        {
            return {};
        }
        return {&RecordedOf(m_ranks.RecordedAt(rank, chunk->stage)), chunk->chunk};
    }

    /// What a stage has with its neighbours and with the other end.
    void Join(uint32_t rank, NewStage& made)
    {
        const uint32_t source = m_ranks.SourceOf(rank);
        const uint32_t stage = m_ranks.StageOf(rank);
        const bool isEnd = stage == 0 || stage + 1 == m_wanted.stages;
        const GroupSizes sizes = SizesOfGroups(m_job, source);
        made.nextPeer = m_ranks.PeerCountOf(source);
        // A stage between others is in no group of both ends, and the ends of a single stage have
        // nobody to sum with.
        if (!isEnd || made.isWhole)
        {
            made.dropped = m_ranks.FindGroupsOfEnds(source);
        }
        if (m_recorded.stages == 1)
        {
            // Sizes in the trace may count elements of several bytes. With sequence parallelism the
            // ranks of a tensor group hand on a part of the tokens each.
            const uint64_t parts =
                m_structure.hasSequenceParallelism ? m_structure.degrees.tensor.value_or(1) : 1;
            made.messageBytes = FindMessageBytes(
                made.base, sizes, parts * static_cast<uint64_t>(m_job.elementSize.Count()));
            made.areAllOfStage = true;
            SetTied(stage, FindTiedMatrix(made.base, sizes), made);
        }
        else if (made.isWhole)
        {
            const uint32_t last = m_ranks.RecordedAt(rank, m_recorded.stages - 1);
            made.tied = FindUntiedMatrix(
                RecordedOf(last), m_ranks.FindGroupsOfEnds(last), SizesOfGroups(m_job, last));
        }
        CheckGathers(made);
        SetShare(made);
    }

    /// Of a single recorded stage: the last one gets a copy, and both ends sum.
    void SetTied(uint32_t stage, const TiedMatrix& tied, NewStage& made) const
    {
        if (stage + 1 == m_wanted.stages)
        {
            made.tied = tied;
        }
        else if (stage == 0)
        {
            made.tied.sumOfEnds = tied.sumOfEnds;
        }
    }

    /// The parameters of a stage that keeps its own are known to be gathered as before.
    void CheckGathers(const NewStage& made) const
    {
        // Gathers behind the optimizer are not told apart by the part of the model that they are
        // of. So a stage keeps them only if it keeps all of its parts.
        const bool isOwn =
            made.chunks.size() == m_recorded.chunks &&
            std::ranges::all_of(made.chunks,
                                [](const NewChunk& chunk) {
                                    return chunk.begin == chunk.layers && chunk.end == chunk.layers;
                                });
        if (!isOwn)
        {
            CheckHasNoGathers(made.base);
        }
    }

    StageWeights WeightsOf(const RecordedStage& stage) const
    {
        return WeighStage(stage, m_parameters.counted, SizesOfGroups(m_job, stage.Rank().rank));
    }

    void SetShare(NewStage& made)
    {
        // The base tells what its own chunks have. Embedding and head count for the stages that get
        // them, with the weights of the stages that they come from.
        const StageWeights weights = WeightsOf(made.base);
        m_isShareAssumed |= weights.unit == StageWeights::Unit::Operations;
        const uint32_t last = m_wanted.stages * m_wanted.chunks - 1;
        ShardedSums after;
        after.Add(made.tied.shards, TiedIn(weights.unit, made.tied));
        for (const NewChunk& chunk : made.chunks)
        {
            after.Add(weights.chunks[chunk.layers.chunk]);
            if (chunk.number == 0)
            {
                after.Add(WeightsOf(*chunk.begin.stage).begin);
            }
            if (chunk.number == last)
            {
                after.Add(WeightsOf(*chunk.end.stage).end);
            }
        }
        made.share = ShareBetween(made.base.Graph(), weights.Together(), after);
    }

    /// Ranks of equal tasks share the lists of one of them, and their graph.
    const RecordedStage& RecordedOf(uint32_t rank)
    {
        // The lists of the first of equal ranks, with the graph of this one: nodes have the same
        // numbers in both.
        const uint32_t lists = m_structure.ranks[rank].sameAs;
        const auto known = m_stages.find(lists);
        if (known != m_stages.end())
        {
            return *known->second;
        }
        const RankStructure& tasks =
            *std::ranges::find(m_structure.ranks, lists, &RankStructure::rank);
        return *m_stages
                    .emplace(lists,
                             std::make_unique<RecordedStage>(m_job.GraphOf(RankId{rank}), tasks))
                    .first->second;
    }

    const Workload& m_job;
    const JobStructure& m_structure;
    Pipeline m_recorded;
    Pipeline m_wanted;
    StageRanks m_ranks;
    uint64_t m_firstTag;
    CountedOrReason m_parameters; // where gradients are not summed
    bool m_isShareAssumed = false;
    bool m_hasHost = false;
    std::map<uint32_t, std::unique_ptr<RecordedStage>> m_stages; // by the first of equal ranks
    std::map<std::vector<uint32_t>, uint32_t> m_known;           // of new stage and recorded graphs
    std::vector<std::vector<GroupOrigins::Added>> m_added;       // by new graph
    PipelineEdit m_edit;
};

} // namespace

PipelineEdit
MakePipeline(const Workload& job,
             const JobStructure& structure,
             const Pipeline& recorded,
             const Pipeline& wanted)
{
    return PipelineEditor(job, structure, recorded, wanted).Run();
}

} // namespace nadi
