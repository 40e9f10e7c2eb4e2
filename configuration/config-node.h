// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// A text that configuration came from: a file, or the command line (`--set`).
struct SourceText
{
    std::string name;                ///< as shown in errors
    std::filesystem::path directory; ///< what relative paths in it are relative to
    bool hasLines = true;            ///< the command line has none
};

/// A value of the configuration that knows where it was written and how to complain.
///
/// Owner: the document (ConfigDocument) that it was read into; it also owns the SourceText.
struct ConfigNode
{
    enum class Kind : uint8_t
    {
        Null, ///< nothing after the colon, or `null`
        Scalar,
        List,
        Map,
    };

    Kind kind = Kind::Null;
    uint32_t index = 0;               ///< in its list; set by Seal()
    std::string text;                 ///< of a scalar, unquoted
    std::vector<ConfigNode> children; ///< items of a list, values of a map in the order written
    std::string key;                  ///< under which it stands in a map
    const SourceText* source = nullptr;
    uint32_t line = 0;                  ///< of the value, from 1
    uint32_t keyLine = 0;               ///< of the key
    const ConfigNode* parent = nullptr; ///< set by Seal()

    /// The value under `name` of a map, or nullptr.
    const ConfigNode* Find(std::string_view name) const;
    ConfigNode* Find(std::string_view name);

    /// `file:line`, or `--set`.
    std::string Where() const;

    /// `network.dimensions[0].bandwidth`; empty at the root. Requires: sealed.
    std::string Path() const;

    /// Throws ConfigError at this value: "<path>: <problem>".
    [[noreturn]] void Fail(const std::string& problem) const;

    /// The same at the line of the key, for a key that should not be there.
    [[noreturn]] void FailAtKey(const std::string& problem) const;

    /// The text of a scalar. Throws ConfigError for anything else; `expected` says what would be
    /// right ("a size such as 4 KiB").
    const std::string& Scalar(const std::string& expected) const;

    /// Connects every value below to its parent. To be called once the tree stands still.
    void Seal();
};

} // namespace nadi
