// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nadi::fuzz
{

/// A directory of this process for readers that want files. It goes when the process ends in order.
class InputFiles
{
  public:
    InputFiles();
    ~InputFiles();

    InputFiles(const InputFiles&) = delete;
    InputFiles& operator=(const InputFiles&) = delete;

    /// Writes a file; returns where it is.
    std::filesystem::path Write(const std::string& name, const std::string& contents) const;

    void Remove(const std::string& name) const;

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

/// Whether a text names a file outside of the directory of inputs that never ends or is no file of
/// data, such as /dev/zero. To read it is the user's wish and tells nothing of the reader.
bool NamesDevice(const std::string& input);

} // namespace nadi::fuzz
