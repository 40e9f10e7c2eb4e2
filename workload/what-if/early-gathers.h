// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/host/recorded-host.h"
#include "workload/what-if/layer-places.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace nadi
{

/// Parameters that come while the layer before theirs is computed (ZeRO 3), in passes of two
/// layers. The gather for the second layer waits for what is before the pass, so it does not show
/// by itself what one for a third layer would wait for. It does where it waits for the same as the
/// first tasks of the layer before: it is asked for together with these.
///
/// The first of two gathers may wait for the same by chance, as behind an embedding. So nothing is
/// taken from a rank on which both do in all passes.
///
/// A gather may also wait for the gathers before it, as on a stream of their own. Then one for what
/// stands behind the layers waits for those of the last layer, and is asked for together with the
/// first task of that layer.
class EarlyGathers
{
  public:
    /// A task of the last layer of a pass, and the gathers of that layer, by their slots.
    struct Behind
    {
        uint32_t pass = 0;
        uint32_t askedWith = 0;
        std::vector<uint32_t> gathersBefore;
    };

    /// The references are not kept.
    EarlyGathers(const RecordedHost& host, const LayerPlaces& places);

    /// The slot of the task, in the layer before, together with which a gather for the second layer
    /// of a pass is asked for. Nothing: the node is no such gather.
    std::optional<uint32_t> SlotAskedWith(uint32_t node) const;

    /// Of a gather for what stands behind the layers. Nothing: the node is no such gather.
    std::optional<Behind> BehindOf(uint32_t node) const;

  private:
    std::map<uint32_t, Behind> m_behind;  ///< by gather
    std::map<uint32_t, uint32_t> m_slots; ///< by gather
};

} // namespace nadi
