// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/nvls-kernel.h"

namespace nadi::nccl
{

namespace
{

/// One piece of local work on each member, which lasts as long as NvlsCosts says. No member needs
/// to wait for another one, since a collective begins on all of them at once.
class NvlsPlan : public CollectivePlan
{
  public:
    explicit NvlsPlan(uint64_t elements)
        : m_elements(elements)
    {
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return 1;
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return 1;
    }

    PlanStep StepAt(uint32_t /*rank*/,
                    uint32_t /*stage*/,
                    uint32_t /*lane*/,
                    uint32_t /*step*/) const override
    {
        // The length does not set the time: KernelCosts has one time for all local work of a call.
        const Interval all{0, m_elements};
        return {.local = LocalWork{.from = all, .into = all}, .action = PlanStep::Action::Reduce};
    }

    std::vector<Interval> OwnedRanges(uint32_t /*rank*/) const override
    {
        return {};
    }

  private:
    uint64_t m_elements;
};

} // namespace

std::unique_ptr<CollectivePlan>
NvlsKernel::MakePlan(const PlanRequest& request) const
{
    return std::make_unique<NvlsPlan>(request.elements);
}

} // namespace nadi::nccl
