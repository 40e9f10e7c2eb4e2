// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/exchange-splits.h"
#include "workload/tools/synthesis/master-trace.h"
#include "workload/tools/synthesis/rank-roles.h"

#include <cstdint>

namespace nadi
{

/// What a rank says of an all-to-all whose parts differ.
struct SyntheticExchange
{
    uint64_t size = 0;
    SharedSplits splits; ///< null: equal parts
};

/// The exchange of those who play the recorded rank `role`. `drawn` is the size of the member with
/// the largest recorded one; that of any other is smaller in the recorded proportion, rounded down.
///
/// The parts have the recorded proportions. The players of a receiver share its part alike. Where
/// nobody plays a receiver, the others get its part in proportion to theirs; where nobody plays any
/// that got something, the size is 0.
///
/// Requires: the call is an all-to-all of which a member has splits, and `role` is a member.
SyntheticExchange MakeExchange(const MasterTrace& master,
                               const MasterCall& call,
                               const RankRoles& roles,
                               uint32_t role,
                               uint64_t drawn);

} // namespace nadi
