// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"
#include "system/message-programs/msccl-places.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Which chunk each step of a file works on: of several, the first. By GPU, thread block and step.
///
/// It follows what places hold in one order in which the steps can run; where the file leaves the
/// order open, or reads what is not there, the answer may be any.
using MscclChunks = std::vector<std::vector<std::vector<uint32_t>>>;

MscclChunks FindMscclChunks(const MscclAlgorithm& algorithm, const MscclPlaces& places);

} // namespace nadi
