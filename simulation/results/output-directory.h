// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

namespace nadi
{

/// What an output may take the place of, beside an empty directory.
enum class MayReplace : uint8_t
{
    Nothing,
    EarlierResult, ///< of a run: a directory that holds config.yaml and summary.json
};

/// The directory that a command fills: all at once, or not at all.
///
/// Files are written to a hidden sibling, which takes the directory's place at the end. What was
/// there before stays until then.
class OutputDirectory
{
  public:
    /// Throws UsageError, having touched nothing, unless `path` is absent, an empty directory, or
    /// what may be replaced.
    OutputDirectory(const std::filesystem::path& path, MayReplace replaced);

    /// Removes the sibling when Publish was not reached.
    ~OutputDirectory();
    OutputDirectory(const OutputDirectory&) = delete;
    OutputDirectory& operator=(const OutputDirectory&) = delete;

    /// Writes a file. Throws UsageError when it cannot.
    void Write(const std::string& name, const std::string& content);

    /// Writes a file that may be large: what `fill` puts into the stream.
    void WriteStream(const std::string& name, const std::function<void(std::ostream&)>& fill);

    /// Where a file that others write as the run goes on has to be written; its folder is there.
    /// Throws UsageError when it cannot be made.
    std::filesystem::path PathFor(const std::string& name);

    /// Puts what was written in place. Throws UsageError when it cannot.
    void Publish();

  private:
    void MakeStaging();

    std::filesystem::path m_path;    // absolute, links followed
    std::filesystem::path m_staging; // empty: not there
};

} // namespace nadi
