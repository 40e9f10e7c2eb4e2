// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command.h"
#include "common/error.h"
#include "configuration/extreme-value.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// What is wrong with the form of a setting; empty where nothing is. Whether the key exists is only
/// known when the configuration is read.
std::string
CheckSetting(const std::string& setting)
{
    const size_t sign = setting.find('=');
    return sign == std::string::npos || sign == 0
               ? "\"" + setting +
                     "\" is not key.path=value, such as network.packet.payload=\"1 KB\""
               : "";
}

} // namespace

std::vector<CommandOption>
ConfigArguments::Options()
{
    return {{.name = "CONFIG",
             .target = &file,
             .help = "the configuration, a YAML file",
             .isRequired = true},
            {.name = "--set",
             .target = &settings,
             .help = "override a key for this run; may be repeated",
             .valueName = "KEY.PATH=VALUE",
             .check = &CheckSetting}};
}

ExitCode
ConfigArguments::BlameForClockEnd(const std::function<ExitCode()>& work) const
{
    try
    {
        return work();
    }
    // Arithmetic of times throws this, and cannot know which configuration the values came from.
    catch (const std::overflow_error& error)
    {
        const ConfigDocument document(file, settings);
        if (const ConfigNode* extreme = FindExtremeValue(document))
        {
            extreme->Fail(fmt::format("with {}, {}", extreme->text, DescribeClockEnd(error)));
        }
        throw ConfigError(file, DescribeClockEnd(error));
    }
}

std::string
DescribeClockEnd(const std::overflow_error& error)
{
    return fmt::format("{}: the simulated clock ends after 106 days; write smaller sizes, shorter "
                       "times or higher rates",
                       error.what());
}

} // namespace nadi
