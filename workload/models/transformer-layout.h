// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "workload/models/transformer-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Which ranks work together: the place of a rank along each axis of parallelism, and back.
///
/// Example with tp 2, dp 2 and pp 2: rank 5 = (1 * 2 + 0) * 2 + 1 is stage 1, data 0, tensor 1. Its
/// groups are tp {4, 5}, dp {5, 7} and embedding {1, 5}.
class TransformerLayout
{
  public:
    explicit TransformerLayout(const ParallelDegrees& degrees)
        : m_degrees(degrees)
    {
    }

    struct Place
    {
        uint32_t tensor = 0;
        uint32_t context = 0;
        uint32_t data = 0;
        uint32_t stage = 0;
    };

    Place PlaceOf(uint32_t rank) const;
    uint32_t RankAt(const Place& place) const;

    /// The ranks of the group that a stage's trace calls `group`, ascending, `rank` among them.
    /// Requires: a name that MakeTransformerStage uses.
    std::vector<uint32_t> GroupOf(uint32_t rank, const std::string& group) const;

    /// By TransformerBlockWriter::Peer.
    std::vector<RankId> PeersOf(uint32_t rank) const;

  private:
    std::vector<uint32_t> TensorGroup(Place place) const;
    std::vector<uint32_t> ExpertGroup(Place place) const;
    std::vector<uint32_t> CopiesOf(Place place, uint32_t firstData, uint32_t step) const;

    ParallelDegrees m_degrees;
};

} // namespace nadi
