// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"

#include <string>

namespace nadi
{

/// A program, and how its maker came to it.
struct StoredProgram
{
    MessageProgram program;
    /// The built-in algorithm that it stores, where the maker preferred one; empty: it is the
    /// maker's own.
    std::string builtIn;
    /// What a user should know of the directory that keeps programs (ProgramStore); empty: nothing.
    std::string complaint = {};

    /// Whether it was proven to do what its collective promises; else its messages are known to
    /// meet, and nothing more.
    bool IsProven() const
    {
        return !program.HasSizes();
    }
};

} // namespace nadi
