// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace nadi::test
{

/// What a test executable has asked `operator new` for since it began. Linking
/// allocation-count.cc replaces the operator for the whole executable.
struct AllocationCount
{
    uint64_t calls = 0;
    uint64_t bytes = 0;
};

AllocationCount AllocationsSoFar();

} // namespace nadi::test
