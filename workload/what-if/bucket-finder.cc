// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/bucket-finder.h"

#include "workload/what-if/gather-pairs.h"
#include "workload/what-if/graph-copy.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace nadi
{

BucketFinder::BucketFinder(const Workload& job,
                           const JobStructure& structure,
                           const RankStructure& rank)
    : m_stage(job.GraphOf(RankId{rank.rank}),
              *std::ranges::find(structure.ranks, rank.sameAs, &RankStructure::rank))
{
}

std::vector<Bucket>
BucketFinder::Find() const
{
    std::vector<Bucket> buckets;
    for (uint32_t node = 0; node < m_stage.Graph().NodeCount(); ++node)
    {
        if (m_stage.IsGradientSum(node))
        {
            buckets.push_back(MakeBucket(node));
        }
    }
    // A sum without units waits for other things than backward passes, as that for a norm of all
    // gradients does.
    std::erase_if(buckets, [](const Bucket& bucket) { return bucket.units.empty(); });
    AddGathers(buckets);
    return buckets;
}

/// Of a sum that waits for kernels of backward passes alone; else without units.
Bucket
BucketFinder::MakeBucket(uint32_t sum) const
{
    // Kernels of one layer in one pass make its gradients together. Kinds tell the ends of a pass
    // apart from layers, all of which count positions from 0.
    std::map<std::tuple<size_t, GradientUnit::Kind, uint32_t>, GradientUnit> unitAt;
    Bucket bucket{.sum = sum};
    for (const uint32_t kernel : m_stage.ParentsOf(sum))
    {
        const std::optional<RecordedStage::Place>& place = m_stage.PlaceOf(kernel);
        if (!place || !place->slot.isKernel || m_stage.Passes()[place->pass].isForward)
        {
            // A sum that waits for anything else besides is of other things, so none of its units
            // count.
            return {};
        }
        const GradientUnit::Kind kind = GradientKindOf(place->slot.part);
        GradientUnit& unit = unitAt[{place->pass, kind, place->slot.position}];
        unit.kind = kind;
        unit.kernels.push_back(kernel);
        bucket.pass = std::max(bucket.pass, place->pass);
    }
    for (auto& [place, unit] : unitAt)
    {
        bucket.units.push_back(std::move(unit));
    }
    std::ranges::sort(
        bucket.units, {}, [](const GradientUnit& unit) { return unit.kernels.back(); });
    return bucket;
}

/// Those behind the optimizer, as PairGathers tells them. Without pairs they stay.
void
BucketFinder::AddGathers(std::vector<Bucket>& buckets) const
{
    std::vector<uint32_t> gathers;
    for (uint32_t node = 0; node < m_stage.Graph().NodeCount(); ++node)
    {
        if (!m_stage.PlaceOf(node) && m_stage.IsParameterGather(node))
        {
            gathers.push_back(node);
        }
    }
    std::vector<uint32_t> sums;
    std::ranges::transform(buckets, std::back_inserter(sums), &Bucket::sum);
    const auto pairs =
        PairGathers(SizesOf(m_stage.Graph(), gathers), SizesOf(m_stage.Graph(), sums));
    // Where one gather fits no sum, sizes do not tell, and PairGathers pairs none.
    for (size_t each = 0; pairs && each < gathers.size(); ++each)
    {
        buckets[(*pairs)[each]].gather = gathers[each];
    }
}

} // namespace nadi
