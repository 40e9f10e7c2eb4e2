// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-waits.h"

#include <algorithm>
#include <optional>

namespace nadi
{

/// What a task that is in no pass waits for. What is dropped waited for something else.
void
StageWaits::AddOutside(uint32_t node, Ids& ids) const
{
    for (const uint32_t parent : m_base.ParentsOf(node))
    {
        if (m_base.PlaceOf(parent))
        {
            AddEndOfPasses(node, parent, ids);
        }
        else if (m_tasks.IsDropped(parent))
        {
            AddOutside(parent, ids);
        }
        else
        {
            ids.push_back(m_tasks.IdOutside(parent));
        }
    }
    // What waits for layers, as an optimizer does, waits for all that the new stage has. The base
    // has only its own parts before and after them.
    if (IsAfterLayers(node))
    {
        AddEndsOfOthers(ids);
    }
}

bool
StageWaits::IsAfterLayers(uint32_t node) const
{
    return std::ranges::any_of(m_base.ParentsOf(node),
                               [&](uint32_t parent) {
                                   return m_base.PlaceOf(parent) &&
                                          m_base.PlaceOf(parent)->slot.IsInLayer();
                               });
}

/// After what the parts of other recorded stages were waited for there.
void
StageWaits::AddEndsOfOthers(Ids& ids) const
{
    // Each of them once: it may stand at both ends, or in several chunks.
    std::vector<const RecordedStage*> others;
    for (const NewChunk& chunk : m_stage.chunks)
    {
        for (const StagePart* const part : {&chunk.begin, &chunk.end})
        {
            const bool isKnown = std::ranges::find(others, part->stage) != others.end();
            if (part->stage != nullptr && part->stage != &m_base && !isKnown)
            {
                others.push_back(part->stage);
            }
        }
    }
    for (const RecordedStage* const other : others)
    {
        for (uint32_t node = 0; node < other->Graph().NodeCount(); ++node)
        {
            for (const uint32_t parent : other->PlaceOf(node) ? TaskList() : other->ParentsOf(node))
            {
                if (other->PlaceOf(parent) && !other->PlaceOf(parent)->slot.IsInLayer())
                {
                    AddEndOf(*other, node, parent, ids);
                }
            }
        }
    }
}

/// After a pass of the last micro-batch, which every number of them has, or after that of each.
void
StageWaits::AddEndOfPasses(uint32_t node, uint32_t parent, Ids& ids) const
{
    const RecordedStage::Place& from = *m_base.PlaceOf(parent);
    // The number of micro-batches may change, so that a recorded one before the last may have no
    // counterpart.
    if (!m_base.IsOfLastMicroBatch(from.pass))
    {
        if (!IsAfterEach(m_base, node, parent))
        {
            FailAt(m_base, node);
        }
        return; // the last one asks for all
    }
    AddEndOf(m_base, node, parent, ids);
}

/// In each chunk that has the part that the parent is of.
void
StageWaits::AddEndOf(const RecordedStage& source, uint32_t node, uint32_t parent, Ids& ids) const
{
    const RecordedStage::Place& from = *source.PlaceOf(parent);
    PipelinePass wanted = source.Passes()[from.pass];
    const StagePart part{&source, wanted.chunk};
    const uint32_t last = m_stage.microBatches - 1;
    for (uint32_t chunk = 0; chunk < m_stage.chunks.size(); ++chunk)
    {
        // Each parent of the node in another micro-batch comes here too. The last one adds for all.
        if (m_stage.chunks[chunk].PartOf(wanted.isForward, from.slot.part) != part ||
            !source.IsOfLastMicroBatch(from.pass))
        {
            continue;
        }
        wanted.chunk = chunk;
        for (uint32_t each = IsAfterEach(source, node, parent) ? 0 : last; each <= last; ++each)
        {
            wanted.microBatch = each;
            const size_t pass = m_tasks.FindPass(wanted);
            ids.push_back(IdAt({part, node, pass}, pass, from.slot));
        }
    }
}

/// Whether a node waits for the same task of the pass of each micro-batch.
bool
StageWaits::IsAfterEach(const RecordedStage& source, uint32_t node, uint32_t parent)
{
    const RecordedStage::Place& from = *source.PlaceOf(parent);
    const PipelinePass& pass = source.Passes()[from.pass];
    size_t alike = 0;
    size_t waits = 0;
    for (size_t other = 0; other < source.Passes().size(); ++other)
    {
        const PipelinePass& one = source.Passes()[other];
        if (one.isForward == pass.isForward && one.chunk == pass.chunk)
        {
            ++alike;
            const auto task = source.TasksOf(other).find(from.slot);
            const bool isThere = task != source.TasksOf(other).end();
            waits += isThere && std::ranges::count(source.ParentsOf(node), task->second) > 0;
        }
    }
    // Of a single micro-batch, waiting for its pass is waiting for each. That it is meant so is
    // known only where each is summed.
    return waits == alike && (alike > 1 || source.SumsEachMicroBatch());
}

} // namespace nadi
