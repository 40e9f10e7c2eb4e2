// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/shape-edit.h"

#include "common/error.h"
#include "workload/execution-graph-builder.h"
#include "workload/what-if/parameter-share.h"
#include "workload/what-if/shapes/element-bytes.h"
#include "workload/what-if/shapes/expert-exchanges.h"
#include "workload/what-if/shapes/graph-resizer.h"
#include "workload/what-if/shapes/shape-notes.h"
#include "workload/what-if/shapes/shape-ranks.h"
#include "workload/what-if/shapes/shape-reading.h"
#include "workload/what-if/shapes/shape-target.h"
#include "workload/what-if/shapes/tensor-calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace nadi
{

namespace
{

/// The key of the first part of a wish that is set.
std::string
NameOf(const ShapeWish& wish)
{
    const std::pair<const char*, bool> keys[] = {{"hidden", wish.hidden.has_value()},
                                                 {"ffn", wish.ffn.has_value()},
                                                 {"heads", wish.heads.has_value()},
                                                 {"sequence", wish.sequence.has_value()},
                                                 {"micro-batch", wish.microBatch.has_value()},
                                                 {"ep", wish.expert.has_value()},
                                                 {"tp", wish.tensor.has_value()}};
    const auto* const found = std::ranges::find(keys, true, &std::pair<const char*, bool>::second);
    return std::string("what-if: ") + (found == std::end(keys) ? "sp" : found->first);
}

TensorMode
ModeOf(uint64_t tensor, bool isScattered)
{
    return tensor == 1 ? TensorMode::Alone
                       : (isScattered ? TensorMode::Scattered : TensorMode::Summed);
}

/// The constructor reads what recorded sizes mean, and what the wish makes of them. ShapeRanks says
/// which ranks the new job has, and whose tasks they do. Each pair of a recorded graph and a part
/// of the new model then becomes a graph (FindGraph).
class ShapeEditor
{
  public:
    ShapeEditor(const Workload& job,
                const JobStructure& structure,
                const ShapeWish& wish,
                KernelTimer& timer)
        : m_job(job)
        , m_structure(structure)
        , m_wish(NameOf(wish))
        , m_timer(timer)
        , m_reading(ReadShapes(job, structure, m_wish))
        , m_target(FindTarget(m_reading.whole, wish))
        , m_modeBefore(ModeOf(m_reading.whole.tensor, structure.hasSequenceParallelism))
        , m_mode(ModeOf(m_target.tensor,
                        wish.sequenceParallelism.value_or(structure.hasSequenceParallelism)))
    {
    }

    ShapeEdit Run()
    {
        if (m_target == m_reading.whole && m_mode == m_modeBefore)
        {
            return {m_job, {}};
        }
        CheckCut(m_target, m_mode);
        CheckModes();
        CheckExpertCopies();
        ShapeRanks ranks(m_job,
                         m_reading,
                         {.tensorBefore = static_cast<uint32_t>(m_reading.whole.tensor),
                          .tensor = static_cast<uint32_t>(m_target.tensor),
                          .expertBefore = static_cast<uint32_t>(m_reading.whole.expert),
                          .expert = static_cast<uint32_t>(m_target.expert)});
        // What the job has besides its ranks, groups and graphs stays.
        m_new = m_job;
        m_new.graphs.clear();
        m_new.graphOfRank.clear();
        m_new.communicatorOfGroup.clear();
        m_new.rankOfPeer.clear();
        for (uint32_t rank = 0; rank < ranks.RankCount(); ++rank)
        {
            Add(rank, ranks);
        }
        m_new.communicators = ranks.Communicators();
        return {std::move(m_new), ListNotes()};
    }

  private:
    std::vector<std::string> ListNotes() const
    {
        std::vector<std::string> notes = DescribeSizeChanges(m_reading.whole, m_target);
        if (m_mode != m_modeBefore && m_mode != TensorMode::Alone)
        {
            notes.push_back(m_mode == TensorMode::Scattered
                                ? "Sequence parallelism: tensor-parallel ranks have parts of the "
                                  "tokens between blocks"
                                : "Without sequence parallelism: tensor-parallel ranks have all "
                                  "tokens between blocks");
        }
        notes.push_back(DescribeSizes(m_reading.whole));
        if (!m_reading.byteCounting.isSure)
        {
            notes.push_back(DescribeByteCounting(m_reading.byteCounting));
        }
        std::ranges::copy(m_reading.notes, std::back_inserter(notes));
        std::ranges::move(m_timer.Notes(), std::back_inserter(notes));
        return notes;
    }

    void CheckModes() const
    {
        if (m_reading.whole.experts > 0 && m_mode == TensorMode::Summed)
        {
            throw ConfigError(m_wish,
                              "experts beside tensor parallelism need sequence parallelism, so "
                              "that each token is routed once; write sp=on too");
        }
    }

    /// Ranks that share experts are neighbours among the copies, so copies have to fall into whole
    /// groups. A degree that stays needs no check.
    void CheckExpertCopies() const
    {
        const uint64_t copies = m_structure.degrees.data.value_or(1);
        if (m_target.expert != m_reading.whole.expert && copies % m_target.expert != 0)
        {
            throw ConfigError(
                "what-if: ep",
                fmt::format("{} copies of the model cannot share experts in groups of {}; write a "
                            "divisor of {}, or a dp that it divides",
                            copies,
                            m_target.expert,
                            copies));
        }
    }

    void Add(uint32_t rank, ShapeRanks& ranks)
    {
        const uint32_t source = ranks.SourceOf(rank);
        const uint32_t graph = m_job.graphOfRank[source];
        const uint32_t place = ranks.PlaceOf(rank);
        // The part of a new rank is cut from the new model. Ranks of one source may get unlike
        // parts, so a graph is made for each pair of source and part.
        const SizeChange change{.before = m_reading.PartOf(source),
                                .after = CutSizes(m_target, place),
                                .rules = m_reading.rules,
                                .byteCounting = m_reading.byteCounting};
        m_new.graphOfRank.push_back(FindGraph(graph, change));
        m_new.communicatorOfGroup.push_back(ranks.GroupsOf(rank));
        // Order: as Resize adds these groups to the graph, that of tensor calls before that of
        // exchanges.
        if (m_modeBefore == TensorMode::Alone && m_mode != TensorMode::Alone)
        {
            m_new.communicatorOfGroup.back().push_back(ranks.TensorGroupOf(rank));
        }
        if (BeginsExchanges())
        {
            m_new.communicatorOfGroup.back().push_back(ranks.SharedExpertsOf(rank));
        }
        m_new.rankOfPeer.push_back(ranks.PeersOf(rank));
    }

    /// Each graph is changed once for each part.
    uint32_t FindGraph(uint32_t graph, const SizeChange& change)
    {
        // A list is searched, as a graph has at most one part for each place.
        for (const Made& made : m_made)
        {
            if (made.source == graph && made.part == change.after)
            {
                return made.graph;
            }
        }
        const auto made = static_cast<uint32_t>(m_new.graphs.size());
        m_new.graphs.push_back(Resize(graph, change));
        m_made.push_back({graph, change.after, made});
        return made;
    }

    ExecutionGraph Resize(uint32_t index, const SizeChange& change)
    {
        const ExecutionGraph& graph = m_job.graphs[index];
        ExecutionGraphBuilder builder(graph.Source());
        AddGroups(graph, builder);
        // Tensor calls first: exchanges of experts go outside of what the tensor group gathers and
        // sums.
        std::vector<DraftTask> drafts = m_mode == m_modeBefore
                                            ? DraftsOf(graph, m_reading.jobs.at(index))
                                            : DraftWithCalls(index, change, builder);
        if (BeginsExchanges())
        {
            drafts = DraftWithExchanges(index, change, std::move(drafts), builder);
        }
        if (EndsExchanges())
        {
            drafts = RemoveExchanges(std::move(drafts));
        }
        // Drafts have their recorded sizes until here, new calls too, so all are resized alike.
        for (DraftTask& draft : drafts)
        {
            CheckAlternatives(graph, draft, change);
            draft.copy = ResizeTask(std::move(draft.copy), draft.meaning, change, m_timer);
        }
        AddDrafts(std::move(drafts), builder);
        return builder.Build();
    }

    bool BeginsExchanges() const
    {
        return m_reading.whole.expert == 1 && m_target.expert > 1;
    }

    bool EndsExchanges() const
    {
        return m_reading.whole.expert > 1 && m_target.expert == 1;
    }

    std::vector<DraftTask> DraftWithExchanges(uint32_t index,
                                              const SizeChange& change,
                                              std::vector<DraftTask> drafts,
                                              ExecutionGraphBuilder& builder) const
    {
        const ExecutionGraph& graph = m_job.graphs[index];
        const RankMeaning& meaning = m_reading.jobs.at(index);
        const BlockPhases phases(graph, meaning);
        // The size that a recorded call would have: with all experts on each rank, each token
        // counts once. ResizeTask makes the size for the new degree from this.
        const uint64_t numbers = Amount{.kind = AmountKind::RoutedShare}.Count(change.before, {});
        return ExpertExchanges(
                   graph,
                   phases,
                   {.group = builder.AddGroup(FreeGroupName(graph, "ep")),
                    .size = numbers * FindActivationBytes(
                                          graph, meaning, change.before, m_reading.byteCounting)},
                   std::move(drafts))
            .Run();
    }

    std::vector<DraftTask>
    DraftWithCalls(uint32_t index, const SizeChange& change, ExecutionGraphBuilder& builder) const
    {
        const ExecutionGraph& graph = m_job.graphs[index];
        const RankMeaning& meaning = m_reading.jobs.at(index);
        // The group of the recorded calls. New ones are of the same group.
        uint32_t group = 0;
        for (uint32_t node = 0; node < graph.NodeCount() && group == 0; ++node)
        {
            const bool isCall = meaning.tasks[node].call != TensorCall::None;
            group = isCall ? graph.Node(node).group : 0;
        }
        if (m_modeBefore == TensorMode::Alone)
        {
            group = builder.AddGroup(FreeGroupName(graph, "tp"));
        }
        const auto rank = std::ranges::find_if(m_structure.ranks,
                                               [&](const RankStructure& one) {
                                                   return one.sameAs == one.rank &&
                                                          m_job.graphOfRank[one.rank] == index;
                                               });
        return TensorCalls(graph,
                           *rank,
                           meaning,
                           {.modes = {.before = m_modeBefore, .after = m_mode},
                            .part = change.before,
                            .byteCounting = change.byteCounting},
                           group)
            .Run();
    }

    /// Throws ConfigError where rules that explain the recording equally well tell other sizes.
    void CheckAlternatives(const ExecutionGraph& graph,
                           const DraftTask& draft,
                           const SizeChange& change) const
    {
        const Amount& amount = draft.meaning.amount;
        if (!amount.HasParameters())
        {
            return;
        }
        const ExecutionNode& task = draft.copy.node;
        const auto resized = [&](const ParameterRules& rules)
        {
            // The bytes of a collective; of a kernel the larger of its bytes and operations.
            return ParameterShare{.after = amount.Count(change.after, rules),
                                  .before = amount.Count(change.before, rules)}
                .Of(std::max(task.size, task.operations));
        };
        for (const ParameterRules& rules : m_reading.alternatives)
        {
            if (resized(rules) != resized(change.rules))
            {
                throw ConfigError(
                    m_wish,
                    fmt::format("{}: \"{}\" counts parameters besides those of matrices, which may "
                                "be biases, norms, positions or a matrix of the head; sums of "
                                "gradients layer by layer, as with dp, would tell",
                                graph.Source(),
                                draft.copy.name));
            }
        }
    }

    struct Made
    {
        uint32_t source = 0;
        ShapeSizes part;
        uint32_t graph = 0;
    };

    const Workload& m_job;
    const JobStructure& m_structure;
    std::string m_wish;
    KernelTimer& m_timer;
    ShapeReading m_reading;
    ShapeSizes m_target;
    TensorMode m_modeBefore;
    TensorMode m_mode;
    Workload m_new;
    std::vector<Made> m_made;
};

} // namespace

ShapeEdit
ChangeShapes(const Workload& job,
             const JobStructure& structure,
             const ShapeWish& wish,
             KernelTimer& timer)
{
    return ShapeEditor(job, structure, wish, timer).Run();
}

} // namespace nadi
