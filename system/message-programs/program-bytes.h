// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"

#include <optional>
#include <string>
#include <string_view>

namespace nadi
{

/// A program as bytes, the same on every machine: words of 32 bits, the least significant byte
/// first. Requires: it has no sizes of its own.
std::string WriteProgramBytes(const MessageProgram& program);

/// The program that WriteProgramBytes wrote; none if the bytes are those of no program. What the
/// program does is not looked at: FindProgramFault does.
std::optional<MessageProgram> ReadProgramBytes(std::string_view bytes);

} // namespace nadi
