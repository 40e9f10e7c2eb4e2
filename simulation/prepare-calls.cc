// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/prepare-calls.h"

#include "system/collective-bounds.h"
#include "system/execution/layout-table.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace nadi
{

namespace
{

/// The communicator, the type, the elements and the root of a call, and the node that has an
/// algorithm of its own.
using CallKey = std::tuple<uint32_t, CollectiveType, uint64_t, uint32_t, std::optional<NodeId>>;

bool
WantsPreparation(const ComponentChoice& choice)
{
    if (choice.name == BY_SIZE)
    {
        return false;
    }
    const auto algorithm = Registry<CollectiveAlgorithm>::Instance().Make(choice);
    return algorithm->Programs() != nullptr || algorithm->NeedsTrees();
}

/// Whether some choice of the configuration has stored programs or trees: nearly always none has,
/// and the calls need not be looked at.
bool
WantsPreparation(const SystemOptions& options)
{
    if (!options.nodeAlgorithms.empty())
    {
        return true;
    }
    for (const auto& [type, choice] : options.algorithms)
    {
        for (const ComponentChoice& algorithm : choice.perDimension)
        {
            if (WantsPreparation(algorithm))
            {
                return true;
            }
        }
    }
    return false;
}

bool
Names(const AlgorithmChoice& choice, const std::string& algorithm)
{
    return std::any_of(choice.perDimension.begin(),
                       choice.perDimension.end(),
                       [&](const ComponentChoice& each) { return each.name == algorithm; });
}

/// The different calls of the job. They are known before the run, as the nodes say who calls what
/// on which communicator.
std::set<CallKey>
FindCalls(const Workload& workload, const SystemOptions& options)
{
    std::set<CallKey> calls;
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        for (const ExecutionNode& node : workload.GraphOf(RankId{rank}).Nodes())
        {
            if (FindRoute(node) == NodeRoute::Collective)
            {
                const CommunicatorId group = workload.communicatorOfGroup[rank][node.group];
                const bool isNamed = options.nodeAlgorithms.contains(NodeId{node.id});
                // A set, because a step calls the same few collectives on every rank and in every
                // layer.
                calls.insert({group.value,
                              node.collective,
                              node.size,
                              node.peer,
                              isNamed ? std::optional(NodeId{node.id}) : std::nullopt});
            }
        }
    }
    return calls;
}

/// Asks the library for the program of each call, as the run will when the members have met, and
/// makes what that program refers to. So the run finds all that it asks for.
class Preparation
{
  public:
    Preparation(const RunInput& input,
                InstalledLibrary& library,
                ProgramTable& programs,
                TreeTable* trees)
        : m_input(input)
        , m_library(library)
        , m_programs(programs)
        , m_trees(trees)
        , m_layouts(input.Stack(), input.Places(), input.Workload().communicators.size())
    {
    }

    void Prepare(const CallKey& call)
    {
        const auto& [group, type, elements, peer, node] = call;
        const Communicator& communicator = m_input.Workload().communicators[group];
        // An algorithm that is chosen for a single node is a program of its whole group.
        const CommunicatorLayout& layout =
            m_layouts.Find(communicator, node ? LayoutKind::Flat : m_library.LayoutFor(type));
        if (layout.Size() == 1)
        {
            return;
        }
        const CollectiveProgram program = m_library.MakeProgram(
            {.type = type, .elements = elements, .layout = layout, .node = node});
        for (const auto& [at, chosen] : program.algorithms)
        {
            if (chosen->algorithm->Programs() != nullptr)
            {
                RequireProgram(*chosen, call, layout);
            }
            if (m_trees != nullptr)
            {
                RequireTrees(*chosen, at.first, WhereOf(chosen->name, type, at.second), layout);
            }
        }
    }

  private:
    void RequireProgram(const ChosenAlgorithm& chosen,
                        const CallKey& call,
                        const CommunicatorLayout& layout)
    {
        const auto& [group, type, elements, peer, node] = call;
        const Bytes size = m_input.Workload().elementSize * static_cast<int64_t>(elements);
        // The rendezvous refuses a root that is not a member, once the call comes.
        const std::vector<RankId>& ranks = m_input.Workload().communicators[group].ranks;
        const bool hasRoot = HasRoot(type) && peer != ExecutionNode::NO_ROOT &&
                             std::find(ranks.begin(), ranks.end(), RankId{peer}) != ranks.end();
        // A program runs over one list of all members. So the layout has one dimension with one
        // line, which is the group in its order.
        m_programs.Require(chosen,
                           {.type = type,
                            .ranks = FindLine(layout, 0, 0),
                            .root = hasRoot ? layout.MemberOf(RankId{peer}) : 0,
                            .size = ComputeNcclSize({type, size, layout.Size()})});
    }

    /// Of all lines of a dimension.
    void RequireTrees(const ChosenAlgorithm& chosen,
                      uint32_t dimension,
                      const std::string& where,
                      const CommunicatorLayout& layout)
    {
        const std::optional<TreeDemand> demand = chosen.algorithm->NeedsTrees();
        const bool areNeeded = demand && layout.Dimensions()[dimension].size > 1;
        for (uint32_t member = 0; areNeeded && member < layout.Size(); ++member)
        {
            // One member of each line has the coordinate 0, so each line is required once.
            if (layout.Members().Coordinate(member, dimension) == 0)
            {
                m_trees->Require(chosen.name, FindLine(layout, dimension, member), *demand, where);
            }
        }
    }

    /// The key that chose the algorithm of a phase: that of the collective or of the phase's own
    /// type (AlgorithmTable).
    std::string
    WhereOf(const std::string& algorithm, CollectiveType collective, CollectiveType phase) const
    {
        const SystemConfig& system = m_input.Config().system;
        for (const CollectiveType type : {collective, phase})
        {
            const auto setting = system.collectives.find(type);
            // If its choice lacks the algorithm, the other key has chosen it, or a default.
            if (setting != system.collectives.end() &&
                Names(system.options.algorithms.at(type), algorithm))
            {
                return fmt::format(
                    "{}: system.collectives.{}", setting->second.where, ToText(type));
            }
        }
        return "system.collectives";
    }

    const RunInput& m_input;
    InstalledLibrary& m_library;
    ProgramTable& m_programs;
    TreeTable* m_trees;
    LayoutTable m_layouts;
};

/// Throws ConfigError: an algorithm is for a node that calls no collective on any rank.
void
CheckNamedNodes(const SystemConfig& system, const std::set<CallKey>& calls)
{
    std::set<NodeId> called;
    for (const CallKey& call : calls)
    {
        if (const std::optional<NodeId> node = std::get<std::optional<NodeId>>(call))
        {
            called.insert(*node);
        }
    }
    for (const auto& [node, where] : system.nodeAlgorithmsWhere)
    {
        if (!called.contains(node))
        {
            throw ConfigError(where,
                              fmt::format("no rank has a collective with the id {}", node.value));
        }
    }
}

} // namespace

void
PrepareCalls(const RunInput& input,
             InstalledLibrary& library,
             ProgramTable& programs,
             TreeTable* trees)
{
    // Where communication is replayed, no algorithm runs.
    if (!WantsPreparation(input.Config().system.options) || input.Workload().replaysCommunication)
    {
        return;
    }
    Preparation preparation(input, library, programs, trees);
    const SystemConfig& system = input.Config().system;
    const std::set<CallKey> calls = FindCalls(input.Workload(), system.options);
    CheckNamedNodes(system, calls);
    for (const CallKey& call : calls)
    {
        preparation.Prepare(call);
    }
}

} // namespace nadi
