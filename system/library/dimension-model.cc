// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/dimension-model.h"

#include "common/check.h"
#include "network/shape.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// The length that rates and latencies are asked for. A line of one member has neither link nor
/// hop, but the planner needs a rate and a latency for it; it gets those of a line of two.
uint32_t
LineLength(uint32_t size)
{
    return std::max(size, 2U);
}

} // namespace

SimTime
FindStepLatency(const Dimension& dimension, const Protocol& protocol)
{
    const auto shape = MakeShape(dimension.shape, "network.dimensions");
    const int64_t hops = shape->HopCount(LineLength(dimension.size), 0, 1);
    return dimension.latency * hops + protocol.StepDelay();
}

DimensionModels::DimensionModels(const SystemOptions& options,
                                 const std::vector<Dimension>& stack,
                                 const Protocol& protocol,
                                 AlgorithmTable& algorithms,
                                 TreeTable* trees)
    : m_options(options)
    , m_stack(stack)
    , m_protocol(protocol)
    , m_algorithms(algorithms)
    , m_trees(trees)
{
    NADI_CHECK(!stack.empty());
}

std::vector<DimensionModel>
DimensionModels::Make(const ProgramRequest& request, Bytes size)
{
    std::vector<DimensionModel> models;
    for (uint32_t dimension = 0; dimension < request.layout.Dimensions().size(); ++dimension)
    {
        models.push_back(MakeOne(request, size, dimension));
    }
    return models;
}

/// How often `sendsInFlight` lets lanes run one after the other. The plan is made without a size:
/// only slices make lanes depend on it, and those follow each other without a wait.
uint32_t
DimensionModels::CountRounds(const CollectiveAlgorithm& algorithm,
                             CollectiveType phase,
                             uint32_t ranks) const
{
    const auto plan = algorithm.MakePlan({.type = phase, .ranks = ranks});
    const uint32_t lanes = std::max(1U, plan->LaneCount(0, 0));
    return (lanes - 1) / m_options.sendsInFlight + 1;
}

/// That the messages of the steps of a phase cross together. Only along a whole line is known
/// which members are far from each other; others count as neighbours.
uint64_t
DimensionModels::CountLinks(const CollectiveAlgorithm& algorithm,
                            CollectiveType phase,
                            const CommunicatorDimension& along) const
{
    const Dimension& physical = m_stack[along.stackDimension.value_or(0)];
    const auto shape = MakeShape(physical.shape, "network.dimensions");
    const bool isLine = along.stackDimension && along.size == physical.size && along.size > 1;
    return isLine && shape->Defaults().chain != NeighbourChain::None
               ? algorithm.LatencyHops(phase, along.size, *shape)
               : uint64_t{algorithm.LatencySteps(phase, along.size)} *
                     shape->HopCount(LineLength(physical.size), 0, 1);
}

DimensionModel
DimensionModels::MakeOne(const ProgramRequest& request, Bytes size, uint32_t dimension)
{
    const CommunicatorDimension& along = request.layout.Dimensions()[dimension];
    const Dimension& physical = m_stack[along.stackDimension.value_or(0)];
    NADI_CHECK(physical.bandwidth > Bandwidth());
    const auto find = [&](CollectiveType phase) -> const CollectiveAlgorithm&
    {
        if (request.isUneven) // runs with `direct`, whatever was chosen
        {
            return *m_algorithms.FindDirect().algorithm;
        }
        const PhasePlace place{.collective = request.type,
                               .phase = phase,
                               .stackDimension = along.stackDimension,
                               .ranks = along.size,
                               .size = size,
                               .isWithoutSwitches = request.isWithoutSwitches};
        return *m_algorithms.Find(place).algorithm;
    };
    const auto shape = MakeShape(physical.shape, "network.dimensions");
    const uint32_t links = shape->LinksPerNpu(LineLength(along.size));
    // The algorithm of the collective itself sets the rate of all phases, also of those that
    // another algorithm runs.
    DimensionModel model{.size = along.size,
                         .rate = physical.bandwidth * find(request.type).LinksDriven(links),
                         .stepLatency = FindStepLatency(physical, m_protocol),
                         .steps = {},
                         .frame = physical.forwarding.payload};
    // Vectors of the model are indexed by the type of a phase, so they have an entry for every
    // type, in the order of the enumeration.
    for (const CollectiveType phase : AllCollectiveTypes())
    {
        const CollectiveAlgorithm& algorithm = find(phase);
        const TreeGroup* const trees = FindTrees(algorithm, request.layout, dimension);
        AddPhase(model,
                 phase,
                 algorithm,
                 along,
                 trees != nullptr ? FindRoundTrip(algorithm, *trees, size) : SimTime());
    }
    return model;
}

/// What links add is counted from neighbours on: their latency is in that of a step.
void
DimensionModels::AddSteps(DimensionModel& model,
                          CollectiveType phase,
                          const CollectiveAlgorithm& algorithm,
                          const CommunicatorDimension& along) const
{
    // A stored program runs alone: there is nothing to choose by its cost.
    if (algorithm.NeedsTrees() || algorithm.Programs() != nullptr)
    {
        model.steps.push_back(0);
        model.detours.emplace_back();
        model.forwarding.emplace_back();
        return;
    }
    const Dimension& physical = m_stack[along.stackDimension.value_or(0)];
    const auto shape = MakeShape(physical.shape, "network.dimensions");
    const uint32_t rounds = CountRounds(algorithm, phase, model.size);
    const uint64_t steps = uint64_t{algorithm.LatencySteps(phase, model.size)} * rounds;
    const uint64_t links = CountLinks(algorithm, phase, along) * rounds;
    const uint64_t toNeighbours = steps * shape->HopCount(LineLength(physical.size), 0, 1);
    model.steps.push_back(static_cast<uint32_t>(steps));
    model.detours.push_back(physical.latency * static_cast<int64_t>(links - toNeighbours));
    // Trees and chains cut what they pass on into slices. Steps do not count how these fill the
    // way, so that stored frames alone would make chunks too few.
    const bool isSliced = phase == CollectiveType::Broadcast || phase == CollectiveType::Reduce;
    model.forwarding.push_back(
        isSliced ? SimTime() : physical.forwarding.time * static_cast<int64_t>(links - steps));
}

void
DimensionModels::AddPhase(DimensionModel& model,
                          CollectiveType phase,
                          const CollectiveAlgorithm& algorithm,
                          const CommunicatorDimension& along,
                          SimTime roundTrip) const
{
    AddSteps(model, phase, algorithm, along);
    model.idle.push_back((model.stepLatency * model.steps.back() + model.detours.back()) *
                         (algorithm.IdleLatencies(phase) - 1));
    model.roundTrips.push_back(roundTrip * algorithm.RoundTrips(phase));
    model.timesSent.push_back(algorithm.TimesSent(phase, model.size));
    model.algorithms.push_back(&algorithm);
}

/// Of a slice of a collective of `size`.
SimTime
DimensionModels::FindRoundTrip(const CollectiveAlgorithm& algorithm,
                               const TreeGroup& trees,
                               Bytes size) const
{
    const Bytes slice = std::min(algorithm.NeedsTrees()->slice, size);
    const double ps = trees.Trees().NanosecondsThereAndBack(slice) * 1000;
    return SimTime::FromPs(static_cast<int64_t>(ps)) + m_protocol.StepDelay();
}

/// Of the first line; null where it has none, which is an error once a phase runs there.
const TreeGroup*
DimensionModels::FindTrees(const CollectiveAlgorithm& algorithm,
                           const CommunicatorLayout& layout,
                           uint32_t dimension) const
{
    const std::optional<TreeDemand> demand = algorithm.NeedsTrees();
    const bool areWanted = demand && m_trees != nullptr && layout.Dimensions()[dimension].size > 1;
    return areWanted ? m_trees->Find(FindLine(layout, dimension, 0), *demand) : nullptr;
}

} // namespace nadi
