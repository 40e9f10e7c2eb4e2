// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_HASH_H
#define FABRIC_HASH_H

#include <cstdint>
#include <initializer_list>

namespace ns3
{

/// \ingroup fabric
/// What a random choice is about. Choices with different purposes are independent of each other,
/// whatever else they depend on.
enum class FabricPurpose : uint64_t
{
    Ecmp = 1,
    Spray,
    Flowlet,
    Adaptive,
    Mark,
    Loss,
};

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

/// \ingroup fabric
/// A hash of numbers in their order. Random choices of the fabric are such functions of identities
/// (seed, purpose, node, flow, sequence, attempt): they depend on no order of execution.
constexpr uint64_t
FabricHash(std::initializer_list<uint64_t> identities)
{
    uint64_t hash = 0;
    for (const uint64_t identity : identities)
    {
        hash = FabricMix(hash ^ identity);
    }
    return hash;
}

/// \ingroup fabric
/// A uniform random number of [0, 1) out of a hash: its upper 53 bits.
constexpr double
FabricUniform(uint64_t hash)
{
    return static_cast<double>(hash >> 11) * 0x1p-53;
}

} // namespace ns3

#endif /* FABRIC_HASH_H */
