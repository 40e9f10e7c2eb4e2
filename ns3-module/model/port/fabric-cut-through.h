// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_CUT_THROUGH_H
#define FABRIC_CUT_THROUGH_H

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// Which frames a node passes on before they have come whole: those that come at `leastRate` bits
/// per second or faster, after their first `headBytes`. With 0 head bytes, none.
struct FabricCutThrough
{
    uint32_t headBytes = 0;
    uint64_t leastRate = 0;

    /// Bytes of a frame that comes at `rate` after which the node acts on it; 0: all.
    uint32_t GetHeadBytes(uint64_t rate) const
    {
        return rate < leastRate ? 0 : headBytes;
    }
};

} // namespace ns3

#endif /* FABRIC_CUT_THROUGH_H */
