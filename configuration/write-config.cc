// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "configuration/sections.h"
#include "configuration/yaml-writer.h"

namespace nadi
{

std::string
WriteConfig(const Config& config)
{
    // A section binds to an object that it may change, also where it is only written.
    Config copy = config;
    return WriteYaml(WriteSection(DescribeConfig(copy)));
}

} // namespace nadi
