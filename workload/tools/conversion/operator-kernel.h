// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"
#include "workload/tools/conversion/pytorch-host-trace.h"

#include <optional>
#include <string_view>

namespace nadi
{

/// What a kernel works on, from the shapes of the operator that launched it:
///
/// * a matrix product from the two matrices of aten::mm, addmm, bmm or baddbmm, with 2 m k n
///   operations, and each matrix read or written once;
/// * a copy from aten::copy_, and kernels of other kinds from any operator: the bytes of all
/// tensors
///   of its inputs and outputs, and as sizes the rows and columns of the first one.
///
/// Nothing where the operator tells no shapes, or tells of something else than what the kernel's
/// name says, as a memset in a product.
std::optional<KernelLaunch> TellKernel(const PytorchHostNode& launcher,
                                       std::string_view kernelName);

} // namespace nadi
