// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/demands/call-planner.h"

#include "common/error.h"
#include "network/shape.h"
#include "system/library/dimension-model.h"
#include "system/scheduling/planned-phases.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// The algorithm that sends to each other member of a line by itself.
constexpr const char* DIRECT = "direct";

uint32_t
LinksDriven(const DimensionModel& model, const Dimension& physical)
{
    // The model's rate is that of one link times the links that the algorithm drives at a time, so
    // the division is exact.
    return static_cast<uint32_t>(model.rate.BitsPerSecond() / physical.bandwidth.BitsPerSecond());
}

/// Whether all that a program sends along a dimension of its layout goes straight to whom it is
/// for.
bool
IsDirectAlong(const CollectiveProgram& program, size_t along)
{
    bool isDirect = false;
    for (const auto& [place, chosen] : program.algorithms)
    {
        if (place.first == along)
        {
            if (chosen->name != DIRECT)
            {
                return false;
            }
            isDirect = true;
        }
    }
    return isDirect;
}

/// How many times the links of a line carry what its members send, where each sends as much to
/// every other one: neighbours pass on what is for those behind them.
///
/// On a ring these are the mean hops. On a line the links in the middle are the fullest: with n
/// members, floor(n / 2) ceil(n / 2) of all messages cross each of them, where n - 1 leave a member
/// over its two links.
double
TimesForwarded(const Dimension& physical)
{
    const uint32_t size = physical.size;
    const auto shape = MakeShape(physical.shape, "network.dimensions");
    const NeighbourChain chain = shape->Defaults().chain;
    if (chain == NeighbourChain::None || size < 3)
    {
        return 1;
    }
    if (chain == NeighbourChain::Line)
    {
        const uint64_t across = uint64_t{size / 2} * (size - size / 2);
        return double(across * shape->LinksPerNpu(size)) / (size - 1);
    }
    uint64_t hops = 0; // from any member: they are alike
    for (uint32_t to = 1; to < size; ++to)
    {
        hops += shape->HopCount(size, 0, to);
    }
    return double(hops) / (size - 1);
}

/// The messages of one list of ranks cross every dimension in which the members differ. The steps
/// are counted once, in the dimension that the planner judged the list by.
void
SpreadOver(CallDemand& demand, const DimensionDemand& list)
{
    for (DimensionDemand& dimension : demand.dimensions)
    {
        if (dimension.members > 1)
        {
            dimension.bytes = list.bytes;
            dimension.links = list.links;
        }
    }
}

} // namespace

CallPlanner::CallPlanner(const RunInput& input)
    : m_input(input)
    , m_programs(input)
    , m_grid(MakeGrid(input.Stack()))
{
}

/// Calls that agree in communicator, type and size have one demand: iterations repeat the same few.
const CallDemand&
CallPlanner::PlanCollective(RankId rank, const ExecutionNode& node)
{
    const Workload& workload = m_input.Workload();
    const JobCall call{.communicator = workload.communicatorOfGroup[rank.value][node.group],
                       .type = node.collective,
                       .elements = node.size};
    const auto found = m_known.find(call);
    if (found != m_known.end())
    {
        return found->second;
    }
    // Entries of a std::map never move, so the reference is valid as long as the planner.
    return m_known.emplace(call, Plan(call)).first->second;
}

/// Asks the library for the program that a run would use, so the demands are those of the
/// algorithms that would run, though nothing is simulated.
CallDemand
CallPlanner::Plan(const JobCall& call)
{
    const CommunicatorLayout& layout = m_programs.LayoutOf(call);
    const CollectiveProgram program = m_programs.Make(call);
    if (!program.planned && layout.Size() > 1)
    {
        throw ConfigError(m_input.Config().system.libraryWhere,
                          "system.library: " + m_input.Config().system.options.library.name +
                              " plans whole communicators, so nobody can say what a collective "
                              "moves in each dimension; write plain for --demands");
    }
    CallDemand demand =
        MakeDemand(program, layout, m_input.Workload().communicators[call.communicator.value]);
    demand.type = ToText(call.type);
    demand.size = SizeOf(call.elements);
    demand.ranks = layout.Size();
    return demand;
}

CallDemand
CallPlanner::MakeDemand(const CollectiveProgram& program,
                        const CommunicatorLayout& layout,
                        const Communicator& group) const
{
    CallDemand demand;
    demand.dimensions.resize(m_grid.DimensionCount());
    for (uint32_t dimension = 0; dimension < m_grid.DimensionCount(); ++dimension)
    {
        demand.dimensions[dimension].members = CountMembers(group, dimension);
    }
    // Only a group of one rank, which moves nothing, has no planned program here (Plan).
    if (!program.planned)
    {
        return demand;
    }
    const std::vector<DimensionLoad> loads = SumLoads(*program.planned, program.schedule.chunks);
    for (size_t along = 0; along < loads.size(); ++along)
    {
        const DimensionModel& model = program.planned->dimensions[along];
        // A list of ranks that no dimension tells apart is planned with the rates of dimension 0.
        const uint32_t own = layout.Dimensions()[along].stackDimension.value_or(0);
        DimensionDemand& found = demand.dimensions[own];
        found.bytes = loads[along].bytes;
        // Of parts of a line nobody says which links their messages share. With a root, only its
        // own links carry all.
        if (found.members == m_input.Stack()[own].size && !HasRoot(program.type) &&
            IsDirectAlong(program, along))
        {
            found.bytes = Bytes(
                std::llround(double(found.bytes.Count()) * TimesForwarded(m_input.Stack()[own])));
        }
        found.links = LinksDriven(model, m_input.Stack()[own]);
        found.steps = loads[along].steps;
        found.stepLatency = model.stepLatency;
        if (layout.IsFlat())
        {
            SpreadOver(demand, found);
        }
    }
    return demand;
}

/// How many different coordinates its ranks have there.
uint32_t
CallPlanner::CountMembers(const Communicator& group, uint32_t dimension) const
{
    std::set<uint32_t> coordinates;
    for (const RankId rank : group.ranks)
    {
        coordinates.insert(m_grid.Coordinate(m_input.Places().PlaceOf(rank), dimension));
    }
    return static_cast<uint32_t>(coordinates.size());
}

/// The message crosses each dimension in which the two ranks differ once, so its bytes count in
/// each of them.
CallDemand
CallPlanner::PlanSend(RankId rank, const ExecutionNode& node) const
{
    const RankId peer = m_input.Workload().PeerOf(rank, node);
    CallDemand demand{
        .type = "point-to-point", .size = SizeOf(node.size), .ranks = 2, .dimensions = {}};
    const uint32_t from = m_input.Places().PlaceOf(rank);
    const uint32_t to = m_input.Places().PlaceOf(peer);
    for (uint32_t dimension = 0; dimension < m_grid.DimensionCount(); ++dimension)
    {
        DimensionDemand crossed;
        if (m_grid.Coordinate(from, dimension) != m_grid.Coordinate(to, dimension))
        {
            crossed = {.members = 2,
                       .bytes = demand.size,
                       .links = 1,
                       .steps = 1,
                       .stepLatency = FindStepLatency(m_input.Stack()[dimension],
                                                      m_programs.Library().PointToPointProtocol())};
        }
        demand.dimensions.push_back(crossed);
    }
    return demand;
}

Bytes
CallPlanner::SizeOf(uint64_t elements) const
{
    return m_input.Workload().elementSize * static_cast<int64_t>(elements);
}

} // namespace nadi
