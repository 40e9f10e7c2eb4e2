// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/what-if.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/tools/structure/message-agreement.h"
#include "workload/tools/structure/rank-agreement.h"
#include "workload/what-if/apply-kernel-edits.h"
#include "workload/what-if/called-groups.h"
#include "workload/what-if/copies-edit.h"
#include "workload/what-if/expert-sums.h"
#include "workload/what-if/found-again.h"
#include "workload/what-if/gradient-buckets.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/layer-edit.h"
#include "workload/what-if/like-layers.h"
#include "workload/what-if/lone-calls.h"
#include "workload/what-if/named-groups.h"
#include "workload/what-if/recorded-calls.h"
#include "workload/what-if/shapes/shape-edit.h"
#include "workload/what-if/stage-edit.h"
#include "workload/what-if/wanted-layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace nadi
{

namespace
{

/// Apart from sizes.
bool
ChangesStructure(const WhatIf& wish)
{
    return wish.layers || ChangesPipeline(wish) || wish.copies || wish.bucket;
}

bool
SumsGradients(const JobStructure& structure)
{
    return std::ranges::any_of(
        structure.ranks, [](const RankStructure& rank) { return !rank.gradientSums.empty(); });
}

/// The edits of one job, in their order.
///
/// `m_found` is the structure as it was found last, and `m_known` what edits have made of the job.
/// Where an edit needs the structure of a changed job, it is found anew and compared with what is
/// known (FindAgain): an edit by a misread structure would make a wrong job without a word.
class WhatIfEditor
{
  public:
    WhatIfEditor(const Workload& job,
                 const JobStructure& found,
                 const WhatIf& wish,
                 KernelTimes times)
        : m_found(&found)
        , m_wish(wish)
        , m_timer(job, std::move(times))
        , m_result{job, {}, {}}
    {
        if (ChangesStructure(wish) || !wish.shapes.IsEmpty())
        {
            m_known = KnownPartsOf(job, found);
        }
    }

    WhatIfJob Run()
    {
        // Checked first, as all edits below take layers for each other.
        const uint32_t layers = LayersBefore(*m_found, m_wish);
        if (DealsLayersAnew(layers))
        {
            CheckLayersAlike(m_result.job,
                             *m_found,
                             {.edit = KeyOfLayers(*m_found, m_wish),
                              .isToOtherChunks = IsCutAnew(*m_found, m_wish, m_found->layers)});
        }
        // In a job with more ranks, a call of all ranks would silently become one of all new ones.
        if (ChangesRanks())
        {
            m_result.job = NameGroups(m_result.job, *m_found);
        }
        // Before experts get groups of a rank alone. What was recorded so has to stay.
        const std::set<std::string> loneGroups = FindLoneGroups(m_result.job);
        SumExperts(layers);
        TakeBucketsOut(layers);
        // Experts are spread over copies, so the copies have to be there. The structure is found at
        // once, as edits of sizes read it.
        const bool areCopiesFirst = NeedsCopiesFirst();
        if (areCopiesFirst)
        {
            ApplyCopies();
            Know(FindAgain(m_result.job, m_wish, m_known));
            m_isChanged = false;
        }
        if (!m_wish.shapes.IsEmpty())
        {
            ApplyShapes();
        }
        // The pipeline edit keeps the layers of each chunk. Where chunks become fewer or more, the
        // number of layers changes first.
        if (layers != m_found->layers || m_wish.layers)
        {
            ApplyLayers(layers);
        }
        if (ChangesPipeline(m_wish))
        {
            ApplyPipeline();
        }
        if (m_wish.copies && !areCopiesFirst)
        {
            ApplyCopies();
        }
        PutBucketsIn();
        // Calls of a rank alone were there only to count the parameters of experts.
        if (m_wish.shapes.expert.value_or(m_found->degrees.expert.value_or(1)) > 1)
        {
            RemoveLoneCalls(m_result.job, loneGroups);
        }
        // Edits leave groups that nobody calls any more, which would show in results.
        if (ChangesRanks() || !m_wish.shapes.IsEmpty())
        {
            KeepCalledGroups(m_result.job);
        }
        if (!m_result.changes.empty())
        {
            NumberNodes(m_result.job); // calls that were taken out leave gaps
        }
        ApplyKernelEdits(m_wish, m_timer, m_result);
        NoteTimes();
        return std::move(m_result);
    }

  private:
    bool ChangesRanks() const
    {
        return m_wish.stages || m_wish.copies || m_wish.shapes.tensor || m_wish.shapes.expert;
    }

    bool DealsLayersAnew(uint32_t layers) const
    {
        return m_found->HasLayers() && IsCutAnew(*m_found, m_wish, layers);
    }

    JobStructure Structure() const
    {
        // Found again only if something changed, as finding takes long in large jobs.
        return m_isChanged ? FindAgain(m_result.job, m_wish, m_known) : *m_found;
    }

    /// Where too few copies were recorded to share experts as wished.
    bool NeedsCopiesFirst() const
    {
        const uint32_t expert = m_wish.shapes.expert.value_or(1);
        return m_wish.copies && m_found->degrees.data.value_or(1) % expert != 0;
    }

    /// Gradients of experts are summed apart while other edits need it.
    void SumExperts(uint32_t layers)
    {
        ExpertSums sums = PrepareExpertSums(m_result.job,
                                            *m_found,
                                            {.expert = m_wish.shapes.expert,
                                             .copies = m_wish.copies,
                                             .areLayersDealtAnew = DealsLayersAnew(layers)});
        if (sums.job)
        {
            m_result.job = std::move(*sums.job);
            Know(FindAgain(m_result.job, m_wish, m_known));
        }
        if (!sums.note.empty())
        {
            m_result.notes.push_back(std::move(sums.note));
        }
    }

    /// What is found afterwards is as it was in all but the degrees that changed.
    void ApplyShapes()
    {
        ShapeEdit edit = ChangeShapes(m_result.job, *m_found, m_wish.shapes, m_timer);
        m_result.job = std::move(edit.job);
        NoteAll(std::move(edit.notes));
        NoteIdleSequenceParallelism();
        // Only an edit that follows needs the structure.
        if (ChangesStructure(m_wish) || m_bucketBytes)
        {
            Know(FindOfShapes(m_result.job, m_wish, m_known));
        }
    }

    void NoteIdleSequenceParallelism()
    {
        const uint32_t tensor = m_wish.shapes.tensor.value_or(m_found->degrees.tensor.value_or(1));
        if (m_wish.shapes.sequenceParallelism == true && tensor == 1)
        {
            m_result.notes.emplace_back("sp=on changes nothing with tp=1: sequence parallelism "
                                        "needs two or more tensor-parallel ranks");
        }
    }

    /// From here on, that is how the job is built.
    void Know(JobStructure structure)
    {
        m_foundAgain = std::move(structure);
        m_found = &m_foundAgain;
        m_known = KnownPartsOf(m_result.job, m_foundAgain);
    }

    void Note(std::string change)
    {
        m_result.changes.push_back(std::move(change));
    }

    void NoteAll(std::vector<std::string> changes)
    {
        std::ranges::move(changes, std::back_inserter(m_result.changes));
    }

    /// Nothing: where they stay as they are, although they change their sizes.
    std::optional<UnbucketedJob> TakeApart(uint32_t layers)
    {
        if (m_wish.bucket || DealsLayersAnew(layers))
        {
            return TakeBucketsApart(m_result.job, *m_found);
        }
        if (!m_found->HasLayers() || m_wish.shapes.IsEmpty())
        {
            return std::nullopt;
        }
        // No edit needs the buckets apart here. Where they do not tell the sizes of layers, they
        // stay, and only their own sizes change.
        try
        {
            return TakeBucketsApart(m_result.job, *m_found);
        }
        catch (const ConfigError&)
        {
            m_result.notes.emplace_back("Sums of gradients keep their layers and change their "
                                        "sizes, as they do not tell how large those of one layer "
                                        "are");
            return std::nullopt;
        }
    }

    /// Layers and their sizes change while each layer has sums of its own.
    void TakeBucketsOut(uint32_t layers)
    {
        std::optional<UnbucketedJob> taken = TakeApart(layers);
        if (!taken)
        {
            return;
        }
        UnbucketedJob& edit = *taken;
        m_bucketBytes = edit.bucketBytes;
        m_withinPassBytes = m_wish.bucket ? NEVER_FULL : edit.withinPassBytes;
        m_result.job = std::move(edit.job);
        // Without a limit nothing was taken apart, and the structure still holds.
        if (m_bucketBytes)
        {
            Know(FindAgain(m_result.job, m_wish, m_known));
        }
        if (m_bucketBytes && !m_wish.bucket)
        {
            m_note = m_bucketBytes == NEVER_FULL
                         ? "Each stage sums all its gradients together, as recorded: no bucket was "
                           "full, so no limit is known"
                         : fmt::format("Gradients of several layers are summed together, as "
                                       "recorded, once there are {} bytes",
                                       *m_bucketBytes);
        }
        if (m_wish.bucket)
        {
            m_bucketBytes = static_cast<uint64_t>(m_wish.bucket->Count());
            m_note = fmt::format("Gradients are summed together once there are {}",
                                 ToText(*m_wish.bucket));
        }
    }

    void PutBucketsIn()
    {
        if (m_wish.bucket && !SumsGradients(Structure()))
        {
            Note("No gradients are summed over copies, so none are put together in buckets");
            return;
        }
        if (m_bucketBytes)
        {
            m_result.job =
                PutInBuckets(m_result.job, Structure(), *m_bucketBytes, m_withinPassBytes);
            Note(m_note);
        }
    }

    void ApplyLayers(uint32_t layers)
    {
        LayerEdit edit = ChangeLayers(
            m_result.job, Structure(), layers, m_wish.durations.value_or(LayerDurations::Cycle));
        m_result.job = std::move(edit.job);
        m_isChanged |= layers != m_found->layers;
        m_known.layers = layers;
        if (m_wish.layers)
        {
            NoteAll(std::move(edit.notes));
        }
        if (m_wish.durations && layers <= m_found->layers)
        {
            m_result.notes.push_back("No layer is repeated, so durations has no effect");
        }
    }

    void ApplyPipeline()
    {
        PipelineEdit edit = ChangePipeline(m_result.job, Structure(), PipelineWishOf(m_wish));
        m_result.job = std::move(edit.job);
        m_isChanged = true;
        SetPipeline(m_known, WantedPipeline(*m_found, PipelineWishOf(m_wish)));
        NotePipeline();
        NoteAll(std::move(edit.notes));
    }

    void NotePipeline()
    {
        const Pipeline recorded = RecordedPipeline(*m_found);
        const Pipeline wanted = WantedPipeline(*m_found, PipelineWishOf(m_wish));
        if (wanted.stages != recorded.stages)
        {
            Note(fmt::format("{} pipeline stages in place of {}: {} ranks. The first and the last "
                             "stage keep what they do besides layers; the layers of each repeat "
                             "those of recorded stages in turn",
                             wanted.stages,
                             recorded.stages,
                             m_result.job.RankCount()));
        }
        if (wanted.microBatches != recorded.microBatches)
        {
            Note(fmt::format("{} micro-batches of each copy in place of {}; those between the "
                             "first and the last are repeated in turn",
                             wanted.microBatches,
                             recorded.microBatches));
        }
        if (wanted.schedule != recorded.schedule)
        {
            Note(fmt::format("Stages work by the schedule {}", ToText(wanted.schedule)));
        }
        if (wanted.chunks != recorded.chunks)
        {
            Note(fmt::format("Each stage has {} chunks of layers in place of {}",
                             wanted.chunks,
                             recorded.chunks));
        }
    }

    void ApplyCopies()
    {
        const uint32_t before = m_found->degrees.data.value_or(1);
        CopiesEdit edit = ChangeCopies(m_result.job, Structure(), *m_wish.copies);
        m_result.job = std::move(edit.job);
        m_isChanged = true;
        m_known.degrees.data = m_wish.copies;
        if (*m_wish.copies != before)
        {
            Note(fmt::format("Data-parallel copies: {} in place of {}, each with its recorded "
                             "micro-batches; ranks: {}",
                             *m_wish.copies,
                             before,
                             m_result.job.RankCount()));
        }
        NoteAll(std::move(edit.notes));
    }

    /// Those that no edit has told already.
    void NoteTimes()
    {
        for (std::string& note : m_timer.Notes())
        {
            if (std::ranges::find(m_result.changes, note) == m_result.changes.end())
            {
                m_result.notes.push_back(std::move(note));
            }
        }
        std::ranges::move(m_timer.Doubts(), std::back_inserter(m_result.notes));
        if (std::string unused = m_timer.NoteUnused(); !unused.empty())
        {
            m_result.notes.push_back(std::move(unused));
        }
    }

    const JobStructure* m_found; ///< of the caller, or m_foundAgain
    JobStructure m_foundAgain;
    const WhatIf& m_wish;
    KernelTimer m_timer;
    WhatIfJob m_result;
    KnownParts m_known;                    ///< of m_result.job
    bool m_isChanged = false;              ///< what was found does not hold any more
    std::optional<uint64_t> m_bucketBytes; ///< to put sums of gradients together again
    uint64_t m_withinPassBytes = NEVER_FULL;
    std::string m_note; ///< of that
};

/// What fits together before an edit of the structure does so behind it. Throws ConfigError.
void
CheckFitsTogether(const Workload& made)
{
    for (const std::string& found : {FindLostMessages(made), FindDisagreement(made)})
    {
        if (!found.empty())
        {
            throw ConfigError("what-if",
                              "the edits do not hold for this job, as what they make would not "
                              "run. " +
                                  found);
        }
    }
}

} // namespace

WhatIfJob
ApplyWhatIf(const Workload& job,
            const JobStructure& structure,
            const WhatIf& wish,
            KernelTimes times)
{
    // Edits of kernels need no structure, so an obstacle does not matter to them.
    const bool isOfModel = ChangesStructure(wish) || !wish.shapes.IsEmpty();
    if (isOfModel && !structure.obstacle.empty())
    {
        throw ConfigError("what-if", structure.obstacle);
    }
    if (isOfModel && structure.iterations > 1 && structure.hasOptimizer)
    {
        throw ConfigError("what-if",
                          fmt::format("the traces hold {} iterations, and edits of the structure "
                                      "are of one; take it with nadi trace slice --iterations 1",
                                      structure.iterations));
    }
    CheckDurations(structure, wish);
    // Edits of kernels change no groups, calls or messages, so there is nothing to check.
    if (!isOfModel)
    {
        return WhatIfEditor(job, structure, wish, std::move(times)).Run();
    }
    WhatIfJob made = WhatIfEditor(job, structure, wish, std::move(times)).Run();
    CheckFitsTogether(made.job);
    ForgetOtherCalls(job, made.job);
    return made;
}

} // namespace nadi
