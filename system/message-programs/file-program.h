// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "common/units.h"
#include "system/collective-type.h"
#include "system/message-programs/message-program.h"
#include "system/message-programs/program-wish.h"
#include "system/message-programs/stored-program.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// A collective algorithm that a file describes.
struct FileProgram
{
    std::string source;                       ///< the file, for messages
    uint32_t ranks = 1;                       ///< of the group that it is for
    std::optional<CollectiveType> type;       ///< none: the file does not say
    Bytes least{};                            ///< the smallest buffer that it is meant for
    std::optional<Bytes> most = std::nullopt; ///< the largest; none: any
    /// Throws ConfigError where the file does not fit the wish. Requires: `ranks`, `type` and the
    /// sizes do.
    std::function<MessageProgram(const ProgramWish& wish)> make;
    /// By how much the messages carry more than the wish needs; none: they do not, or their sizes
    /// follow the wish. No function: they always do.
    std::function<std::optional<FileExcess>(const ProgramWish& wish)> findExcess = nullptr;
    bool isProven = true; ///< false: its messages meet, but nobody knows what they carry
};

/// The programs of all files that a configuration names, by path.
using FilePrograms = std::map<std::string, FileProgram>;

/// What the choice of an algorithm names.
struct ProgramFiles
{
    std::vector<std::string> paths; ///< empty: it needs none
    bool areScaled = false;         ///< of traces: to the size of the call
};

ProgramFiles FindProgramFiles(const ComponentChoice& algorithm);

} // namespace nadi
