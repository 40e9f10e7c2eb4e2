// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-parts.h"

#include "system/collective-plan.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Which of the ranks of a tensor group, and how many they are.
struct TensorPlace
{
    uint32_t rank = 0;
    uint32_t ranks = 1;

    uint64_t PartLength(uint64_t count) const
    {
        return PartOf({0, count}, rank, ranks).Length();
    }
};

void
CutHeads(TransformerShape& shape, TensorPlace place)
{
    const uint64_t headsOfGroup = shape.heads / shape.kvHeads;
    if (shape.kvHeads >= place.ranks)
    {
        shape.kvHeads = place.PartLength(shape.kvHeads);
        shape.heads = shape.kvHeads * headsOfGroup;
        return;
    }
    // With fewer heads of keys and values than ranks, the query heads are cut, even within a group.
    // The rank has the heads of keys and values that its query heads need.
    const Interval heads = PartOf({0, shape.heads}, place.rank, place.ranks);
    shape.kvHeads = (heads.end - 1) / headsOfGroup - heads.begin / headsOfGroup + 1;
    shape.heads = heads.Length();
}

TransformerShape
CutShape(TransformerShape shape, TensorPlace place)
{
    CutHeads(shape, place);
    shape.ffn = place.PartLength(shape.ffn);
    shape.expertFfn = place.PartLength(shape.expertFfn);
    shape.vocabulary = place.PartLength(shape.vocabulary);
    return shape;
}

} // namespace

TransformerParts::TransformerParts(const TransformerJob& job)
{
    for (uint32_t rank = 0; rank < job.degrees.tensor; ++rank)
    {
        const TransformerShape part = CutShape(job.shape, {rank, job.degrees.tensor});
        // A search in a list will do: parts of a cut differ by one unit, so there are few kinds.
        const auto same = std::find(m_kinds.begin(), m_kinds.end(), part);
        m_kindOfRank.push_back(static_cast<uint32_t>(same - m_kinds.begin()));
        if (same == m_kinds.end())
        {
            m_kinds.push_back(part);
        }
    }
}

} // namespace nadi
