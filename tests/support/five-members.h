// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <cstdint>

namespace nadi
{

/// A group of five and a buffer that divides into their shards.
inline constexpr uint32_t MEMBERS = 5;
inline constexpr uint64_t SHARD = 6;
inline constexpr uint64_t ELEMENTS = MEMBERS * SHARD;

inline Interval
Shard(uint32_t member)
{
    return {member * SHARD, (member + 1) * SHARD};
}

} // namespace nadi
