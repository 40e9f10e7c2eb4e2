// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/test-paths.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace nadi::test
{

/// An empty directory of a test's own below the build's scratch folder; gone with the object.
class ScratchDirectory
{
  public:
    explicit ScratchDirectory(const std::string& name)
        : m_path(std::filesystem::path(TEST_SCRATCH) / name)
    {
        std::filesystem::remove_all(m_path);
        std::filesystem::create_directories(m_path);
    }

    ~ScratchDirectory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }

    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;

    const std::filesystem::path& Path() const
    {
        return m_path;
    }

    /// Writes a file, making the folders on its way; returns where it is.
    std::filesystem::path Write(const std::string& name, const std::string& content) const
    {
        const std::filesystem::path file = m_path / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }

    /// `text` with this directory's path taken out wherever it stands.
    std::string WithoutPath(std::string text) const
    {
        const std::string prefix = m_path.string() + "/";
        for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
        {
            text.erase(at, prefix.size());
        }
        return text;
    }

  private:
    std::filesystem::path m_path;
};

/// The whole file; empty where there is none.
inline std::string
ReadWholeFile(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace nadi::test
