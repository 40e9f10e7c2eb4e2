// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/machine.h"

#include <array>

/// \file
/// Constants of the library's own estimate that depend on the GPU. Source: NCCL,
/// src/graph/tuning.cc.

namespace nadi::nccl
{

/// For one node, for two, and for more.
using ByNodes = std::array<double, 3>;

/// GB/s that LL gives at most on one node.
double MostOfLLInNode(Generation generation, Release release);

/// GB/s of a channel of a tree.
ByNodes TreeOfChannel(Generation generation);

/// GB/s of a channel with LL128.
double LL128OfChannel(Generation generation);

/// GB/s that NVLSTree gives each head at most: on two nodes, on more.
std::array<double, 2> NvlsTreeOfHead(Generation generation);

/// What a tree's rate is multiplied with, by powers of two from 64 B to 256 MiB.
double TreeCorrection(KernelProtocol protocol, double size);

} // namespace nadi::nccl
