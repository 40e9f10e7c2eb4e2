// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/kernels/kernel-launch.h"

#include <span>
#include <vector>

namespace nadi
{

/// What a kernel has of the work of its node.
struct KernelShare
{
    Flops operations;
    Bytes bytes;
};

/// What each kernel of a node has of its `operations` and `memory`, in the order of the kernels.
///
/// A kernel has what it says itself, and of what the kernels before it left at most. The kernels
/// that do not say have what the others leave: a single one has all of it; of several, products of
/// matrices whose sizes are known have 2 m n k operations, and the others equal parts of the rest.
///
/// Holds: the shares together are never more than the node has.
std::vector<KernelShare>
ShareWork(Flops operations, Bytes memory, std::span<const KernelLaunch> kernels);

} // namespace nadi
