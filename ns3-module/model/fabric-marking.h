// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_MARKING_H
#define FABRIC_MARKING_H

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// When a port marks frames (ECN, RED-style), by the bytes of a priority that wait.
struct FabricMarking
{
    uint64_t min = 0;       ///< up to which no frame is marked
    uint64_t max = 0;       ///< above which every frame is marked; 0: none ever is
    double probability = 0; ///< at `max`; from `min` on it rises in proportion

    bool IsOn() const
    {
        return max != 0;
    }

    /// With which a frame is marked that starts while `queue` bytes wait.
    double ComputeProbability(uint64_t queue) const
    {
        if (!IsOn() || queue <= min)
        {
            return 0;
        }
        if (queue > max)
        {
            return 1;
        }
        const double slope = probability / static_cast<double>(max - min);
        return slope * static_cast<double>(queue - min);
    }
};

} // namespace ns3

#endif /* FABRIC_MARKING_H */
