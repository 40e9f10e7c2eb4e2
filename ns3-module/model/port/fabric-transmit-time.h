// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TRANSMIT_TIME_H
#define FABRIC_TRANSMIT_TIME_H

#include "ns3/fabric-time.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// How long a frame occupies a wire of a given rate: ceil(8 bytes / rate), in picoseconds.
///
/// Exact: worked in 128 bits, never through a reciprocal, because an error of a picosecond in each
/// frame would let frames that meet exactly come apart; at most FABRIC_CLOCK_END. A division of 128
/// bits for each frame would be slow, and traffic has few sizes (full, last, control): their times
/// are remembered.
class FabricTransmitTime
{
  public:
    FabricTransmitTime() = default;

    /// Requires: bitsPerSecond > 0.
    explicit FabricTransmitTime(uint64_t bitsPerSecond)
        : m_bitsPerSecond(bitsPerSecond)
    {
    }

    /// Requires: bytes > 0.
    int64_t operator()(uint32_t bytes) const
    {
        // A direct-mapped table: the upper three bits of a multiplicative hash choose one of eight
        // slots.
        Remembered& slot = m_remembered[(bytes * 0x9e3779b1U) >> 29];
        if (slot.bytes != bytes)
        {
            slot = {bytes, Compute(bytes)};
        }
        return slot.ps;
    }

  private:
    __extension__ typedef unsigned __int128 Wide; ///< no overflow at any size and rate

    struct Remembered
    {
        uint32_t bytes = 0; ///< 0: nothing yet
        int64_t ps = 0;
    };

    int64_t Compute(uint32_t bytes) const
    {
        const Wide bitPs = Wide{bytes} * 8 * 1'000'000'000'000U;
        const Wide ps = (bitPs + m_bitsPerSecond - 1) / m_bitsPerSecond;
        return static_cast<int64_t>(std::min(ps, Wide{FABRIC_CLOCK_END}));
    }

    uint64_t m_bitsPerSecond = 1;
    mutable std::array<Remembered, 8> m_remembered{};
};

} // namespace ns3

#endif /* FABRIC_TRANSMIT_TIME_H */
