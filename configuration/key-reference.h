// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

namespace nadi
{

/// What there is to know of one key of the configuration.
struct KeyDescription
{
    std::string path;        ///< "network.packet.payload"; `[]` stands for an item of a list
    std::string values;      ///< what may be written: "a size", "packet, flow or analytical"
    std::string units;       ///< "B to TiB"; empty: the values have none
    std::string defaultText; ///< empty: there is none
    std::string meaning;     ///< sentences
    std::string example;     ///< a value
    bool isRequired = false;
};

/// Keys that stand together: those of a section, or the parameters of one component.
struct KeyGroup
{
    std::string title;   ///< "network", "congestion control dcqcn"
    std::string meaning; ///< a sentence
    bool isComponent = false;
    std::vector<KeyDescription> keys;
};

/// Every key that a configuration may have, as the sections declare them: the sections in the order
/// of the file, then the components that have parameters.
std::vector<KeyGroup> DescribeKeys();

/// The groups as sections of a Markdown page, with a table each.
std::string ToMarkdown(const std::vector<KeyGroup>& groups);

} // namespace nadi
