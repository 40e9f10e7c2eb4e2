// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/node-hardware.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace nadi::nccl
{

enum class Generation : uint8_t
{
    V100,
    A100,
    H100,
    B200,
    Mi300x,
};

enum class KernelProtocol : uint8_t
{
    LL,     ///< a flag of 4 bytes with each 4 bytes of data
    LL128,  ///< 120 bytes of data in each 128
    Simple, ///< bare data, and a synchronisation for each slot
};

enum class KernelAlgorithm : uint8_t
{
    Ring,
    Tree,
    Nvls,     ///< the NVLink switch of a node adds and multicasts
    NvlsTree, ///< NVLS inside nodes, trees between them
};

/// One of the two.
constexpr bool
IsNvls(KernelAlgorithm algorithm)
{
    return algorithm == KernelAlgorithm::Nvls || algorithm == KernelAlgorithm::NvlsTree;
}

std::string ToText(KernelProtocol protocol);
std::string ToText(KernelAlgorithm algorithm);

/// The protocol that ToText gives that word, or none.
std::optional<KernelProtocol> FindProtocol(const std::string& word);

/// Between a GPU and its NIC.
enum class NicPath : uint8_t
{
    PcieSwitch,
    HostBridge,
    C2c,
};

struct Release
{
    uint32_t major = 2;
    uint32_t minor = 21;
    uint32_t patch = 0; ///< 0 where a release is told by two numbers

    auto operator<=>(const Release&) const = default;
};

/// Of the releases that ReleaseFamily was read from; with its patches.
inline constexpr Release NEWEST_KNOWN_RELEASE{2, 29};

/// Throws ConfigError for what is no release, and for one before 2.4 or of another major number.
Release ParseRelease(const std::string& text);

/// As the constants of the library have rates: in GB/s.
inline double
InGigabytes(Bandwidth bandwidth)
{
    return static_cast<double>(bandwidth.BitsPerSecond()) / 8e9;
}

/// What the library looks at when it chooses for a communicator: ranks and hardware, never the
/// load of the network. Rates in GB/s of one direction.
struct Machine
{
    /// Of a node, for NVLS: two send less around a ring.
    static constexpr uint32_t LEAST_NVLS_RANKS = 3;

    Generation generation = Generation::H100;
    Release release;
    uint32_t ranks = 1;
    uint32_t nodes = 1;
    /// Of a GPU into its node; of a mesh, its links to the ranks there.
    double link = 0;
    uint32_t fewestInNode = 1; ///< ranks, of the nodes that have several
    double nic = 0;            ///< of a node into the network, as far as its ranks have NICs
    uint32_t nics = 1;         ///< of the node whose ranks use the fewest
    /// A rank's part of the NICs of its node, of the rank that has the least.
    double nicOfRank = 0;
    NodeWiring wiring = NodeWiring::Switch;
    NicPath nicPath = NicPath::PcieSwitch;
    bool isAmdProcessor = false;
    /// A network plugin tells the library of this latency of a message, in us; 0: none is told.
    double pluginLatency = 0;
    bool isSimpleOnly = false; ///< the network's plugin forbids LL and LL128
    uint32_t leastChannels = 0;
    bool isRegular = true;      ///< every node has equally many ranks
    bool switchesReduce = true; ///< the switch of each node can reduce for its ranks

    /// Ranks of a node.
    uint32_t Local() const
    {
        return ranks / nodes;
    }

    /// GB/s of a link between two GPUs of a node. Without a switch a GPU divides its rate among
    /// links: in a mesh one to each other, in a hybrid cube mesh six. GPUs that are joined doubly
    /// there have two of these.
    double PairLink() const
    {
        constexpr double linksOfCubeMesh = 6;
        switch (wiring)
        {
        case NodeWiring::Mesh:
            return link / std::max(1U, fewestInNode - 1);
        case NodeWiring::HybridCubeMesh:
            return link / linksOfCubeMesh;
        default:
            return link;
        }
    }

    /// Whether NVLS runs if the user wants it.
    bool AllowsNvls() const
    {
        return isRegular && switchesReduce && wiring == NodeWiring::Switch &&
               Local() >= LEAST_NVLS_RANKS &&
               (generation == Generation::H100 || generation == Generation::B200);
    }

    /// Whether the library considers NVLS by itself.
    bool PrefersNvls() const
    {
        constexpr uint32_t leastRanks = 5; // fewer gain nothing from the switch
        return AllowsNvls() && Local() >= leastRanks;
    }
};

} // namespace nadi::nccl
