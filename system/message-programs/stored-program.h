// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-type.h"
#include "system/message-programs/message-program.h"

#include <optional>
#include <string>

namespace nadi
{

/// A file whose messages keep their sizes, and carry more than the collective of a call must move.
struct FileExcess
{
    std::string source; ///< the file
    CollectiveType type = CollectiveType::AllReduce;
    Bytes called;  ///< the size of the call
    Bytes carried; ///< by all messages together
    Bytes enough;  ///< the largest size of a call for which they suffice
};

/// A program, and how its maker came to it.
struct StoredProgram
{
    MessageProgram program;
    /// The built-in algorithm that it stores, where the maker preferred one; empty: it is the
    /// maker's own.
    std::string builtIn;
    /// What a user should know of the directory that keeps programs (ProgramStore); empty: nothing.
    std::string complaint = {};
    std::optional<FileExcess> excess = std::nullopt; ///< of a program from a file

    /// Whether it was proven to do what its collective promises; else its messages are known to
    /// meet, and nothing more.
    bool IsProven() const
    {
        return !program.HasSizes();
    }
};

} // namespace nadi
