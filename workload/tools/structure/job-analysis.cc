// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/job-analysis.h"

#include "common/error.h"
#include "workload/tools/structure/apart-gradients.h"
#include "workload/tools/structure/call-roles.h"
#include "workload/tools/structure/job-doubts.h"
#include "workload/tools/structure/rank-structures.h"
#include "workload/tools/structure/stage-order.h"
#include "workload/tools/structure/structure-notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// Each rank is analysed by itself first. Then what the ranks show together is added: stages and
/// schedule, roles of groups, degrees. Hints of the user replace degrees afterwards, and what
/// speaks against the result is looked for last.
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
        FoundRanks found = FindRankStructures(m_workload, m_orders, m_hints);
        m_result.ranks = std::move(found.ranks);
        m_result.notes = std::move(found.notes);
        SumUpRanks();
        // OrderStages requires that each rank has layers. The least share of kernels in layers is
        // only above 0 then.
        if (m_result.confidence > 0)
        {
            OrderStages(m_workload, m_result);
        }
        if (HasContradiction())
        {
            ForgetLayers();
        }
        // Order: roles need the stages, which tell the group of an embedding, and degrees need the
        // roles, as they are sizes of groups with a role.
        const CallRoles roles(m_workload, m_result);
        m_result.groups = roles.ListUses();
        m_result.hasSequenceParallelism = roles.HasScatteredSums();
        SetApartGradients(m_workload, roles, m_result);
        if (m_result.HasLayers())
        {
            FindDegrees();
        }
        // Hints replace degrees. AddDoubts compares both, so the degrees that the traces show are
        // kept.
        const FoundDegrees shown = m_result.degrees;
        SetHints();
        NoteLeftOut(found.leftOut);
        SetHintedCopies();
        AddStructureNotes(m_result);
        AddDoubts(shown);
        return std::move(m_result);
    }

  private:
    /// The structure of a job is as sure as that of its least sure rank. Where the evidence of
    /// ranks differs, the last kind in StructureEvidence stands for the job.
    void SumUpRanks()
    {
        m_result.confidence = 1;
        m_result.evidence = StructureEvidence::None;
        for (const RankStructure& rank : m_result.ranks)
        {
            m_result.confidence = std::min(m_result.confidence, rank.covered);
            m_result.evidence = std::max(m_result.evidence, rank.evidence);
            m_result.hasOptimizer |= !rank.optimizer.empty();
            m_result.isOfHost |= IsOfHost(m_workload, rank);
            for (const LayerRunPass& pass : rank.passes)
            {
                m_result.hasBackward |= !pass.isForward;
                m_result.iterations =
                    std::max(m_result.iterations, static_cast<uint32_t>(pass.iteration + 1));
            }
        }
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

    /// Keeps the tasks of each rank and nothing that was found in them.
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
                                "not layers: a stage seems to have one layer, or no two equal "
                                "ones.");
        m_result = std::move(bare);
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
    /// members of its groups were not recorded. Where groups of the role differ in size, the
    /// largest counts.
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
                fmt::format("The {} groups that are known hold one rank each. If they hold more, a "
                            "groups file says so, or --degrees where the traces name no groups.",
                            ToText(role)));
            return std::nullopt;
        }
        return std::max(1U, static_cast<uint32_t>(size));
    }

    /// OrderStages has set the degree of the pipeline. The number of copies stays unknown where the
    /// members of tensor groups, or of groups of copies, are.
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
        // Ranks that share the tokens of a sequence have copies of the same parameters, so they are
        // in the groups that sum gradients. Without such a group the ranks that are left over are
        // copies.
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
    }

    void NoteLeftOut(double leftOut)
    {
        if (!m_result.HasLayers() && leftOut > 0)
        {
            m_result.notes.push_back(
                fmt::format("The longest parts that repeat hold {:.0f} % of the {}, which is too "
                            "little for layers.",
                            100 * leftOut,
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
