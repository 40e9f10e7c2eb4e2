// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"

#include <map>
#include <utility>

namespace nadi
{

/// The units of switches that reduce what arrives, one for each neighbour that sends: it takes one
/// slice after the other, at a fixed rate.
///
/// Holds: memory is proportional to the neighbours that ever sent something.
class SwitchReducers
{
  public:
    explicit SwitchReducers(Bandwidth rate)
        : m_rate(rate)
    {
    }

    /// A slice of `size` that arrived at `delivered` is reduced when its turn comes. \return When
    /// that is done. Requires: the slices of a neighbour come in the order of their arrivals.
    SimTime Reduce(VertexId at, VertexId from, SimTime delivered, Bytes size);

  private:
    Bandwidth m_rate;
    std::map<std::pair<VertexId, VertexId>, SimTime> m_freeAt; // by (switch, neighbour)
};

} // namespace nadi
