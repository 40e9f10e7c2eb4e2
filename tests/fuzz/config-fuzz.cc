// SPDX-License-Identifier: GPL-2.0-only
// Configurations, and what is written of them.
#include "configuration/config-file.h"
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"

#include <sstream>
#include <vector>

namespace nadi::fuzz
{

namespace
{

/// The settings of the command line that an input stands for: its lines "# --set KEY=VALUE".
std::vector<std::string>
FindSettings(const std::string& input)
{
    const std::string mark = "# --set ";
    std::vector<std::string> settings;
    std::istringstream lines(input);
    for (std::string line; std::getline(lines, line);)
    {
        if (line.starts_with(mark))
        {
            settings.push_back(line.substr(mark.size()));
        }
    }
    return settings;
}

class ConfigFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "A configuration; \"# --set KEY=VALUE\" are settings.";

    void Read(const std::string& input) override
    {
        if (NamesDevice(input))
        {
            return;
        }
        const auto file = m_files.Write("fuzz.yaml", input);
        const std::string written = WriteConfig(ReadConfig(file, FindSettings(input)));
        const auto again = m_files.Write("written.yaml", written);
        std::string twice;
        const bool isRead = Succeeds([&] { twice = WriteConfig(ReadConfig(again, {})); });
        Require(isRead, "a configuration that was written can be read");
        Require(twice == written, "a configuration that was written reads as it was");
    }

  private:
    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, ConfigFuzz, "config");

} // namespace

} // namespace nadi::fuzz
