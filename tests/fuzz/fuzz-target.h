// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"

#include <functional>
#include <string>

namespace nadi::fuzz
{

/// A reader of the program, which must get along with any input. One file `<name>-fuzz.cc` each,
/// which ends with `NADI_REGISTER(FuzzTarget, MyFuzz, "<name>");`.
class FuzzTarget
{
  public:
    virtual ~FuzzTarget() = default;

    /// Reads the input, and checks what must hold of what was read.
    virtual void Read(const std::string& input) = 0;
};

/// Runs `read`, and returns whether it came to its end. A ConfigError, UsageError or JobError tells
/// the user what is wrong with the input: then it did not. All other exceptions pass through.
///
/// Ends the process where such an error has no text, or a ConfigError more than a line.
bool Succeeds(const std::function<void()>& read);

/// Ends the process, with `law` as the reason, unless it holds.
void Require(bool holds, const char* law);

} // namespace nadi::fuzz
