// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/nvls-kernel.h"

namespace nadi::nccl
{

namespace
{

/// Local work of each member, which lasts as long as NvlsTimes says: a copy stands for the filling
/// of the pipeline, and each reduction for a turn. No member needs a message from another one,
/// since a collective begins on all of them at once, and so does each turn (NvlsPorts).
class NvlsPlan : public CollectivePlan
{
  public:
    NvlsPlan(uint64_t elements, uint32_t turns)
        : m_elements(elements)
        , m_turns(turns)
    {
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return 1;
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return 1 + m_turns;
    }

    PlanStep
    StepAt(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/, uint32_t step) const override
    {
        // The length does not set the time: NvlsTimes has one for each action.
        const Interval all{0, m_elements};
        return {.local = LocalWork{.from = all, .into = all},
                .action = step == 0 ? PlanStep::Action::Copy : PlanStep::Action::Reduce};
    }

    std::vector<Interval> OwnedRanges(uint32_t /*rank*/) const override
    {
        return {};
    }

  private:
    uint64_t m_elements;
    uint32_t m_turns;
};

} // namespace

std::unique_ptr<CollectivePlan>
NvlsKernel::MakePlan(const PlanRequest& request) const
{
    return std::make_unique<NvlsPlan>(request.elements, m_turns);
}

} // namespace nadi::nccl
