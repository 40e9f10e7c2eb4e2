// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-node.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// \file
/// Files of words in lines.

namespace nadi
{

/// A line that is not empty.
struct TextLine
{
    std::vector<std::string> words; ///< at least one
    uint32_t number = 0;            ///< from 1
};

/// A file in such lines. Nodes of a configuration refer to `source` for the place of an error, so
/// it has an address of its own.
struct TextLines
{
    std::unique_ptr<SourceText> source;
    std::vector<TextLine> lines; ///< but for empty ones; `#` begins a comment
};

/// `where`: the place that names the file, for the ConfigError when it cannot be read.
TextLines ReadTextLines(const std::filesystem::path& file, const std::string& where);

/// A scalar without a key.
ConfigNode MakeWordNode(const std::string& word, uint32_t line, const SourceText& source);

} // namespace nadi
