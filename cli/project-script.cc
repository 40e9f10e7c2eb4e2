// SPDX-License-Identifier: GPL-2.0-only
#include "cli/project-script.h"

#include "cli/unavailable-error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace nadi
{

namespace
{

namespace fs = std::filesystem;

constexpr const char* PYTHON = "/usr/bin/python3";
constexpr const char* UTF8 = "-Xutf8";                   // names and files are, whatever the locale
constexpr const char* SCRIPTS = "../share/nadi/scripts"; // from the folder of the program

fs::path
FindScript(const fs::path& program, const std::string& name)
{
    const fs::path script = (program.parent_path() / SCRIPTS / (name + ".py")).lexically_normal();
    std::error_code error;
    if (!fs::is_regular_file(script, error))
    {
        throw UnavailableError("cannot find \"" + script.string() +
                               "\", which comes with the program; build or install Nadi again");
    }
    return script;
}

} // namespace

void
BecomeScript(const std::string& name, const std::vector<std::string>& arguments)
{
    const fs::path program = fs::read_symlink("/proc/self/exe");
    std::vector<std::string> words{
        PYTHON, UTF8, FindScript(program, name).string(), "--simulator", program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
    {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    execv(PYTHON, pointers.data());
    throw UnavailableError(std::string("cannot run ") + PYTHON + ": " + std::strerror(errno) +
                           "; install the Debian package python3");
}

} // namespace nadi
