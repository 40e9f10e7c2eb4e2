// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-type.h"
#include "system/library/nccl/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi::nccl
{

struct Kernel
{
    KernelAlgorithm algorithm = KernelAlgorithm::Ring;
    KernelProtocol protocol = KernelProtocol::Simple;

    bool operator==(const Kernel&) const = default;
};

/// What the user allows; none: anything.
struct KernelWish
{
    std::optional<KernelAlgorithm> algorithm;
    std::optional<KernelProtocol> protocol;
};

/// What the library may choose from, the one with the least latency first.
std::vector<KernelProtocol> AllowedProtocols(const Machine& machine);

/// What the library may run for an all-reduce, all-gather, reduce-scatter, broadcast or reduce; at
/// least one. Where the algorithm of the wish cannot run the type, the ring does, as in the
/// library.
std::vector<Kernel>
AllowedKernels(const Machine& machine, CollectiveType type, const KernelWish& wish);

/// Why the algorithm of the wish cannot run the type, as the end of a sentence; empty: it can, or
/// the user wished none. The protocol of a wish stands in the way of an algorithm; else it is met.
std::string FindObstacle(const Machine& machine, CollectiveType type, const KernelWish& wish);

/// The one of the allowed with the least estimate, of equal ones the first. `size` in bytes.
Kernel
ChooseKernel(const Machine& machine, CollectiveType type, const KernelWish& wish, double size);

} // namespace nadi::nccl
