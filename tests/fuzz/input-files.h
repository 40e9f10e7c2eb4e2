// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nadi::fuzz
{

/// A directory for readers that want files; gone with the object.
class InputFiles
{
  public:
    InputFiles();
    ~InputFiles();

    InputFiles(const InputFiles&) = delete;
    InputFiles& operator=(const InputFiles&) = delete;

    /// Writes a file; returns where it is.
    std::filesystem::path Write(const std::string& name, const std::string& contents) const;

    std::filesystem::path Path(const std::string& name) const
    {
        return m_directory / name;
    }

  private:
    std::filesystem::path m_directory;
};

/// The files that an input stands for: each begins after a line "==== NAME". Those of other names
/// than `names`, and what is before the first such line, are left out.
std::map<std::string, std::string> SplitInput(const std::string& input,
                                              const std::vector<std::string>& names);

/// Whether a text may name a file of the system, such as /dev/zero. What happens when a reader
/// opens it tells nothing of the reader.
bool NamesDevice(const std::string& input);

} // namespace nadi::fuzz
