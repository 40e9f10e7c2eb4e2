// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"
#include "common/units.h"
#include "system/collective-plan.h"

#include <cstdint>
#include <optional>

namespace nadi
{

inline constexpr const char* TOO_MANY_SLICES =
    "a buffer is cut in more than 2^32 slices; write a larger slice";

/// The largest slice where nobody says it, of a buffer that goes through `stages` members one after
/// the other. The last member waits for the first slice `stages` times, which with 8 slices for
/// each stage is an eighth of the buffer's time on the wire. There are at most 32 smaller ones,
/// though: each has a lane as long as it travels, and a rank runs a limited number of lanes
/// (`sends-in-flight`). A slice has at least 8 KiB, since smaller ones cost messages and save
/// little beside the latency of a step, and at most 128 KiB. No stages count as one.
Bytes AutomaticSlice(Bytes buffer, uint32_t stages);

/// The parameter `slice`: a buffer that is handed from member to member is cut in slices of at
/// most this size, so that a member passes on the first while the next arrive (pipelining).
class Slices
{
  public:
    static ParameterSpec Spec();

    /// Throws ConfigError when the parameter `slice` is not at least one byte.
    explicit Slices(const Parameters& parameters);

    /// What is cut.
    struct Buffer
    {
        uint64_t elements = 0;
        uint32_t elementBytes = 1;
        uint32_t stages = 1; ///< members that pass it on one after the other; 0 counts as 1
    };

    /// Slices of a buffer: as few as can be, at least one (an empty buffer is still sent). A slice
    /// holds at least one element, even where that is larger than `slice`. Throws ConfigError where
    /// they are more than 2^32.
    uint32_t CountFor(const Buffer& buffer) const;

  private:
    std::optional<Bytes> m_size; ///< none: AutomaticSlice
};

} // namespace nadi
