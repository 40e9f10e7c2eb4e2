// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "system/collective-plan.h"
#include "system/message-programs/program-plan.h"

#include <cstdint>
#include <memory>

namespace nadi
{

/// An algorithm whose plans are those of stored programs. Its children say who makes them
/// (Programs).
class StoredAlgorithm : public CollectiveAlgorithm
{
  public:
    bool Supports(CollectiveType /*type*/) const override
    {
        return true;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        NADI_CHECK(request.program != nullptr);
        return std::make_unique<ProgramPlan>(
            *request.program, request.elements, request.elementBytes);
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return links;
    }

    /// For the estimate of the planner only, which has nothing to choose.
    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return ranks > 1 ? 1 : 0;
    }
};

} // namespace nadi
