// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TEST_RANDOM_H
#define FABRIC_TEST_RANDOM_H

#include "ns3/fabric-hash.h"

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// Draws for randomised tests: a function of the seed alone, on every platform.
class FabricTestRandom
{
  public:
    explicit FabricTestRandom(uint64_t seed)
        : m_state(FabricMix(seed))
    {
    }

    /// Any of 0 to count - 1. Requires: count > 0.
    uint64_t Below(uint64_t count)
    {
        return FabricMix(++m_state) % count;
    }

    /// True in `percent` of 100 draws.
    bool Happens(uint64_t percent)
    {
        return Below(100) < percent;
    }

  private:
    uint64_t m_state;
};

} // namespace ns3

#endif /* FABRIC_TEST_RANDOM_H */
