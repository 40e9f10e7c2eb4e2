// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/inter-dimension-policy.h"

#include <algorithm>
#include <numeric>

namespace nadi
{

DimensionOrder
BaselineOrder(CollectiveType type, uint32_t dimensions)
{
    DimensionOrder order(dimensions);
    std::iota(order.begin(), order.end(), 0);
    if (type == CollectiveType::AllGather || type == CollectiveType::Broadcast ||
        type == CollectiveType::Scatter)
    {
        std::reverse(order.begin(), order.end());
    }
    return order;
}

namespace
{

/// Every chunk crosses the dimensions in the same order.
class Baseline : public InterDimensionPolicy
{
  public:
    static constexpr const char* Help =
        "Every chunk crosses the dimensions in the same order: the innermost first, or the "
        "outermost first for all-gather, broadcast and scatter.";

    bool HasFixedOrder() const override
    {
        return true;
    }

    std::vector<DimensionOrder>
    OrderChunks(const ScheduleRequest& request,
                const std::vector<uint64_t>& chunkElements) const override
    {
        const auto dimensions = static_cast<uint32_t>(request.dimensions.size());
        return std::vector(chunkElements.size(), BaselineOrder(request.type, dimensions));
    }
};

NADI_REGISTER(InterDimensionPolicy, Baseline, "baseline");

} // namespace

} // namespace nadi
