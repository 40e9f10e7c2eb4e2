// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/fabric-summary.h"

#include "cli/terminal/cut-text.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "configuration/topology-section.h"
#include "simulation/call-programs.h"
#include "simulation/fabric-bounds.h"
#include "simulation/job-calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

/// The calls of one type and number of ranks.
struct CallKind
{
    std::optional<JobCall> largest; ///< of equals the first; none: all are uneven
    Bytes most;                     ///< that a member of an uneven call brings
};

using CallKinds = std::map<std::pair<CollectiveType, uint32_t>, CallKind>;

CallKinds
FindKinds(const RunInput& input)
{
    const Workload& workload = input.Workload();
    CallKinds kinds;
    for (const JobCall& call : FindCalls(workload, input.Config().system.options))
    {
        const size_t ranks = workload.communicators[call.communicator.value].ranks.size();
        CallKind& kind = kinds[{call.type, static_cast<uint32_t>(ranks)}];
        if (call.isUneven)
        {
            const Bytes size = workload.elementSize * static_cast<int64_t>(call.elements);
            kind.most = std::max(kind.most, size);
        }
        else if (!kind.largest || kind.largest->elements < call.elements)
        {
            kind.largest = call;
        }
    }
    return kinds;
}

/// The index of the root; 0 where there is none, or none is named.
uint32_t
FindRoot(const std::vector<RankId>& ranks, const JobCall& call)
{
    const auto found = std::find(ranks.begin(), ranks.end(), RankId{call.root});
    return HasRoot(call.type) && found != ranks.end() ? static_cast<uint32_t>(found - ranks.begin())
                                                      : 0;
}

std::string
DescribeCall(CollectiveType type, uint32_t ranks, Bytes size)
{
    return fmt::format(
        "{} over {}, {}: ", ToText(type), CountText(ranks, "rank"), ToRoundedText(size));
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

    std::string Describe(const JobCall& call)
    {
        const std::vector<RankId>& members =
            m_input.Workload().communicators[call.communicator.value].ranks;
        const auto ranks = static_cast<uint32_t>(members.size());
        const Bytes size = m_input.Workload().elementSize * static_cast<int64_t>(call.elements);
        const std::string text = DescribeCall(call.type, ranks, size);
        const ReducedBy reducedBy = FindReducers(call);
        const auto* limits = m_bounds.FindLimits(
            call.communicator,
            {.type = call.type, .root = FindRoot(members, call), .reducedBy = reducedBy});
        if (limits == nullptr)
        {
            return text + "not computed, as the network is too large for it";
        }
        const CollectiveExtent extent{call.type, size, ranks, reducedBy};
        // There is a limit: CanBind rules out barriers and groups of one rank, which have none.
        const FabricLimit& limit = *FindTightestLimit(*limits, extent);
        return fmt::format("{}{} or more; {}",
                           text,
                           ToRoundedText(ComputeFabricTime(limit, extent)),
                           DescribeLimit(limit, call.communicator));
    }

  private:
    /// Switches reduce what runs with their help, so that fewer bytes leave the members.
    ReducedBy FindReducers(const JobCall& call)
    {
        // Where communication takes its recorded time, no library decides.
        if (!m_input.Config().network.inNetwork && m_input.Workload().replaysCommunication)
        {
            return ReducedBy::Members;
        }
        if (!m_programs)
        {
            m_programs.emplace(m_input);
        }
        const CollectiveProgram& program = m_programs->Make(call);
        return program.NeedsTrees() || program.decision.hasUnseenSwitches ? ReducedBy::Switches
                                                                          : ReducedBy::Members;
    }

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
    std::optional<CallPrograms> m_programs; // made when first asked
    uint32_t m_npusPerNode = 1;
};

} // namespace

// A bound may cost a search through the whole network, so only one call of each kind gets one. What
// must cross the network in uneven calls only the run knows: each call has its own sizes.
std::vector<std::string>
DescribeFabricBounds(const RunInput& input)
{
    BoundTexts texts(input);
    std::vector<std::string> lines;
    for (const auto& [key, kind] : FindKinds(input))
    {
        const auto& [type, ranks] = key;
        if (!FabricBounds::CanBind(type, ranks))
        {
            continue;
        }
        lines.push_back(kind.largest ? texts.Describe(*kind.largest)
                                     : DescribeCall(type, ranks, kind.most) +
                                           "no bound, as ranks bring or send unequal parts");
    }
    return lines;
}

} // namespace nadi
