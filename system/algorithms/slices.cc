// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/slices.h"

#include "common/error.h"
#include "common/unit-parser.h"

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

constexpr Bytes LEAST_AUTOMATIC_SLICE{8 * 1024};
constexpr Bytes MOST_AUTOMATIC_SLICE{128 * 1024};
constexpr int64_t MOST_AUTOMATIC_SLICES = 32; // of smaller slices

} // namespace

Bytes
AutomaticSlice(Bytes buffer, uint32_t stages)
{
    const int64_t slices = std::min(8 * std::max<int64_t>(stages, 1), MOST_AUTOMATIC_SLICES);
    return std::clamp(Bytes(buffer.Count() / slices), LEAST_AUTOMATIC_SLICE, MOST_AUTOMATIC_SLICE);
}

ParameterSpec
Slices::Spec()
{
    return {.name = "slice",
            .kind = ParameterKind::Size,
            .defaultText = "auto",
            .help = "The size of the slices in which a buffer is pipelined along a tree, or along "
                    "a ring in a broadcast or reduce; at least 1 B. Smaller slices fill the "
                    "pipeline sooner, but cost more messages. auto: from 8 KiB to 128 KiB, eight "
                    "for each member that a slice passes, but at most 32 below 128 KiB.",
            .words = {"auto"}};
}

Slices::Slices(const Parameters& parameters)
{
    if (parameters.Has<Bytes>("slice"))
    {
        m_size = parameters.Get<Bytes>("slice");
    }
    if (m_size && *m_size < Bytes(1))
    {
        throw ConfigError("slice", "0 B cuts nothing; write at least 1 B, such as 128 KiB");
    }
}

uint32_t
Slices::CountFor(const Buffer& buffer) const
{
    const uint64_t elementBytes = std::max<uint32_t>(1, buffer.elementBytes);
    const Bytes whole(static_cast<int64_t>(buffer.elements * elementBytes));
    const Bytes size = m_size.value_or(AutomaticSlice(whole, buffer.stages));
    const uint64_t perSlice =
        std::max<uint64_t>(1, static_cast<uint64_t>(size.Count()) / elementBytes);
    // The count is rounded up without a sum that could pass 64 bits.
    const uint64_t count = buffer.elements / perSlice + (buffer.elements % perSlice == 0 ? 0 : 1);
    if (count > std::numeric_limits<uint32_t>::max())
    {
        throw ConfigError("system.collectives", TOO_MANY_SLICES);
    }
    return std::max(uint32_t{1}, static_cast<uint32_t>(count));
}

} // namespace nadi
