// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "system/collective-type.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What a stored program is wanted for.
struct ProgramWish
{
    CollectiveType type = CollectiveType::AllReduce;
    std::vector<RankId> ranks; ///< in the order of the group
    uint32_t root = 0;         ///< index in the group
    Bytes size{}; ///< of the whole buffer; all-to-all: of a row (PlanRequest::elements)
    /// Whose messages it has: by it ECMP picks their ways. None: it does not matter.
    std::optional<CommunicatorId> communicator = std::nullopt;
};

} // namespace nadi
