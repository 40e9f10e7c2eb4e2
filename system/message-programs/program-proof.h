// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"

#include <cstdint>
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

/// What a proof cost, in steps of the program that it looked at.
struct ProofEffort
{
    uint64_t visited = 0;  ///< in the order in which they can run: each once
    uint64_t searched = 0; ///< for orders that neither a lane nor a wait gives
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
/// Sums are kept as sets of ranks up to 64 ranks. Beyond, a sum is a sum of 128-bit hashes,
/// one for each rank, modulo 2^128: a wrong one passes with a probability of 2^-128.
/// Requires: the program has no sizes of its own. Adds to `effort`, if there is one.
std::optional<ProgramFault> FindProgramFault(const MessageProgram& program,
                                             ProofEffort* effort = nullptr);

/// Only the first two: of programs whose messages may carry anything.
std::optional<ProgramFault> FindOrderFault(const MessageProgram& program);

} // namespace nadi
