// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/fabric-bounds.h"

#include <algorithm>

namespace nadi
{

namespace
{

// What it costs to make the graph of a group, for each link of the network, in links looked at.
constexpr uint64_t LINKS_LOOKED_AT_TO_MAKE_GRAPH = 16;

/// The position of the rank in the group. Requires: it is a member.
uint32_t
FindMember(const Communicator& group, RankId rank)
{
    const auto found = std::find(group.ranks.begin(), group.ranks.end(), rank);
    return static_cast<uint32_t>(found - group.ranks.begin());
}

} // namespace

bool
FabricBounds::CanBind(CollectiveType type, uint32_t ranks)
{
    return ranks > 1 && type != CollectiveType::Barrier &&
           (type != CollectiveType::AllToAll || ranks <= MOST_EXCHANGING);
}

std::optional<SimTime>
FabricBounds::Find(const CollectiveRecord& record, LowerBounds& lowerBounds)
{
    if (!CanBind(record.type, record.ranks))
    {
        return std::nullopt;
    }
    if (record.extremes)
    {
        return lowerBounds.Find(record); // what crosses cuts depends on all its splits
    }
    const Communicator& group = m_input.Workload().communicators[record.communicator.value];
    const ReducedBy reducedBy =
        record.IsReducedBySwitches() ? ReducedBy::Switches : ReducedBy::Members;
    const std::vector<FabricLimit>* limits =
        FindLimits(record.communicator,
                   {.type = record.type,
                    .root = HasRoot(record.type) ? FindMember(group, record.root) : 0,
                    .reducedBy = reducedBy});
    if (limits == nullptr)
    {
        return std::nullopt;
    }
    const CollectiveExtent extent{record.type, record.smallestSize, record.ranks, reducedBy};
    // The limits do not depend on the size, so FindLimits keeps them, and only this step is made
    // for each call. There is a tightest one: CanBind has ruled out the collectives without any.
    const SimTime onWires = ComputeFabricTime(*FindTightestLimit(*limits, extent), extent);
    return std::max(onWires + lowerBounds.FindLatency(record.communicator),
                    lowerBounds.Find(record));
}

const std::vector<FabricLimit>*
FabricBounds::FindLimits(CommunicatorId communicator, const FabricQuestion& question)
{
    const std::pair key(communicator, question);
    // A null answer is kept as well: what is left out once stays left out. So either all calls of
    // one kind have the bound or none has.
    const auto found = m_known.find(key);
    return found != m_known.end() ? found->second : m_known[key] = Compute(communicator, question);
}

/// The work is charged in two parts. Each group needs its graph, by which groups that are alike are
/// found. Only the first group of such a kind needs the searches.
const std::vector<FabricLimit>*
FabricBounds::Compute(CommunicatorId communicator, const FabricQuestion& question)
{
    const size_t ranks = m_input.Workload().communicators[communicator.value].ranks.size();
    const uint32_t links = m_input.Topology().LinkCount();
    if (!CanBind(question.type, static_cast<uint32_t>(ranks)) || links > MOST_LINKS ||
        !Spend(LINKS_LOOKED_AT_TO_MAKE_GRAPH * links))
    {
        return nullptr;
    }
    // The graph is made for each group, but the searches are made once for all groups with equal
    // graphs.
    const std::pair key(MakeGraph(communicator), question);
    const auto alike = m_byGraph.find(key);
    if (alike != m_byGraph.end())
    {
        return &alike->second;
    }
    if (!Spend(EstimateFabricWork(key.first, question.type)))
    {
        return nullptr;
    }
    // Entries of a std::map never move, so the pointers in m_known stay valid.
    return &m_byGraph.emplace(key, FindFabricLimits(key.first, question)).first->second;
}

CutGraph
FabricBounds::MakeGraph(CommunicatorId communicator) const
{
    std::vector<VertexId> members;
    for (const RankId rank : m_input.Workload().communicators[communicator.value].ranks)
    {
        members.push_back(VertexOf(rank));
    }
    return CutGraph(Fastest(), members);
}

/// Whether so many more links may be looked at; then they count.
bool
FabricBounds::Spend(uint64_t links)
{
    // Written as a difference, which cannot overflow as the sum could.
    if (links > MOST_LINKS_LOOKED_AT - m_linksLookedAt)
    {
        return false;
    }
    m_linksLookedAt += links;
    return true;
}

} // namespace nadi
