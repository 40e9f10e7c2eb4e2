// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nadi
{

/// How many lists and objects of a JSON text may lie within each other. What prints and converts
/// JSON calls itself for each of them, and so would run out of stack.
constexpr size_t MOST_JSON_LEVELS = 64;

/// The first byte of a JSON text that begins a list or object deeper than MOST_JSON_LEVELS.
std::optional<size_t> FindDeepJson(std::string_view text);

/// Throws ConfigError, at the line of `source`, for a text in which FindDeepJson finds something.
void CheckJsonNesting(std::string_view text, const std::string& source);

} // namespace nadi
