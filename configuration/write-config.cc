// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "configuration/sections.h"
#include "configuration/yaml-writer.h"

namespace nadi
{

std::string
WriteConfig(const Config& config)
{
    Config copy = config;
    return WriteYaml(WriteSection(DescribeConfig(copy)));
}

} // namespace nadi
