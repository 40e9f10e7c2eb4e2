// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "configuration/config-node.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// \file
/// Values of files that give numbers without units. All throw ConfigError at the value.

namespace nadi
{

/// A file that was read, with all that its values refer to.
struct ImportFile
{
    std::unique_ptr<SourceText> source;
    ConfigNode root; ///< a map
};

/// Reads YAML, JSON, or lines of `key: value`. `option`: of the command line, for errors.
ImportFile ReadImportFile(const std::filesystem::path& file, const std::string& option);

/// A key and what the source takes when its file does not have it.
struct SourceDefault
{
    std::string key;
    std::string value;
};

/// What the source takes for absent keys, as values of their own: their place is
/// "<file> (default)".
class SourceDefaults
{
  public:
    SourceDefaults(const ConfigNode& root, const std::vector<SourceDefault>& defaults);

    /// `root` with the values of `defaults` behind its own. Refers to this.
    const ConfigNode& Complete() const
    {
        return m_complete;
    }

    /// A value that stands where the file has none.
    ConfigNode MakeNode(const SourceDefault& absent) const;

  private:
    SourceText m_place;
    ConfigNode m_complete;
};

/// Not negative.
double ReadNumber(const ConfigNode& node);
uint32_t ReadWholeNumber(const ConfigNode& node);
/// 0 or false, else on: true, or any other number, as the sources take it.
bool ReadFlag(const ConfigNode& node);
/// The items of a list, or the node itself.
std::vector<const ConfigNode*> ReadItems(const ConfigNode& node);

/// Rounded to whole picoseconds.
SimTime ReadNanoseconds(const ConfigNode& node);
/// In units of `bytesPerSecond`, rounded to whole bits per second; more than 0.
Bandwidth ReadRate(const ConfigNode& node, double bytesPerSecond);

/// In units of `flopsPerSecond`, rounded to whole operations per second; more than 0.
FlopRate ReadFlopRate(const ConfigNode& node, double flopsPerSecond);

/// What `names` says of the word that stands there.
std::string Translate(const ConfigNode& node, const std::map<std::string, std::string>& names);

/// A rate of GB of 10^9 bytes, divided by `parts`, as a configuration has it.
std::string GigabytesText(const ConfigNode& node, double parts);

constexpr double GIGA = 1e9;
constexpr double TERA = 1e12;
constexpr double GIBI = 1024.0 * 1024 * 1024;

} // namespace nadi
