// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/machine.h"

#include <cstdint>

/// \file
/// How many channels a collective uses, and how it is cut into chunks.
///
/// Source: NCCL, src/enqueue.cc (a channel is added for each threshold of bytes), src/init.cc and
/// src/include/device.h (sizes of buffers).

namespace nadi::nccl
{

inline constexpr double KIB = 1024;

/// NVLS uses as many whatever the size.
inline constexpr uint32_t NVLS_CHANNELS = 16;

/// Data bytes of one of the eight slots of a channel's buffer.
double SlotBytes(KernelProtocol protocol);

/// The most channels that one collective uses.
uint32_t MostChannels(const Machine& machine);

/// As many channels as `size` bytes give work to, between 1 and the most. Of NVLS always
/// NVLS_CHANNELS.
uint32_t UsedChannels(const Machine& machine,
                      KernelAlgorithm algorithm,
                      KernelProtocol protocol,
                      double size);

/// Bytes that NVLS moves for each channel and head (a GPU of a node) in one loop: at most `most`,
/// and less for small sizes.
double NvlsChunk(double size, uint32_t heads, double most);

} // namespace nadi::nccl
