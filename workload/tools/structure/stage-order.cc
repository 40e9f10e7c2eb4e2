// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/stage-order.h"

#include "workload/tools/structure/task-order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace nadi
{

namespace
{

/// Order: the schedule is looked for when stages, chunks and micro-batches are known. It says of
/// which chunk each pass is, and layers are numbered by chunk.
class StageOrder
{
  public:
    StageOrder(const Workload& workload, JobStructure& structure)
        : m_workload(workload)
        , m_structure(structure)
    {
    }

    void Set()
    {
        SetStages();
        CountMicroBatches();
        MatchSchedule();
        NumberLayers();
    }

  private:
    /// The rank that has the lists of this one. The stage is not shared: each rank has its own.
    RankStructure& ListsOf(uint32_t rank)
    {
        return m_structure.ranks[m_structure.ranks[rank].sameAs];
    }

    bool Has(uint32_t rank, const TaskList& tasks, NodeType type) const
    {
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
        return std::ranges::any_of(tasks,
                                   [&](uint32_t task) { return graph.Node(task).type == type; });
    }

    /// Whether it is a forward pass that begins without a message.
    bool BeginsAlone(uint32_t rank, const LayerRunPass& pass) const
    {
        return pass.isForward && !Has(rank, pass.before, NodeType::Receive);
    }

    /// To whom a rank sends behind the layers of its first forward pass that sends. Sends within
    /// layers do not count: they are of a ring of contexts.
    std::optional<uint32_t> FindNextStage(uint32_t rank)
    {
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
        for (const LayerRunPass& pass : ListsOf(rank).passes)
        {
            for (const uint32_t task : pass.isForward ? pass.after : TaskList())
            {
                if (graph.Node(task).type == NodeType::Send)
                {
                    return m_workload.PeerOf(RankId{rank}, graph.Node(task)).value;
                }
            }
        }
        return std::nullopt;
    }

    /// Each rank that begins without a message is of stage 0, and a walk leads from it to where
    /// forward passes send. Ranks that no walk comes to keep stage 0, and a note counts them.
    void SetStages()
    {
        uint32_t stages = 1;
        const auto ranks = static_cast<uint32_t>(m_structure.ranks.size());
        std::vector<bool> isSet(ranks);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            if (isSet[rank] || !BeginsAlone(rank, ListsOf(rank).passes.front()))
            {
                continue;
            }
            uint32_t stage = 0;
            // With several chunks the last stage sends to the first one, which ends the walk. So
            // does a rank that was not recorded.
            for (std::optional<uint32_t> at = rank; at && *at < ranks && !isSet[*at];
                 at = FindNextStage(*at))
            {
                isSet[*at] = true;
                m_structure.ranks[*at].stage = stage++;
            }
            stages = std::max(stages, stage);
        }
        m_structure.degrees.pipeline = stages;
        const auto lost = std::ranges::count(isSet, false);
        if (lost > 0)
        {
            m_structure.notes.push_back(
                std::to_string(lost) + (lost == 1 ? " rank is" : " ranks are") +
                " behind stages that were not recorded, which are not known therefore.");
        }
    }

    /// On the first stage, a micro-batch goes without a message through chunk 0 alone. So the
    /// passes that begin alone are the micro-batches, and all forward passes are micro-batches
    /// times chunks.
    void CountMicroBatches()
    {
        for (const RankStructure& rank : m_structure.ranks)
        {
            const RankStructure& lists = ListsOf(rank.rank);
            uint32_t alone = 0;
            uint32_t forward = 0;
            for (const LayerRunPass& pass : lists.passes)
            {
                const bool counts = pass.iteration == 0 && pass.isForward;
                forward += counts ? 1 : 0;
                alone += counts && BeginsAlone(rank.rank, pass) ? 1 : 0;
            }
            // One rank of the first stage is enough: FindUnequalStages refuses jobs in which they
            // differ.
            if (rank.stage == 0 && alone > 0)
            {
                m_structure.microBatches = alone;
                m_structure.chunks = std::max(1U, forward / alone);
                return;
            }
        }
    }

    /// The passes of a stage by a schedule; none where it cannot be that of this job.
    std::vector<PipelinePass> PassesOf(PipelineSchedule schedule, uint32_t stage) const
    {
        const uint32_t stages = *m_structure.degrees.pipeline;
        const uint32_t chunks = m_structure.chunks;
        // An interleaved schedule is one of several chunks, and needs whole rounds of one
        // micro-batch for each stage.
        const bool isPossible = stage < stages && m_structure.microBatches > 0 &&
                                (chunks == 1 || m_structure.microBatches % stages == 0) &&
                                (chunks > 1) == (schedule == PipelineSchedule::Interleaved);
        if (!isPossible)
        {
            return {};
        }
        return ComputePasses({.schedule = schedule,
                              .stages = stages,
                              .chunks = chunks,
                              .microBatches = m_structure.microBatches},
                             stage);
    }

    /// The passes of an iteration, in order.
    static std::vector<LayerRunPass*> PassesIn(RankStructure& lists, int64_t iteration)
    {
        std::vector<LayerRunPass*> passes;
        for (LayerRunPass& pass : lists.passes)
        {
            if (pass.iteration == iteration)
            {
                passes.push_back(&pass);
            }
        }
        return passes;
    }

    /// Whether the first iteration of a rank goes forward and backward as the schedule says.
    bool Follows(uint32_t rank, PipelineSchedule schedule)
    {
        const auto expected = PassesOf(schedule, m_structure.ranks[rank].stage);
        // The schedule is to tell the micro-batch and chunk of each pass, so only directions can be
        // compared.
        const auto found = PassesIn(ListsOf(rank), 0);
        return std::ranges::equal(expected,
                                  found,
                                  [](const PipelinePass& want, const LayerRunPass* have)
                                  { return want.isForward == have->isForward; });
    }

    void MatchSchedule()
    {
        // Of schedules that do the same, as with one micro-batch, the first is named.
        for (const PipelineSchedule schedule : {PipelineSchedule::OneForwardOneBackward,
                                                PipelineSchedule::GPipe,
                                                PipelineSchedule::Interleaved})
        {
            const bool follow = std::ranges::all_of(m_structure.ranks,
                                                    [&](const RankStructure& rank)
                                                    { return Follows(rank.rank, schedule); });
            if (follow)
            {
                m_structure.schedule = schedule;
                ApplySchedule();
                return;
            }
        }
    }

    /// The k-th pass of an iteration is the k-th that the schedule names. An iteration that was cut
    /// off has fewer passes.
    void ApplySchedule()
    {
        for (RankStructure& rank : m_structure.ranks)
        {
            const auto expected = PassesOf(*m_structure.schedule, rank.stage);
            for (uint32_t iteration = 0; iteration < m_structure.iterations; ++iteration)
            {
                const auto passes = PassesIn(rank, iteration);
                for (size_t k = 0; k < std::min(passes.size(), expected.size()); ++k)
                {
                    passes[k]->microBatch = expected[k].microBatch;
                    passes[k]->chunk = expected[k].chunk;
                }
            }
        }
    }

    /// Layers of each chunk of the model, in the order of a forward pass. Chunk c of stage s is
    /// part c * stages + s of the model: with an interleaved schedule a forward pass goes through
    /// the first chunks of all stages before it comes to the second ones.
    std::vector<uint32_t> LayersOfChunks()
    {
        const uint32_t stages = *m_structure.degrees.pipeline;
        std::vector<uint32_t> layers(uint64_t{stages} * m_structure.chunks);
        for (const RankStructure& rank : m_structure.ranks)
        {
            for (const LayerRunPass& pass : ListsOf(rank.rank).passes)
            {
                const size_t chunk = size_t{pass.chunk} * stages + rank.stage;
                if (pass.isForward && chunk < layers.size())
                {
                    // A trace may begin or end within a pass, so the longest one counts.
                    layers[chunk] =
                        std::max(layers[chunk], static_cast<uint32_t>(pass.layers.size()));
                }
            }
        }
        return layers;
    }

    /// RankAnalysis counts the layers of each pass from 0, where names do not number them. What is
    /// added here is the number of layers in all earlier parts of the model.
    void NumberLayers()
    {
        const std::vector<uint32_t> layers = LayersOfChunks();
        std::vector<uint32_t> firsts{0};
        for (const uint32_t count : layers)
        {
            firsts.push_back(firsts.back() + count);
        }
        m_structure.layers = firsts.back();
        for (RankStructure& rank : m_structure.ranks)
        {
            for (LayerRunPass& pass : rank.passes)
            {
                const size_t chunk =
                    size_t{pass.chunk} * *m_structure.degrees.pipeline + rank.stage;
                for (LayerPass& layer : pass.layers)
                {
                    // Names number the layers of the whole model already.
                    const bool isNumbered = rank.evidence == StructureEvidence::Scopes;
                    layer.layer += isNumbered || chunk >= layers.size() ? 0 : firsts[chunk];
                }
            }
        }
    }

    const Workload& m_workload;
    JobStructure& m_structure;
};

/// To whom a rank sends within its layers, by the first layer of each pass; nothing where it does
/// not.
std::optional<uint32_t>
FindNextContext(const Workload& workload, const JobStructure& structure, uint32_t rank)
{
    const ExecutionGraph& graph = workload.GraphOf(RankId{rank});
    for (const LayerRunPass& pass : structure.ranks[structure.ranks[rank].sameAs].passes)
    {
        for (const uint32_t task : pass.layers.front().tasks)
        {
            if (graph.Node(task).type == NodeType::Send)
            {
                return workload.PeerOf(RankId{rank}, graph.Node(task)).value;
            }
        }
    }
    return std::nullopt;
}

/// From rank 0 to whom it sends within its layers, and so on.
struct RingWalk
{
    uint32_t members = 1;
    uint32_t end = 0; ///< to whom the last one sends: 0, where a ring closes; itself, if to nobody
};

/// The ring that rank 0 is in stands for all rings of contexts.
RingWalk
FollowRing(const Workload& workload, const JobStructure& structure)
{
    const auto next = [&](uint32_t rank)
    { return FindNextContext(workload, structure, rank).value_or(rank); };
    // The walk also ends when it has met as many members as there are ranks, as it may lead into a
    // circle that rank 0 is not in.
    RingWalk walk{.members = 1, .end = next(0)};
    while (walk.end != 0 && walk.end < structure.ranks.size() &&
           walk.members < structure.ranks.size())
    {
        const uint32_t member = walk.end;
        ++walk.members;
        walk.end = next(member);
        if (walk.end == member)
        {
            break;
        }
    }
    return walk;
}

} // namespace

void
OrderStages(const Workload& workload, JobStructure& structure)
{
    StageOrder(workload, structure).Set();
}

uint32_t
FindContextDegree(const Workload& workload, const JobStructure& structure)
{
    return FollowRing(workload, structure).members;
}

bool
HasOpenRing(const Workload& workload, const JobStructure& structure)
{
    const RingWalk walk = FollowRing(workload, structure);
    return walk.members > 1 && walk.end != 0U && walk.end < structure.ranks.size();
}

} // namespace nadi
