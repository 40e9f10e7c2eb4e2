// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "network/shape.h"
#include "system/collective-plan.h"
#include "system/library/protocol.h"
#include "system/system-options.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// An algorithm ready to make plans; `id` tells it from the table's others.
struct ChosenAlgorithm
{
    uint32_t id = 0;
    std::string name;
    std::unique_ptr<CollectiveAlgorithm> algorithm;
};

/// Where a phase runs: what the choice of its algorithm depends on.
struct PhasePlace
{
    CollectiveType collective = CollectiveType::AllReduce; ///< that the phase belongs to
    CollectiveType phase = CollectiveType::AllReduce;
    /// Of the system's logical stack; none: no dimension tells all members of the list apart, and
    /// the innermost one stands for it.
    std::optional<uint32_t> stackDimension = std::nullopt;
    uint32_t ranks = 1;             ///< along the dimension
    Bytes size{};                   ///< of the whole collective, all chunks together
    bool isWithoutSwitches = false; ///< none may help
};

/// Which algorithm runs which phase.
///
/// The user's choice for the collective holds for all its phases. Where that algorithm has no such
/// phase (a tree has no reduce-scatter), the choice for the phase's own type holds, else the
/// default for the dimension's shape. BY_SIZE is decided for each collective. Where no switch may
/// help, choices of algorithms that need them do not hold.
/// A list of ranks that no dimension tells apart has the default for ROUTES.
class AlgorithmTable
{
  public:
    /// The references outlive the table.
    AlgorithmTable(const SystemOptions& options,
                   const std::vector<Dimension>& stack,
                   const Protocol& protocol);

    /// Takes in an algorithm of the library's own. Owner: the table.
    const ChosenAlgorithm& Add(const std::string& name,
                               std::unique_ptr<CollectiveAlgorithm> algorithm);

    /// Owner: the table; valid as long as it lives. Throws ConfigError when nothing can run it.
    const ChosenAlgorithm& Find(const PhasePlace& place);

    /// That of the calls by a node. Requires: SystemOptions::nodeAlgorithms has one.
    const ChosenAlgorithm& FindForNode(NodeId node)
    {
        return Instance(m_options.nodeAlgorithms.at(node));
    }

    /// The algorithm in which every message goes straight from its first owner to its last.
    const ChosenAlgorithm& FindDirect()
    {
        return Instance({"direct", {}});
    }

    /// Whether `type` runs over all members at once, whatever the stack.
    bool IsFlat(CollectiveType type) const;

    /// In what order a ring goes along a dimension of the stack; none: along a list.
    LineOrder LineAlong(std::optional<uint32_t> stackDimension) const
    {
        return ShapeAlong(stackDimension).Defaults().line;
    }

  private:
    const ChosenAlgorithm& Instance(const ComponentChoice& spec);
    const Shape& ShapeAlong(std::optional<uint32_t> stackDimension) const;
    ComponentChoice SpecFor(CollectiveType type, const PhasePlace& place) const;
    ComponentChoice Decide(const ComponentChoice& spec, const PhasePlace& place) const;

    const SystemOptions& m_options;
    const std::vector<Dimension>& m_stack;
    const Protocol& m_protocol;
    std::vector<std::unique_ptr<Shape>> m_shapes; // of the stack's dimensions
    std::unique_ptr<Shape> m_routes;              // of lists that no dimension tells apart
    std::vector<std::unique_ptr<ChosenAlgorithm>> m_chosen; // by id
    std::vector<std::pair<ComponentChoice, const ChosenAlgorithm*>> m_instances;
};

} // namespace nadi
