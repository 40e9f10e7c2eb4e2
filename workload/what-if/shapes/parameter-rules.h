// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/block-works.h"
#include "workload/what-if/shapes/shape-sizes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// So many blocks of each kind, by BlockKind.
struct ParameterSet
{
    std::array<uint32_t, BLOCK_KINDS> blocks{};

    uint32_t& Of(BlockKind kind)
    {
        return blocks[static_cast<size_t>(kind)];
    }

    uint32_t Of(BlockKind kind) const
    {
        return blocks[static_cast<size_t>(kind)];
    }

    bool IsEmpty() const
    {
        return blocks == std::array<uint32_t, BLOCK_KINDS>{};
    }

    /// Those of experts alone, or all but those.
    ParameterSet Experts() const;
    ParameterSet Dense() const;

    /// Whether they are of experts, and of nothing else.
    bool IsOfExperts() const
    {
        return !IsEmpty() && Dense().IsEmpty();
    }

    bool operator==(const ParameterSet&) const = default;
};

/// What a model has besides the matrices of its products. Every layer has two norms.
struct ParameterRules
{
    bool hasBiases = false;     ///< of attention and MLPs: as many as their products have columns
    uint64_t normVectors = 1;   ///< of a norm, each of the hidden width
    bool hasPositions = false;  ///< a row of the embedding for each token of a sequence
    bool hasHeadMatrix = false; ///< on the rank that has the head, besides that of the embedding

    bool operator==(const ParameterRules&) const = default;
};

/// All that are known, those of most models first.
std::vector<ParameterRules> ListParameterRules();

/// How many parameters a rank has in blocks. Throws ConfigError beyond 2^62.
uint64_t
CountParameters(const ParameterSet& set, const ShapeSizes& part, const ParameterRules& rules);

} // namespace nadi
