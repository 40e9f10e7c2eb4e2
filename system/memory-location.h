// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace nadi
{

/// Which memory an access goes to: that of the NPU, or the one outside of it.
enum class MemoryLocation : uint8_t
{
    Local,
    Remote,
};

} // namespace nadi
