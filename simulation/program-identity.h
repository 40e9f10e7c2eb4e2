// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

namespace nadi
{

/// Which program made a result. Two programs with one identity are the same, byte for byte.
struct ProgramIdentity
{
    std::string version; ///< of the sources: see SOURCE_VERSION
    std::string build;   ///< of the binary: see ReadBuildId
};

/// "nadi 0.1.0+g1a2b3c4 (build 5f2d...)".
std::string ToText(const ProgramIdentity& program);

/// The hash of the running program that the linker left in it, in hex digits: equal for equal
/// programs, and another one after any change of the code. Libraries that are linked dynamically
/// are not in it. Empty where the linker left none.
std::string ReadBuildId();

} // namespace nadi
