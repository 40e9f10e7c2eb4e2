// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "system/library/nccl/node-seats.h"

#include <cstdint>
#include <vector>

namespace nadi::nccl
{

/// Where the members of a communicator stand: which share a node, and in what place there.
///
/// Equal placements have equal plans: nodes are numbered in the order in which the list of members
/// names them, so two communicators on different nodes can be placed alike.
class Placement
{
  public:
    Placement(const std::vector<RankId>& ranks, const NodeSeats& seats);

    uint32_t Size() const
    {
        return static_cast<uint32_t>(m_members.size());
    }

    uint32_t NodeCount() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    /// The node of a member, counted from 0.
    uint32_t NodeOf(uint32_t member) const
    {
        return m_members[member].node;
    }

    /// The number of a member's NPU among all NPUs of its node, with and without ranks.
    uint32_t NpuInNode(uint32_t member) const
    {
        return m_members[member].place;
    }

    /// Where a member stands in MembersOf its node.
    uint32_t IndexInNode(uint32_t member) const
    {
        return m_indexes[member];
    }

    /// The members of a node, by their places in it. Nodes may have different numbers of members.
    const std::vector<uint32_t>& MembersOf(uint32_t node) const
    {
        return m_nodes[node];
    }

    /// Whether every node has equally many members.
    bool IsRegular() const;

    /// Of each NIC that the members of a node use: where the first of them stands in
    /// MembersOf(node). `npusPerNic` neighbouring NPUs share a NIC.
    std::vector<uint32_t> FirstOfNics(uint32_t node, uint32_t npusPerNic) const;

    /// Members of the node with the fewest, among those with several; 1: no two share a node.
    uint32_t FewestThatShareNode() const;

    /// How much of a NIC each member of a node has, where its members share their NICs equally; of
    /// the node where that is least. At most 1.
    double LeastNicsOfMember(uint32_t npusPerNic) const;

    /// NICs that the members of each node use at least.
    uint32_t CountNics(uint32_t npusPerNic) const;

    bool operator==(const Placement& other) const
    {
        return m_members == other.m_members;
    }

    bool operator<(const Placement& other) const
    {
        return m_members < other.m_members;
    }

  private:
    std::vector<NodeSeat> m_members;
    std::vector<std::vector<uint32_t>> m_nodes;
    std::vector<uint32_t> m_indexes; // by member
};

} // namespace nadi::nccl
