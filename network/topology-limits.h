// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace nadi
{

/// What a network may have at most, so that a slip of the pen is an error and not the end of the
/// machine's memory: a link takes some 300 bytes in a run, so the largest network takes 5 GB. The
/// largest machines that are planned have some 100 000 NPUs.
constexpr uint64_t MOST_VERTICES = 1U << 22;
/// Each direction counted.
constexpr uint64_t MOST_LINKS = 1U << 24;

} // namespace nadi
