// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-node.h"

#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace nadi
{

/// A configuration file with everything that its `workload`, `system` and `network` sections
/// include, and with the settings of the command line in place: one tree of values, each of which
/// knows its file and line. What the keys mean is not known here.
///
/// A section may be a path to a YAML file, or `{file: PATH, <keys that override>}`: mappings are
/// merged, anything else is replaced; a key of the latter may be a path of keys ("dimensions[0].
/// size"). A setting is `path=value`, its value being YAML; it may reach into an included file.
class ConfigDocument
{
  public:
    /// Throws ConfigError: a file that cannot be read, files that include each other, invalid
    /// YAML, a setting whose path leads nowhere.
    ConfigDocument(const std::filesystem::path& file, const std::vector<std::string>& settings);

    ConfigDocument(const ConfigDocument&) = delete;
    ConfigDocument& operator=(const ConfigDocument&) = delete;

    const ConfigNode& Root() const
    {
        return m_root;
    }

  private:
    ConfigNode ReadFile(const std::filesystem::path& file, const std::string& where);
    ConfigNode ReadSetting(const std::string& value);
    void ApplySettings(const std::vector<std::string>& settings, bool ofIncludes);
    void ExpandSection(ConfigNode& section, uint32_t depth);

    std::deque<SourceText> m_sources; // stable addresses: values point at them
    ConfigNode m_root;
};

/// The file that a text names: relative to the directory of the text that names it.
std::filesystem::path ResolvePath(const ConfigNode& node, const std::string& path);

/// Opens `file`. Throws ConfigError at `where`, the place that names it, when it cannot.
std::ifstream OpenFile(const std::filesystem::path& file, const std::string& where);

} // namespace nadi
