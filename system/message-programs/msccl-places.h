// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"
#include "system/message-programs/message-program.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Where the chunks of a file's buffers are among the places of a program.
class MscclPlaces
{
  public:
    /// Throws ConfigError where the sizes of the file's buffers are not those of the collective.
    /// The algorithm outlives it.
    MscclPlaces(const MscclAlgorithm& algorithm, CollectiveType type);

    const ProgramBuffers& Buffers() const
    {
        return m_buffers;
    }

    uint32_t PlaceOf(uint32_t gpu, const MscclPlace& place) const;

    /// The first scratch chunk of a thread block's own, for what it neither stores nor adds to.
    uint32_t OwnOf(uint32_t gpu, uint32_t block) const
    {
        return m_own[gpu][block];
    }

  private:
    void CheckSizes(const MscclAlgorithm& algorithm) const;
    void AddOwn(const MscclAlgorithm& algorithm);

    ProgramBuffers m_buffers;
    std::vector<std::vector<uint32_t>> m_own; // by GPU and thread block
};

/// The place of chunk 0 of the input or output of a GPU. In place both are one, but that the input
/// of an all-gather and the output of a reduce-scatter are the rank's own shard.
uint32_t FirstPlaceOf(const ProgramBuffers& buffers, MscclBuffer buffer, uint32_t gpu);

/// Whether a step receives what it adds to another place than it stores to, or stores nothing.
bool NeedsOwnPlace(const MscclStep& step);

} // namespace nadi
