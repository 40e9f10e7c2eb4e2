// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/slices.h"

#include "common/error.h"
#include "common/unit-parser.h"

#include <algorithm>
#include <limits>

namespace nadi
{

ParameterSpec
Slices::Spec()
{
    return {.name = "slice",
            .kind = ParameterKind::Size,
            .defaultText = ToText(DEFAULT_SLICE),
            .help = "The size of the slices in which a buffer is pipelined along a tree, or along "
                    "a ring in a broadcast or reduce; at least 1 B. Smaller slices fill the "
                    "pipeline sooner, but cost more messages."};
}

Slices::Slices(const Parameters& parameters)
    : m_size(parameters.Get<Bytes>("slice"))
{
    if (m_size < Bytes(1))
    {
        throw ConfigError("", "slice: 0 B cuts nothing; write at least 1 B, such as 128 KiB");
    }
}

uint32_t
Slices::CountFor(uint64_t elements, uint32_t elementBytes) const
{
    const uint64_t perSlice = std::max<uint64_t>(
        1, static_cast<uint64_t>(m_size.Count()) / std::max<uint32_t>(1, elementBytes));
    // The count is rounded up without a sum that could pass 64 bits.
    const uint64_t count = elements / perSlice + (elements % perSlice == 0 ? 0 : 1);
    if (count > std::numeric_limits<uint32_t>::max())
    {
        throw ConfigError("system.collectives", TOO_MANY_SLICES);
    }
    return std::max(uint32_t{1}, static_cast<uint32_t>(count));
}

} // namespace nadi
