// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>

namespace nadi
{

/// Sizes of a transformer that are to be other than recorded; nothing: it stays.
struct ShapeWish
{
    std::optional<uint32_t> hidden;
    std::optional<uint32_t> ffn; ///< of dense layers; of experts where there are no dense ones
    std::optional<uint32_t> heads;
    std::optional<uint32_t> sequence;
    std::optional<uint32_t> microBatch;
    std::optional<uint32_t> expert; ///< degrees
    std::optional<uint32_t> tensor;
    std::optional<bool> sequenceParallelism;

    bool IsEmpty() const
    {
        return *this == ShapeWish();
    }

    bool operator==(const ShapeWish&) const = default;
};

} // namespace nadi
