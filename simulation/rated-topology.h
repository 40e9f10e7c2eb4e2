// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/link-fault.h"
#include "network/topology.h"

#include <optional>
#include <vector>

namespace nadi
{

/// A topology with the bandwidths that its links have under faults. Ids are those of the topology,
/// so its routing serves both.
class RatedTopology
{
  public:
    /// Each link at the highest bandwidth that it ever has: what no run can beat there, none can
    /// beat at any moment. Requires: `topology` outlives it.
    static RatedTopology Fastest(const Topology& topology, const std::vector<LinkFault>& faults);

    /// Each link at the bandwidth that it has at 0 s. Requires: `topology` outlives it.
    static RatedTopology AtBegin(const Topology& topology, const std::vector<LinkFault>& faults);

    const Topology& Get() const
    {
        return m_changed ? *m_changed : m_usual;
    }

  private:
    RatedTopology(const Topology& usual, const Topology::Bandwidths& changed);

    const Topology& m_usual;
    std::optional<Topology> m_changed; // none: all have their usual bandwidths
};

} // namespace nadi
