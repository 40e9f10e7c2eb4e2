// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/block-works.h"
#include "workload/what-if/shapes/kernel-steps.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace nadi
{

/// The works of a forward segment, as they are read.
class WorkList
{
  public:
    /// `sizes` outlives it.
    explicit WorkList(SizeSightings& sizes)
        : m_sizes(sizes)
    {
    }

    SizeSightings& Sizes()
    {
        return m_sizes;
    }

    const ShapeSizes& Seen() const
    {
        return m_sizes.Seen();
    }

    /// Says what a kernel of the block counts. Kernels of a node come one after the other.
    void
    SetMeaning(const KernelStep& step, BlockKind kind, bool hasLast, const KernelMeaning& meaning);

    void EndBlock()
    {
        ++m_block;
    }

    /// Gives them away.
    std::vector<BlockWork> Take()
    {
        return std::move(m_works);
    }

  private:
    SizeSightings& m_sizes;
    uint32_t m_block = 0;
    std::vector<BlockWork> m_works;
};

/// Reads an attention: `products`, those of `steps` with weights, the hidden width enters, all but
/// the last, which it leaves. One, two or three enter: queries, keys and values together, keys and
/// values together, or each alone. Throws ConfigError where they are no such products.
void ReadAttention(const std::vector<KernelStep>& steps,
                   const std::vector<KernelStep>& products,
                   WorkList& works);

/// Reads products of a layer behind or without its attention: a router, experts, and those of an
/// MLP, which in a layer with a router is that of shared experts (`isMixture`). Throws ConfigError
/// where widths do not fit each other.
void ReadMlps(const std::vector<KernelStep>& steps, bool isMixture, WorkList& works);

} // namespace nadi
