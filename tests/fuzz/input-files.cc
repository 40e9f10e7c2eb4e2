// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/input-files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace nadi::fuzz
{

namespace
{

/// In memory where that is possible: a target writes thousands of files a second.
std::filesystem::path
FindParent()
{
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
}

} // namespace

InputFiles::InputFiles()
    : m_directory(FindParent() / fmt::format("nadi-fuzz-{}", getpid()))
{
    std::filesystem::create_directories(m_directory);
}

InputFiles::~InputFiles()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_directory, ignored);
}

std::filesystem::path
InputFiles::Write(const std::string& name, const std::string& contents) const
{
    const std::filesystem::path file = m_directory / name;
    std::ofstream(file, std::ios::binary) << contents;
    return file;
}

std::map<std::string, std::string>
SplitInput(const std::string& input, const std::vector<std::string>& names)
{
    const std::string mark = "==== ";
    std::map<std::string, std::string> files;
    std::string* file = nullptr;
    std::istringstream lines(input);
    for (std::string line; std::getline(lines, line);)
    {
        if (line.starts_with(mark))
        {
            const std::string name = line.substr(mark.size());
            const bool isKnown = std::find(names.begin(), names.end(), name) != names.end();
            file = isKnown ? &files[name] : nullptr;
        }
        else if (file != nullptr)
        {
            *file += line + "\n";
        }
    }
    return files;
}

bool
NamesDevice(const std::string& input)
{
    const auto names = [&input](const char* folder)
    { return input.find(folder) != std::string::npos; };
    return names("/dev/") || names("/proc/") || names("/sys/");
}

} // namespace nadi::fuzz
