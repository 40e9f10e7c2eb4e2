// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace nadi
{

/// The bytes of frames where a configuration says nothing.
inline constexpr int64_t PAYLOAD = 4096;
inline constexpr int64_t HEADER = 64;
inline constexpr int64_t CONTROL = 64; ///< a control frame

} // namespace nadi
