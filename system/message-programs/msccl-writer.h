// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"

#include <string>

namespace nadi
{

/// A program as XML of MSCCL, which MakeMscclProgram reads back as the same program: a thread block
/// for each lane, a step for each step. `name` is what the algorithm is called there.
///
/// Throws ConfigError for a program that the format cannot hold: one whose messages have sizes of
/// their own, or steps that take a time.
std::string WriteMsccl(const MessageProgram& program, const std::string& name);

} // namespace nadi
