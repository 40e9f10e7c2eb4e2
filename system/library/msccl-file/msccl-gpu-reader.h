// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"

#include <cstdint>

namespace nadi
{

class XmlElement;

/// The largest number of chunks of a buffer that a file may name.
inline constexpr uint32_t MOST_MSCCL_CHUNKS = 1U << 24;

/// Reads the element `gpu` of the GPU `id` with all below it. Throws ConfigError at the line of
/// what is wrong there. Requires: the algorithm has all but its GPUs, and as many of these as it
/// gets.
MscclGpu ReadMscclGpu(const XmlElement& element, uint32_t id, const MscclAlgorithm& algorithm);

} // namespace nadi
