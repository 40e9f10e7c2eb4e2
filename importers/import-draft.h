// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"
#include "configuration/config-node.h"

#include <string>
#include <vector>

namespace nadi
{

/// A configuration that is being made from other files, and what became of each of their keys.
class ImportDraft
{
  public:
    /// Sets a key, such as "system.chunks", and tells that it came from `source`.
    void Map(const ConfigNode& source, const std::string& path, const Json& value);

    /// Sets a key that no single key of the source stands for.
    void Set(const std::string& path, const Json& value);

    /// Tells what became of an option of the command line: "--workload: w -> outcome".
    void
    NoteOption(const std::string& option, const std::string& value, const std::string& outcome);

    /// Tells what became of a key that sets nothing.
    void Note(const ConfigNode& source, const std::string& outcome);

    /// Tells that a key has no counterpart, and why.
    void Drop(const ConfigNode& source, const std::string& why)
    {
        Note(source, "no counterpart: " + why);
    }

    /// Tells that a key is not known, with the nearest of those that are.
    void DropUnknown(const ConfigNode& source, const std::vector<std::string>& known);

    const Json& Configuration() const
    {
        return m_configuration;
    }

    /// A line for each key, in the order told: "system.json:2: key: value -> outcome".
    const std::vector<std::string>& Lines() const
    {
        return m_lines;
    }

  private:
    Json m_configuration = Json::object();
    std::vector<std::string> m_lines;
};

/// "1600", "[ring, direct]".
std::string DescribeValue(const ConfigNode& node);

} // namespace nadi
