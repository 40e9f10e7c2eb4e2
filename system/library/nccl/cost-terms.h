// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/library/nccl/cost-context.h"

#include <cstdint>
#include <string>

/// \file
/// Terms that the costs of all kernels are made of.

namespace nadi::nccl
{

/// The parameter `key` of a protocol: "hop" and LL are "hop-ll".
std::string With(const std::string& key, KernelProtocol protocol);

SimTime FromUs(double us);

/// A hop of `us` without what the network itself takes for it.
SimTime BeyondWire(double us, SimTime wire);

/// Picoseconds of a byte at a rate in GB/s.
double PsPerByte(double rate);

/// us that a call takes at least.
double FloorOf(const CostContext& context);

/// us until a kernel with so many channels has started.
double StartOf(const CostContext& context, KernelProtocol protocol, uint32_t channels);

/// The part of the rate of a node's links that rings get with the protocol.
double LinkShare(const CostParameters& values, KernelProtocol protocol);

/// The same of NICs.
double NicShare(const CostParameters& values, KernelProtocol protocol);

} // namespace nadi::nccl
