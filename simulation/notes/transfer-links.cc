// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/transfer-links.h"

#include "workload/serving/kv-transfer.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// All links that messages between pairs of ranks may take.
class LinksOnTheWay
{
  public:
    LinksOnTheWay(const Topology& topology, const Routing& routing)
        : m_topology(topology)
        , m_routing(routing)
        , m_isTaken(topology.LinkCount(), false)
    {
    }

    void Add(RankId source, RankId destination)
    {
        // NPUs have the numbers of the ranks that they host.
        const VertexId end{destination.value};
        std::vector<VertexId> ahead{VertexId{source.value}};
        while (!ahead.empty())
        {
            const VertexId at = ahead.back();
            ahead.pop_back();
            if (at == end || !m_seen.emplace(at.value, end.value).second)
            {
                continue;
            }
            for (const LinkId link : m_routing.FindNextLinks(at, end))
            {
                m_isTaken[link.value] = true;
                ahead.push_back(m_topology.Link(link).to);
            }
        }
    }

    bool Meets(const LinksOnTheWay& other) const
    {
        for (size_t link = 0; link < m_isTaken.size(); ++link)
        {
            if (m_isTaken[link] && other.m_isTaken[link])
            {
                return true;
            }
        }
        return false;
    }

  private:
    const Topology& m_topology;
    const Routing& m_routing;
    std::vector<bool> m_isTaken;                    // by link
    std::set<std::pair<uint32_t, uint32_t>> m_seen; // (vertex, destination)
};

void
AddTransfers(const ServingInstance& from, const ServingInstance& to, LinksOnTheWay& links)
{
    for (uint32_t source = 0; source < from.Replicas(); ++source)
    {
        for (uint32_t destination = 0; destination < to.Replicas(); ++destination)
        {
            for (const KvShare& share : PlanKvTransfer({&from, source}, {&to, destination}))
            {
                links.Add(share.source, share.destination);
            }
        }
    }
}

void
AddAllPairs(const std::vector<RankId>& ranks, LinksOnTheWay& links)
{
    for (const RankId source : ranks)
    {
        for (const RankId destination : ranks)
        {
            links.Add(source, destination);
        }
    }
}

void
AddPasses(const ServingInstance& instance, LinksOnTheWay& links)
{
    for (uint32_t stage = 0; stage < instance.Model().pipeline; ++stage)
    {
        for (uint32_t replica = 0; replica < instance.Replicas(); ++replica)
        {
            std::vector<RankId> tensorGroup;
            for (uint32_t rank = 0; rank < instance.Model().tensor; ++rank)
            {
                tensorGroup.push_back(instance.RankAt(stage, replica, rank));
            }
            AddAllPairs(tensorGroup, links);
            AddAllPairs(instance.ExpertGroup(stage, replica), links);
        }
    }
}

/// Tokens of attention apart from experts, there and back.
void
AddExpertsApart(const ServingInstance& attention, LinksOnTheWay& links)
{
    const ServingInstance& experts = *attention.Experts();
    for (uint32_t i = 0; i < attention.RankCount(); ++i)
    {
        for (uint32_t j = 0; j < experts.RankCount(); ++j)
        {
            const RankId one{attention.RankAt(0, 0, 0).value + i};
            const RankId other{experts.RankAt(0, 0, 0).value + j};
            links.Add(one, other);
            links.Add(other, one);
        }
    }
}

} // namespace

bool
DoTransfersMeetPasses(const ServingInput& serving,
                      uint64_t layers,
                      const Topology& topology,
                      const Routing& routing)
{
    LinksOnTheWay transfers(topology, routing);
    LinksOnTheWay passes(topology, routing);
    for (const ServingInstance& from : serving.instances)
    {
        for (const ServingInstance& to : serving.instances)
        {
            if (from.Role() == ServingRole::Prefill && to.Role() == ServingRole::Decode)
            {
                AddTransfers(from, to, transfers);
            }
        }
        // No stage has more layers than the first.
        if (layers < from.Model().LayersOf(0) && from.Role() != ServingRole::Ffn)
        {
            AddPasses(from, passes);
            if (from.IsAttention())
            {
                AddExpertsApart(from, passes);
            }
        }
    }
    return passes.Meets(transfers);
}

} // namespace nadi
