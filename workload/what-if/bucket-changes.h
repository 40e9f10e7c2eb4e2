// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/graph-changes.h"
#include "workload/what-if/recorded-stage.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace nadi
{

/// The changes of a graph whose sums of gradients are put together or taken apart.
class BucketChanges
{
  public:
    /// Requires: `stage` outlives it.
    explicit BucketChanges(const RecordedStage& stage);

    /// A call in place of some that go.
    void Add(AddedCall call, const std::vector<uint32_t>& inPlaceOf);

    /// Calls that stand behind one node stay in the order in which they were added. Requires:
    /// called once.
    ExecutionGraph Apply();

  private:
    std::vector<uint32_t> FindRecordedGathers() const;
    void ChainGathers();

    const RecordedStage& m_stage;
    GraphChanges m_changes;
    std::vector<std::pair<AddedCall, std::vector<uint32_t>>> m_calls;
};

/// A gather of the parameters of some of the units of a bucket, like the recorded `gather` of all.
AddedCall MakeGather(const RecordedStage& stage, uint32_t gather, uint64_t size);

} // namespace nadi
