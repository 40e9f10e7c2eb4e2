// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"
#include "common/units.h"
#include "system/collective-plan.h"

#include <cstdint>

namespace nadi
{

inline constexpr const char* TOO_MANY_SLICES =
    "a buffer is cut in more than 2^32 slices; write a larger slice";

/// Of a slice, where nobody says it.
inline constexpr Bytes DEFAULT_SLICE{128 * 1024};

/// The parameter `slice`: a buffer that is handed from member to member is cut in slices of at
/// most this size, so that a member passes on the first while the next arrive (pipelining).
class Slices
{
  public:
    static ParameterSpec Spec();

    /// Throws ConfigError when the parameter `slice` is not at least one byte.
    explicit Slices(const Parameters& parameters);

    /// Slices of a buffer of `elements`: as few as can be, at least one (an empty buffer is still
    /// sent). A slice holds at least one element, even where that is larger than `slice`. Throws
    /// ConfigError where they are more than 2^32.
    uint32_t CountFor(uint64_t elements, uint32_t elementBytes) const;

  private:
    Bytes m_size;
};

} // namespace nadi
