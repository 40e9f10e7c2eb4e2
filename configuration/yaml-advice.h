// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>

namespace nadi
{

/// What is wrong with a line of text at which libyaml found `problem`, and what would be right,
/// where it is one of the slips that configurations are known for: a tab in the indentation, or a
/// path with {rank} without quotes. Empty for all others.
std::string AdviseOnYaml(std::string_view line, std::string_view problem);

} // namespace nadi
