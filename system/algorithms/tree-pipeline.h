// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"
#include "common/units.h"
#include "system/collective-plan.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// The parameters of algorithms on aggregation trees: how a buffer is pipelined.
class TreePipeline
{
  public:
    /// `slice`, `window`, `trees`.
    static std::vector<ParameterSpec> Specs();

    /// Throws ConfigError for a slice of 0 B, and for a window below one slice.
    explicit TreePipeline(const Parameters& parameters);

    Bytes SliceSize() const
    {
        return m_slice;
    }

    uint32_t MostTrees() const
    {
        return m_mostTrees;
    }

    /// The slices that a member has under way at a time: those of `window`; or as many as its links
    /// carry in the time of `trips` ways from a member to the root and back, so that waiting for
    /// answers never slows it down. None: there are no trees, as in a group of one.
    std::optional<uint32_t> WindowFor(const AggregationTrees* trees, uint32_t trips) const;

  private:
    Bytes m_slice;
    std::optional<Bytes> m_window; ///< none: auto
    uint32_t m_mostTrees;
};

} // namespace nadi
