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

/// How many sends a rank has under way at a time, of grouped ones.
inline constexpr uint32_t PEERS_AT_ONCE = 8;

/// Channels of a send of so many bytes inside a node: eight, and up to 32 where each would have
/// more than 16 MiB.
uint32_t ChannelsOfSend(double size);

/// GB/s of sends to `peers` others of the node, as far as their channels go: each send has
/// `channels` of them.
double ChannelsRate(const CostParameters& values, uint32_t peers, uint32_t channels);

/// us of a call that a launch of `floor` us and a kernel of `kernel` us overlap in:
/// (floor^6 + kernel^6)^(1/6), which is the larger one, and up to an eighth more where they are
/// equal.
double OverLaunch(double floor, double kernel);

} // namespace nadi::nccl
