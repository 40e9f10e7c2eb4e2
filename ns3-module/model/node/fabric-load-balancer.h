// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_LOAD_BALANCER_H
#define FABRIC_LOAD_BALANCER_H

#include "ns3/fabric-flow.h"
#include "ns3/fabric-frame.h"
#include "ns3/fabric-hash.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class FabricPort;

/// \ingroup fabric
/// Picks among equally good egress ports of one node, frame by frame. Without one, a node picks
/// once for a flow, by the hash of its key (ECMP).
///
/// All picks are functions of identities and of the queues at the present instant, never of the
/// order of execution, as long as the frames of an instant are asked for in the order of their
/// ingress.
///
/// To add one: a file with a subclass whose TypeId is registered (NS_OBJECT_ENSURE_REGISTERED) and
/// named `ns3::Fabric<Name>Balancer`; it can then be chosen by its name in small letters. Its
/// attributes are its parameters.
class FabricLoadBalancer : public Object
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    /// One sentence for users.
    virtual std::string GetHelp() const = 0;

    /// Called by the node that it picks for. `seed` is that of the fabric's random choices, `node`
    /// the node's index in the Fabric.
    void Join(uint64_t seed, uint32_t node)
    {
        m_seed = seed;
        m_node = node;
    }

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

  protected:
    /// A hash of the frame at this node, anew for each retransmission. Balancers with different
    /// purposes draw independently of each other.
    uint64_t HashFrame(FabricPurpose purpose, const Question& question) const
    {
        return FabricHash({m_seed,
                           static_cast<uint64_t>(purpose),
                           m_node,
                           question.flow.identity,
                           question.frame.sequence,
                           question.frame.attempt});
    }

  private:
    uint64_t m_seed = 1;
    uint32_t m_node = 0;
};

} // namespace ns3

#endif /* FABRIC_LOAD_BALANCER_H */
