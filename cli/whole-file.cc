// SPDX-License-Identifier: GPL-2.0-only
#include "cli/whole-file.h"

#include "common/usage-error.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace nadi
{

namespace
{

namespace fs = std::filesystem;

bool
Write(const std::string& text, const fs::path& path)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    return !file.fail();
}

/// Written beside its place and then renamed, so that whoever reads the path meanwhile gets the
/// whole old file or the whole new one.
bool
Replace(const std::string& text, const fs::path& path)
{
    std::error_code error;
    // Beside the file itself: to rename to a link would put a file in its place.
    const fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
    const fs::path staging = target.string() + ".part";
    if (Write(text, staging))
    {
        fs::rename(staging, target, error);
        if (!error)
        {
            return true;
        }
    }
    fs::remove(staging, error);
    return false;
}

} // namespace

void
SaveWhole(const std::string& text, const std::string& path, const std::string& option)
{
    std::error_code error;
    // To rename to a device would put a file in its place, for all programs of the machine.
    const bool isOther = fs::exists(path, error) && !fs::is_regular_file(path, error);
    if (!(isOther ? Write(text, path) : Replace(text, path)))
    {
        throw UsageError("cannot write \"" + path + "\"; name another file with " + option);
    }
}

} // namespace nadi
