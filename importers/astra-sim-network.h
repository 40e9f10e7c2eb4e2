// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-draft.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What the other files have to know of a network.
struct ImportedNetwork
{
    struct Dimension
    {
        std::string shape;
        uint32_t size = 1;
        bool isTwoWayRing = false; ///< its `ring` drives both directions at once
    };

    std::vector<Dimension> dimensions; ///< innermost first

    uint64_t NpuCount() const;
};

/// Maps the network file of the analytical backends: `topology`, `npus_count`, `bandwidth`,
/// `latency` (2.x), or `topologies-per-dim`, `units-count` and so on (1.x).
///
/// Holds: bandwidths count GB of 2^30 bytes, as the source does; the value is exact to a bit per
/// second. Throws ConfigError for a network that has no counterpart.
ImportedNetwork ImportAstraSimNetwork(const ConfigNode& root, ImportDraft& draft);

} // namespace nadi
