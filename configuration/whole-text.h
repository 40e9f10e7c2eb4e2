// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>

namespace nadi
{

/// All that the stream gives. None: that is more than `most` bytes, and perhaps without an end, as
/// of a device. Throws std::ios_base::failure where reading fails.
std::optional<std::string> ReadWholeText(std::istream& stream, size_t most);

} // namespace nadi
