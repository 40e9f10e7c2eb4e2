// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/expert-sums.h"

#include "common/error.h"
#include "workload/what-if/shapes/expert-copies.h"

namespace nadi
{

ExpertSums
PrepareExpertSums(const Workload& job, const JobStructure& structure, const ExpertWish& wish)
{
    const uint32_t expert = structure.degrees.expert.value_or(1);
    const uint32_t copies = structure.degrees.data.value_or(1);
    const bool areSpreadAnew = wish.expert.value_or(expert) != expert;
    // The number of parameters of experts is asked for where they are spread anew, and where copies
    // or layers change what the optimizer of a rank has. Of several copies, sums tell it already.
    const bool haveOtherCopies = wish.copies.value_or(copies) != copies;
    const bool areCounted = haveOtherCopies || wish.areLayersDealtAnew;
    if (!areSpreadAnew && !(areCounted && HaveSingleCopy(structure)))
    {
        return {};
    }
    try
    {
        return {SumExpertsApart(job, structure, areSpreadAnew ? "what-if: ep" : "what-if: dp"), ""};
    }
    catch (const ConfigError&)
    {
        // Layers can be dealt without it: only the share of the optimizer's kernels is assumed
        // then.
        if (haveOtherCopies || areSpreadAnew)
        {
            throw;
        }
        return {std::nullopt,
                "Experts have a single copy, so that nobody sums their gradients, and kernels do "
                "not say how many parameters they have; the optimizer is taken to grow with all "
                "others"};
    }
}

} // namespace nadi
