// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"
#include "system/message-programs/message-program.h"

namespace nadi
{

/// What a file of MSCCL does in a collective of `type`, as a program: a lane for each thread block.
/// The program is proven.
///
/// What a step receives and adds to another place than the one that it stores to goes through
/// scratch chunks of its thread block.
///
/// Throws ConfigError at the file, and at the line of the step, where the file is no such
/// collective, or breaks its promise: it loses or doubles data, reads what has not come, or leaves
/// open which of two steps comes first that use one chunk.
MessageProgram MakeMscclProgram(const MscclAlgorithm& algorithm, CollectiveType type);

} // namespace nadi
