// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/node-hardware.h"
#include "system/library/nccl/placement.h"

#include <cstdint>
#include <vector>

namespace nadi::nccl
{

/// One way around all members of a communicator.
class RingWay
{
  public:
    /// `memberAt`: the members in the order of the ring.
    explicit RingWay(std::vector<uint32_t> memberAt);

    uint32_t Size() const
    {
        return static_cast<uint32_t>(m_memberAt.size());
    }

    uint32_t PlaceOf(uint32_t member) const
    {
        return m_placeOf[member];
    }

    /// The member `count` places behind `member`, count <= Size().
    uint32_t Behind(uint32_t member, uint32_t count) const
    {
        return m_memberAt[(m_placeOf[member] + Size() - count) % Size()];
    }

    uint32_t Ahead(uint32_t member, uint32_t count) const
    {
        return m_memberAt[(m_placeOf[member] + count) % Size()];
    }

  private:
    std::vector<uint32_t> m_memberAt;
    std::vector<uint32_t> m_placeOf;
};

/// What is known of the NPUs of a node when rings are laid.
struct NodeLinks
{
    NodeWiring wiring = NodeWiring::Switch;
    uint32_t npusPerNic = 1; ///< neighbouring NPUs that share each NIC
};

/// Through all members of a node from the one at `entry`: up and around; in a whole hybrid cube
/// mesh along its doubled links; or where NPUs are joined in pairs, in a zigzag, so that the paths
/// from all entries use each link equally often.
std::vector<uint32_t>
PathThroughNode(const std::vector<uint32_t>& members, NodeWiring wiring, uint32_t entry);

/// The rings that channels follow, each as often as the others. Channels that follow the same ring
/// count as one: they use the same links at the same time.
///
/// In one node with a switch: one ring, as all ways are alike. In one node whose NPUs are joined in
/// pairs, by a mesh or a whole hybrid cube mesh: rings that together use each link equally often,
/// so that all links work. On a part of a hybrid cube mesh: as many rings as its links carry side
/// by side.
///
/// Over several nodes: a ring for each NIC of the node that uses the fewest. The k-th enters every
/// second node at the k-th NIC and takes the path through the node that begins there; it passes the
/// other nodes the other way round. In a whole hybrid cube mesh the NPU of the NIC at which a path
/// begins, and its direction along the doubled links, are such that paths of different NICs end at
/// different NICs, and half of them go each way. So a NIC carries at most one ring out and one in.
/// Where nodes are filled alike, messages stay on their rail, and inside a node each NPU carries
/// all rings but one. An odd number of nodes takes another way through its last two for that. It
/// needs nodes with a switch and three NICs; elsewhere the step from the last node to the first
/// changes rails.
std::vector<RingWay> LayRings(const Placement& placement, const NodeLinks& links);

} // namespace nadi::nccl
