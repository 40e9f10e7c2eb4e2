// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_HASH_H
#define FABRIC_HASH_H

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// Mixes 64 bits, one to one, so that each input bit moves half of the output bits (the finaliser
/// of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
constexpr uint64_t
FabricMix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

} // namespace ns3

#endif /* FABRIC_HASH_H */
