// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <optional>
#include <string_view>

namespace nadi
{

/// on, true or yes; off, false or no; nothing for any other text.
std::optional<bool> FindSwitch(std::string_view text);

} // namespace nadi
