// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"

#include <optional>
#include <string>

namespace nadi
{

/// Where a program breaks its promise, and how.
struct ProgramFault
{
    ProgramStepId where; ///< a step of it; the last one of the rank where the end is wrong
    std::string what;
};

/// Proves that a program does what its collective promises, whatever the times of its messages: the
/// first fault, or none.
///
/// It shows that
/// * each message that is sent is received, with the same number of chunks;
/// * no steps wait for each other in a circle;
/// * no step reads a place that holds nothing, and none adds chunks of different numbers, or what
///   holds some rank's part already;
/// * two steps that use one place, one of which writes it, have an order that waits and messages
///   force;
/// * in the end all ranks have what the collective promises.
///
/// Sums are kept as sets of ranks up to 64 ranks. Beyond, a sum is a sum of random 128-bit numbers,
/// one for each rank, modulo 2^128: a wrong one passes with a probability of 2^-128.
/// Requires: the program has no sizes of its own.
std::optional<ProgramFault> FindProgramFault(const MessageProgram& program);

/// Only the first two: of programs whose messages may carry anything.
std::optional<ProgramFault> FindOrderFault(const MessageProgram& program);

} // namespace nadi
