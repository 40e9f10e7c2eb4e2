// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/fabric-summary.h"

#include "cli/terminal/cut-text.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "configuration/topology-section.h"
#include "simulation/fabric-bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

/// Of the calls of one type and number of ranks the largest, of equals the first.
struct CallKind
{
    CommunicatorId communicator;
    uint32_t root = 0; ///< a member's index
    Bytes size;
};

using CallKinds = std::map<std::pair<CollectiveType, size_t>, CallKind>;

/// The index of the root; 0 where there is none, or none is named.
uint32_t
FindRoot(const std::vector<RankId>& ranks, const ExecutionNode& node)
{
    const auto found = std::find(ranks.begin(), ranks.end(), RankId{node.peer});
    return HasRoot(node.collective) && found != ranks.end()
               ? static_cast<uint32_t>(found - ranks.begin())
               : 0;
}

/// Goes by ranks and not by graphs: ranks that share a graph may be in different groups.
void
AddCalls(const Workload& workload, RankId rank, CallKinds& kinds)
{
    for (const ExecutionNode& node : workload.GraphOf(rank).Nodes())
    {
        // A node of the host takes its recorded time and no network, whatever its type.
        if (node.type != NodeType::Collective || node.isCpu)
        {
            continue;
        }
        const CommunicatorId id = workload.communicatorOfGroup[rank.value][node.group];
        const std::vector<RankId>& ranks = workload.communicators[id.value].ranks;
        const Bytes size = workload.elementSize * static_cast<int64_t>(node.size);
        const auto [known, isNew] = kinds.try_emplace({node.collective, ranks.size()});
        if (isNew || known->second.size < size)
        {
            known->second = {id, FindRoot(ranks, node), size};
        }
    }
}

/// Describes the bounds of one job.
class BoundTexts
{
  public:
    explicit BoundTexts(const RunInput& input)
        : m_input(input)
        , m_bounds(input)
    {
        const std::optional<NodeHardware> nodes = FindNodes(input.Config().network);
        m_npusPerNode = nodes ? nodes->npusPerNode : 1;
    }

    /// Empty: the kind has no bound.
    std::string Describe(CollectiveType type, const CallKind& kind)
    {
        const Communicator& group = m_input.Workload().communicators[kind.communicator.value];
        const auto ranks = static_cast<uint32_t>(group.ranks.size());
        if (!FabricBounds::CanBind(type, ranks))
        {
            return "";
        }
        const std::string call = fmt::format(
            "{} over {}, {}: ", ToText(type), CountText(ranks, "rank"), ToRoundedText(kind.size));
        const auto* limits =
            m_bounds.FindLimits(kind.communicator, {.type = type, .root = kind.root});
        if (limits == nullptr)
        {
            return call + "not computed, as the network is too large for it";
        }
        const CollectiveExtent extent{type, kind.size, ranks};
        // There is a limit: CanBind rules out barriers and groups of one rank, which have none.
        const FabricLimit& limit = *FindTightestLimit(*limits, extent);
        return fmt::format("{}{} or more; {}",
                           call,
                           ToRoundedText(ComputeFabricTime(limit, extent)),
                           DescribeLimit(limit, kind.communicator));
    }

  private:
    std::string DescribeLimit(const FabricLimit& limit, CommunicatorId communicator) const
    {
        switch (limit.kind)
        {
        case FabricLimitKind::Messages:
            return "all links of its NPUs together";
        case FabricLimitKind::Ways:
            return "all links together, as blocks cross several";
        case FabricLimitKind::Cut:
            break;
        }
        std::vector<VertexId> members;
        for (const RankId rank : m_input.Workload().communicators[communicator.value].ranks)
        {
            members.push_back(VertexOf(rank));
        }
        // The cut is one of the group's graph, which leaves out vertices of the topology. Expand
        // says on which side these are.
        const std::vector<bool> inside = m_bounds.MakeGraph(communicator).Expand(limit.cut.inside);
        return DescribeCut(
            {m_input.Topology(), members, inside, m_npusPerNode, &m_bounds.Fastest()});
    }

    const RunInput& m_input;
    FabricBounds m_bounds;
    uint32_t m_npusPerNode = 1;
};

} // namespace

// A bound may cost a search through the whole network, so only one call of each kind gets one.
std::vector<std::string>
DescribeFabricBounds(const RunInput& input)
{
    CallKinds kinds;
    for (RankId rank{0}; rank.value < input.Workload().RankCount(); ++rank.value)
    {
        AddCalls(input.Workload(), rank, kinds);
    }
    BoundTexts texts(input);
    std::vector<std::string> lines;
    for (const auto& [kind, call] : kinds)
    {
        const std::string line = texts.Describe(kind.first, call);
        if (!line.empty())
        {
            lines.push_back(line);
        }
    }
    return lines;
}

} // namespace nadi
