// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/missing-bounds.h"

#include "common/text.h"
#include "network/backend-kind.h"
#include "simulation/fabric-bounds.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

std::vector<std::string>
FindMissingBounds(const RunInput& input, const RunResults& results)
{
    const auto count =
        std::count_if(results.collectives.begin(),
                      results.collectives.end(),
                      [](const CollectiveResult& result) {
                          return !result.fabricBound &&
                                 FabricBounds::CanBind(result.record.type, result.record.ranks);
                      });
    // CanBind rules out the collectives that never have a bound. If any other has none, it was left
    // out for its cost.
    if (count == 0 || !SharesLinks(input.Config().network.backend))
    {
        return {};
    }
    return {fmt::format("fabric_bound_ns of collectives.csv is empty for {} of {}, as "
                        "their bounds would take too long to compute; lower_bound_ns is there for "
                        "all",
                        count,
                        CountText(results.collectives.size(), "collective"))};
}

} // namespace nadi
