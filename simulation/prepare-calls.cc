// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/prepare-calls.h"

#include "simulation/call-programs.h"
#include "simulation/serving-groups.h"
#include "system/collective-bounds.h"
#include "system/execution/place-demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

/// No algorithm needs other trees for other sizes.
constexpr uint64_t ELEMENTS_OF_A_SUM = uint64_t{1} << 20;

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
        , m_calls(input, library)
        , m_programs(programs)
        , m_trees(trees)
    {
    }

    void Prepare(const JobCall& call)
    {
        const CommunicatorLayout& layout = m_calls.LayoutOf(call);
        if (layout.Size() == 1)
        {
            return;
        }
        const CollectiveProgram program = m_calls.Make(call);
        for (const auto& [at, chosen] : program.algorithms)
        {
            if (chosen->algorithm->Programs() != nullptr)
            {
                RequireProgram(*chosen, call, layout);
            }
        }
        PrepareTrees(program, call, layout);
    }

    /// The same without stored programs.
    void PrepareTrees(const JobCall& call)
    {
        const CommunicatorLayout& layout = m_calls.LayoutOf(call);
        if (layout.Size() > 1)
        {
            PrepareTrees(m_calls.Make(call), call, layout);
        }
    }

  private:
    void PrepareTrees(const CollectiveProgram& program,
                      const JobCall& call,
                      const CommunicatorLayout& layout)
    {
        if (m_trees == nullptr)
        {
            return;
        }
        for (const auto& [at, chosen] : program.algorithms)
        {
            RequireTrees(*chosen, at.first, WhereOf(chosen->name, call.type, at.second), layout);
        }
        if (AreAwaited(*m_trees))
        {
            CheckCanHavePlaces(
                FindPlaceDemand(program, layout, *m_trees), *m_trees, call.communicator);
        }
    }

    void RequireProgram(const ChosenAlgorithm& chosen,
                        const JobCall& call,
                        const CommunicatorLayout& layout)
    {
        const Bytes size = m_input.Workload().elementSize * static_cast<int64_t>(call.elements);
        // The rendezvous refuses a root that is not a member, once the call comes.
        const std::vector<RankId>& ranks =
            m_input.Workload().communicators[call.communicator.value].ranks;
        const RankId root{call.root};
        const bool hasRoot = HasRoot(call.type) && call.root != ExecutionNode::NO_ROOT &&
                             std::find(ranks.begin(), ranks.end(), root) != ranks.end();
        // A program runs over one list of all members. So the layout has one dimension with one
        // line, which is the group in its order.
        m_programs.Require(chosen,
                           {.type = call.type,
                            .ranks = FindLine(layout, 0, 0),
                            .root = hasRoot ? layout.MemberOf(root) : 0,
                            .size = ComputeNcclSize({call.type, size, layout.Size()}),
                            .communicator = call.communicator});
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
    CallPrograms m_calls;
    ProgramTable& m_programs;
    TreeTable* m_trees;
};

/// Throws ConfigError: an algorithm is for a node that calls no collective on any rank.
void
CheckNamedNodes(const SystemConfig& system, const std::set<JobCall>& calls)
{
    std::set<NodeId> called;
    for (const JobCall& call : calls)
    {
        if (call.node)
        {
            called.insert(*call.node);
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
    if (input.Serving() != nullptr)
    {
        // By one call for each group: the sizes follow from the batches, which the run makes.
        for (const CommunicatorId group : FindSummingGroups(*input.Serving()))
        {
            preparation.PrepareTrees({.communicator = group,
                                      .type = CollectiveType::AllReduce,
                                      .elements = ELEMENTS_OF_A_SUM});
        }
    }
    const SystemConfig& system = input.Config().system;
    const std::set<JobCall> calls = FindCalls(input.Workload(), system.options);
    CheckNamedNodes(system, calls);
    for (const JobCall& call : calls)
    {
        preparation.Prepare(call);
    }
}

} // namespace nadi
