// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"

#include <cstdint>

namespace nadi
{

/// The bytes of a number; 0 where the type is not said.
uint64_t SizeOf(NumberType type);

/// How many numbers a kernel writes, as its sizes say: the result of a product, a value of each
/// head and token, and else as many as it has rows and columns. 0: its sizes do not say.
uint64_t CountWritten(const KernelLaunch& kernel);

/// How many numbers the kernel reads of what one before it wrote: the left matrix of a product, a
/// query of each head and token, else all rows and columns. 0: its sizes do not say.
uint64_t CountRead(const KernelLaunch& kernel);

} // namespace nadi
