// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/output-directory.h"

#include "common/usage-error.h"

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace nadi
{

namespace fs = std::filesystem;

namespace
{

/// Results of a run have both files. A directory with a config.yaml alone may be somebody's own
/// work.
bool
IsResult(const fs::path& path)
{
    return fs::is_regular_file(path / "config.yaml") && fs::is_regular_file(path / "summary.json");
}

[[noreturn]] void
FailToWrite(const fs::path& path, const std::string& reason)
{
    throw UsageError("cannot write \"" + path.string() + "\": " + reason);
}

/// Both names exist: `a` becomes what `b` was and the other way round, in one step where the file
/// system can.
void
Exchange(const fs::path& a, const fs::path& b)
{
    if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0)
    {
        return;
    }
    // Where the system cannot exchange two names at once: for an instant nothing has the name `b`.
    const fs::path aside = b.string() + ".old";
    fs::rename(b, aside);
    fs::rename(a, b);
    fs::rename(aside, a);
}

} // namespace

OutputDirectory::OutputDirectory(const fs::path& path, MayReplace replaced)
    : m_path(fs::weakly_canonical(fs::absolute(path)))
{
    // A path that ends with a slash has an empty last part, of which no name for a sibling can be
    // made.
    if (!m_path.has_filename())
    {
        m_path = m_path.parent_path();
    }
    std::error_code error;
    if (!fs::exists(m_path, error) && !error)
    {
        return;
    }
    if (error || !fs::is_directory(m_path))
    {
        throw UsageError("\"" + path.string() + "\" is not a directory; name another with --out");
    }
    const bool mayReplace = replaced == MayReplace::EarlierResult;
    if (!fs::is_empty(m_path) && !(mayReplace && IsResult(m_path)))
    {
        throw UsageError(
            "\"" + path.string() + "\" " +
            (mayReplace ? "holds something else than results of an earlier run" : "is not empty") +
            "; name an empty or new directory with --out");
    }
}

OutputDirectory::~OutputDirectory()
{
    if (!m_staging.empty())
    {
        std::error_code ignored;
        fs::remove_all(m_staging, ignored);
    }
}

void
OutputDirectory::MakeStaging()
{
    // Beside the directory and not in /tmp: only within one file system can a directory be renamed
    // in one step. The number of the process keeps two runs apart that write to the same place.
    const std::string name = "." + m_path.filename().string() + "." + std::to_string(getpid());
    std::error_code error;
    if (m_path.has_parent_path())
    {
        fs::create_directories(m_path.parent_path(), error);
    }
    fs::path staging = m_path.parent_path() / name;
    // What is there already is left of a run that was killed and had this number, as in containers,
    // or is in use by a run of another container. Its files must not get into this result.
    for (int attempt = 1; !error && !fs::create_directory(staging, error); ++attempt)
    {
        staging = m_path.parent_path() / (name + "." + std::to_string(attempt));
    }
    if (error)
    {
        FailToWrite(m_path, error.message());
    }
    m_staging = staging;
}

fs::path
OutputDirectory::PathFor(const std::string& name)
{
    if (m_staging.empty())
    {
        MakeStaging();
    }
    const fs::path path = m_staging / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
    {
        FailToWrite(m_path / name, error.message());
    }
    return path;
}

void
OutputDirectory::Write(const std::string& name, const std::string& content)
{
    WriteStream(name, [&](std::ostream& file) { file << content; });
}

void
OutputDirectory::WriteStream(const std::string& name,
                             const std::function<void(std::ostream&)>& fill)
{
    std::ofstream file(PathFor(name), std::ios::binary);
    fill(file);
    // Closed before the test: writing what is still in the buffer may fail as well.
    file.close();
    if (!file)
    {
        FailToWrite(m_path / name, "the disk may be full");
    }
}

/// Until this call nothing in the directory has changed, so a run that fails before leaves the
/// earlier result as it was.
void
OutputDirectory::Publish()
{
    try
    {
        if (fs::exists(m_path))
        {
            Exchange(m_staging, m_path);
            // After the exchange m_staging names what the directory held before.
            fs::remove_all(m_staging);
        }
        else
        {
            fs::rename(m_staging, m_path);
        }
    }
    catch (const fs::filesystem_error& error)
    {
        FailToWrite(m_path, error.code().message());
    }
    m_staging.clear();
}

} // namespace nadi
