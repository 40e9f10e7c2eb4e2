// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"

namespace nadi
{

namespace
{

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

void
ConfigArguments::AddTo(CLI::App& command)
{
    command.add_option("CONFIG", file, "the configuration, a YAML file")->required();
    command.add_option("--set", settings, "override a key for this run; may be repeated")
        ->type_name("KEY.PATH=VALUE")
        ->expected(1)
        ->take_all()
        ->check(CLI::Validator(CheckSetting, ""));
}

} // namespace nadi
