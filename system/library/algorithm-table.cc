// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/algorithm-table.h"

#include "common/error.h"
#include "common/registry.h"
#include "common/text.h"
#include "system/library/dimension-model.h"

#include <algorithm>

namespace nadi
{

AlgorithmTable::AlgorithmTable(const SystemOptions& options,
                               const std::vector<Dimension>& stack,
                               const Protocol& protocol)
    : m_options(options)
    , m_stack(stack)
    , m_protocol(protocol)
    , m_routes(MakeShape(ROUTES, "network.dimensions"))
{
    for (const Dimension& dimension : stack)
    {
        m_shapes.push_back(MakeShape(dimension.shape, "network.dimensions"));
    }
}

bool
AlgorithmTable::IsFlat(CollectiveType type) const
{
    const auto choice = m_options.algorithms.find(type);
    return choice != m_options.algorithms.end() && choice->second.isFlat;
}

const ChosenAlgorithm&
AlgorithmTable::Find(const PhasePlace& place)
{
    // In this order: the choice for the collective, for the phase's own type, the default for the
    // shape.
    const ComponentChoice candidates[] = {
        SpecFor(place.collective, place),
        SpecFor(place.phase, place),
        DefaultAlgorithm(place.phase, ShapeAlong(place.stackDimension))};
    for (const ComponentChoice& candidate : candidates)
    {
        const ChosenAlgorithm& chosen = Instance(Decide(candidate, place));
        const bool isAllowed = !place.isWithoutSwitches || !chosen.algorithm->NeedsTrees();
        if (isAllowed && chosen.algorithm->Supports(place.phase))
        {
            return chosen;
        }
    }
    throw ConfigError("system.collectives",
                      "no algorithm runs " + std::string(ToText(place.phase)) +
                          "; those that do: " + JoinWithOr(AlgorithmsFor(place.phase)));
}

const Shape&
AlgorithmTable::ShapeAlong(std::optional<uint32_t> stackDimension) const
{
    return stackDimension ? *m_shapes[*stackDimension] : *m_routes;
}

ComponentChoice
AlgorithmTable::SpecFor(CollectiveType type, const PhasePlace& place) const
{
    const auto found = m_options.algorithms.find(type);
    if (found == m_options.algorithms.end() || found->second.perDimension.empty())
    {
        return DefaultAlgorithm(type, ShapeAlong(place.stackDimension));
    }
    // A flat choice holds for the one list of all ranks. Else the place has the algorithm of its
    // dimension; a list that no dimension tells apart has none of them.
    const AlgorithmChoice& choice = found->second;
    if (choice.isFlat)
    {
        return choice.perDimension.front();
    }
    if (place.stackDimension)
    {
        const size_t last = choice.perDimension.size() - 1;
        // A choice with fewer entries than the stack has dimensions repeats its last one.
        return choice.perDimension[std::min<size_t>(*place.stackDimension, last)];
    }
    return DefaultAlgorithm(type, *m_routes);
}

ComponentChoice
AlgorithmTable::Decide(const ComponentChoice& spec, const PhasePlace& place) const
{
    if (spec.name != BY_SIZE)
    {
        return spec;
    }
    // A list that no dimension tells apart is judged by the innermost dimension, as in
    // DimensionModels.
    const Dimension& dimension = m_stack[place.stackDimension.value_or(0)];
    const Shape& shape = *m_shapes[place.stackDimension.value_or(0)];
    // Only a whole line is a chain: other members have others between them.
    const bool isLine = place.stackDimension && place.ranks == dimension.size;
    const std::string name =
        ChooseBySize({.size = place.size,
                      .ranks = place.ranks,
                      .rate = dimension.bandwidth,
                      .stepLatency = FindStepLatency(dimension, m_protocol),
                      .hasOwnLinks = shape.JoinsEveryTwo(dimension.size),
                      .chain = isLine ? shape.Defaults().chain : NeighbourChain::None});
    return {name, {}};
}

const ChosenAlgorithm&
AlgorithmTable::Instance(const ComponentChoice& spec)
{
    const ComponentChoice complete = CompleteAlgorithm(spec);
    // Instances are few, and choices have no order, so the list is searched one by one. Equal
    // choices must get the same instance, since plans are shared by its id.
    const auto known =
        std::find_if(m_instances.begin(),
                     m_instances.end(),
                     [&](const auto& instance) { return instance.first == complete; });
    if (known != m_instances.end())
    {
        return *known->second;
    }
    const ChosenAlgorithm& chosen =
        Add(spec.name, Registry<CollectiveAlgorithm>::Instance().Make(complete));
    m_instances.emplace_back(complete, &chosen);
    return chosen;
}

/// Entries are behind pointers, so that references to them stay valid when others are added.
const ChosenAlgorithm&
AlgorithmTable::Add(const std::string& name, std::unique_ptr<CollectiveAlgorithm> algorithm)
{
    auto chosen = std::make_unique<ChosenAlgorithm>();
    chosen->id = static_cast<uint32_t>(m_chosen.size());
    chosen->name = name;
    chosen->algorithm = std::move(algorithm);
    m_chosen.push_back(std::move(chosen));
    return *m_chosen.back();
}

} // namespace nadi
