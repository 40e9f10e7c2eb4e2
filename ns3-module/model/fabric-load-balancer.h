// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_LOAD_BALANCER_H
#define FABRIC_LOAD_BALANCER_H

#include "fabric-flow.h"
#include "fabric-frame.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class FabricPort;

/// \ingroup fabric
/// Which of several equally good ways data frames take.
enum class FabricBalancing : uint8_t
{
    Ecmp,     ///< one for the life of a flow, by the hash of its key
    Spray,    ///< one for each frame, by hash
    Flowlet,  ///< one for each flowlet (frames of a flow with gaps below a bound), by hash
    Adaptive, ///< for each frame the egress with the fewest waiting bytes
};

/// \ingroup fabric
/// Picks among equally good egress ports of one node, frame by frame. All picks are functions of
/// identities and of the queues at the present instant, never of the order of execution, as long as
/// the frames of an instant are asked for in the order of their ingress.
class FabricLoadBalancer
{
  public:
    virtual ~FabricLoadBalancer() = default;

    /// What a pick looks at.
    struct Question
    {
        const FabricFrame& frame;                   ///< data
        const FabricFlow& flow;                     ///< of the frame
        const std::vector<FabricPort*>& candidates; ///< at least two, in order of their index
        int64_t now;
    };

    /// \return The index of a candidate.
    virtual uint32_t Pick(const Question& question) = 0;
};

/// \ingroup fabric
struct FabricBalancerSettings
{
    FabricBalancing balancing = FabricBalancing::Ecmp;
    uint64_t seed = 1;
    uint32_t node = 0;      ///< index of the node in its Fabric
    int64_t flowletGap = 0; ///< picoseconds; a longer pause of a flow begins a new flowlet
};

/// The balancer of one node. Requires: balancing is not Ecmp, which needs none.
std::unique_ptr<FabricLoadBalancer> MakeFabricLoadBalancer(const FabricBalancerSettings& settings);

} // namespace ns3

#endif /* FABRIC_LOAD_BALANCER_H */
