// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/config-file.h"
#include "cli/config/sections.h"
#include "cli/config/yaml-writer.h"

namespace nadi
{

std::string
WriteConfig(const Config& config)
{
    Config copy = config;
    return WriteYaml(WriteSection(DescribeConfig(copy)));
}

} // namespace nadi
