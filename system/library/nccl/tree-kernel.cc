// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/tree-kernel.h"

#include "common/check.h"
#include "system/algorithms/side-by-side-plan.h"

#include <utility>

namespace nadi::nccl
{

TreeKernel::TreeKernel(std::vector<MemberTree> trees, uint32_t pieces)
    : m_trees(std::move(trees))
    , m_pieces(pieces)
{
}

std::unique_ptr<CollectivePlan>
TreeKernel::MakePlan(const PlanRequest& request) const
{
    NADI_CHECK(Supports(request.type));
    return PlanTreesSideBySide(m_trees, request, m_pieces);
}

std::unique_ptr<CollectivePlan>
PlanTreesSideBySide(std::vector<MemberTree> trees, const PlanRequest& request, uint32_t pieces)
{
    const auto count = static_cast<uint32_t>(trees.size());
    SideBySidePlan::Parts parts;
    for (uint32_t part = 0; part < count; ++part)
    {
        parts.push_back(std::make_unique<TreePlan>(
            std::make_unique<MemberTree>(std::move(trees[part])),
            TreePlan::Task{.type = request.type,
                           .buffer = PartOf({0, request.elements}, part, count),
                           .slices = pieces}));
    }
    return std::make_unique<SideBySidePlan>(std::move(parts));
}

} // namespace nadi::nccl
