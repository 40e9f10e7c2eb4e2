// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/gradient-units.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/workload.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// A sum of gradients, and what it is of, in the order of their last kernels.
struct Bucket
{
    uint32_t sum = 0;
    std::vector<GradientUnit> units = {};
    std::optional<uint32_t> gather =
        std::nullopt; ///< of the parameters that these gradients are of
    size_t pass = 0;  ///< of the last unit

    uint32_t CountOf(GradientUnit::Kind kind) const
    {
        return static_cast<uint32_t>(std::ranges::count(units, kind, &GradientUnit::kind));
    }
};

/// The sums of gradients of a rank, in the order of its program. Those that wait for anything but
/// kernels of backward passes are left out.
class BucketFinder
{
  public:
    /// The job and the structure outlive it. Throws ConfigError as RecordedStage.
    BucketFinder(const Workload& job, const JobStructure& structure, const RankStructure& rank);

    const RecordedStage& Stage() const
    {
        return m_stage;
    }

    std::vector<Bucket> Find() const;

  private:
    Bucket MakeBucket(uint32_t sum) const;
    void AddGathers(std::vector<Bucket>& buckets) const;

    RecordedStage m_stage;
};

} // namespace nadi
