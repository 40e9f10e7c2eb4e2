// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/bucket-facts.h"

#include <algorithm>

namespace nadi
{

bool
ShareUnits(const std::vector<Bucket>& buckets)
{
    std::set<uint32_t> summed;
    for (const Bucket& bucket : buckets)
    {
        for (const GradientUnit& unit : bucket.units)
        {
            if (!summed.insert(unit.kernels.back()).second)
            {
                return true;
            }
        }
    }
    return false;
}

bool
HasExperts(const JobStructure& structure)
{
    return structure.degrees.expert.value_or(1) > 1 ||
           std::ranges::any_of(structure.groups,
                               [](const GroupUse& use)
                               { return use.role == GroupRole::ExpertData; });
}

uint32_t
LastOfPasses(const RecordedStage& stage, std::optional<size_t> pass)
{
    uint32_t last = 0;
    for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
    {
        const std::optional<RecordedStage::Place>& place = stage.PlaceOf(node);
        // Nodes are in the order of the program, so the last one counts.
        last = place && (!pass || place->pass == *pass) ? node : last;
    }
    return last;
}

bool
EndsMicroBatch(const RecordedStage& stage, const std::vector<Bucket>& sums, size_t at)
{
    return at + 1 < sums.size() &&
           stage.Passes()[sums[at].pass].microBatch != stage.Passes()[sums[at + 1].pass].microBatch;
}

} // namespace nadi
