// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/placement.h"

#include <algorithm>
#include <map>
#include <set>

namespace nadi::nccl
{

Placement::Placement(const std::vector<RankId>& ranks, const NodeSeats& seats)
{
    std::map<uint32_t, uint32_t> numbers; // of nodes
    for (const RankId rank : ranks)
    {
        const NodeSeat seat = seats.SeatOf(rank);
        const auto next = static_cast<uint32_t>(numbers.size());
        // Nodes are numbered in the order in which the ranks meet them: a new one gets `next`.
        const uint32_t node = numbers.emplace(seat.node, next).first->second;
        m_nodes.resize(numbers.size());
        m_nodes[node].push_back(static_cast<uint32_t>(m_members.size()));
        m_members.push_back({.node = node, .place = seat.place});
    }
    for (std::vector<uint32_t>& members : m_nodes)
    {
        // Rings, rails and heads follow the places in the node, whatever the order of the
        // communicator.
        std::sort(members.begin(),
                  members.end(),
                  [this](uint32_t a, uint32_t b)
                  { return m_members[a].place < m_members[b].place; });
    }
    m_indexes.resize(m_members.size());
    for (const std::vector<uint32_t>& members : m_nodes)
    {
        for (uint32_t index = 0; index < members.size(); ++index)
        {
            m_indexes[members[index]] = index;
        }
    }
}

bool
Placement::IsRegular() const
{
    return std::all_of(m_nodes.begin(),
                       m_nodes.end(),
                       [this](const std::vector<uint32_t>& members)
                       { return members.size() == m_nodes.front().size(); });
}

std::vector<uint32_t>
Placement::FirstOfNics(uint32_t node, uint32_t npusPerNic) const
{
    std::vector<uint32_t> first;
    std::set<uint32_t> nics;
    for (uint32_t index = 0; index < m_nodes[node].size(); ++index)
    {
        if (nics.insert(m_members[m_nodes[node][index]].place / npusPerNic).second)
        {
            first.push_back(index);
        }
    }
    return first;
}

uint32_t
Placement::FewestThatShareNode() const
{
    size_t fewest = 1;
    for (const std::vector<uint32_t>& members : m_nodes)
    {
        const bool isFewer = fewest == 1 || members.size() < fewest;
        fewest = members.size() > 1 && isFewer ? members.size() : fewest;
    }
    return static_cast<uint32_t>(fewest);
}

double
Placement::LeastNicsOfMember(uint32_t npusPerNic) const
{
    double least = 1;
    for (uint32_t node = 0; node < NodeCount(); ++node)
    {
        const auto nics = static_cast<double>(FirstOfNics(node, npusPerNic).size());
        least = std::min(least, nics / static_cast<double>(m_nodes[node].size()));
    }
    return least;
}

uint32_t
Placement::CountNics(uint32_t npusPerNic) const
{
    size_t least = m_members.size();
    for (uint32_t node = 0; node < NodeCount(); ++node)
    {
        least = std::min(least, FirstOfNics(node, npusPerNic).size());
    }
    return static_cast<uint32_t>(least);
}

} // namespace nadi::nccl
