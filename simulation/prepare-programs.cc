// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/prepare-programs.h"

#include "system/collective-bounds.h"
#include "system/execution/layout-table.h"
#include "workload/engine/node-route.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace nadi
{

namespace
{

/// The communicator, the type, the elements and the root of a call.
using CallKey = std::tuple<uint32_t, CollectiveType, uint64_t, uint32_t>;

/// Whether some choice of the configuration has stored programs: nearly always none has, and the
/// calls need not be looked at.
bool
WantsPrograms(const SystemOptions& options)
{
    const auto hasPrograms = [](const ComponentChoice& choice)
    {
        return choice.name != BY_SIZE &&
               Registry<CollectiveAlgorithm>::Instance().Make(choice)->Programs() != nullptr;
    };
    return std::any_of(options.algorithms.begin(),
                       options.algorithms.end(),
                       [&](const auto& entry)
                       {
                           const auto& choices = entry.second.perDimension;
                           return std::any_of(choices.begin(), choices.end(), hasPrograms);
                       });
}

std::set<CallKey>
FindCalls(const Workload& workload)
{
    std::set<CallKey> calls;
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        for (const ExecutionNode& node : workload.GraphOf(RankId{rank}).Nodes())
        {
            if (FindRoute(node) == NodeRoute::Collective)
            {
                const CommunicatorId group = workload.communicatorOfGroup[rank][node.group];
                calls.insert({group.value, node.collective, node.size, node.peer});
            }
        }
    }
    return calls;
}

class Preparation
{
  public:
    Preparation(const RunInput& input, InstalledLibrary& library, ProgramTable& programs)
        : m_input(input)
        , m_library(library)
        , m_programs(programs)
        , m_layouts(input.Stack(), input.Places(), input.Workload().communicators.size())
    {
    }

    void Prepare(const CallKey& call)
    {
        const auto& [group, type, elements, peer] = call;
        const Communicator& communicator = m_input.Workload().communicators[group];
        const CommunicatorLayout& layout = m_layouts.Find(communicator, m_library.LayoutFor(type));
        if (layout.Size() == 1)
        {
            return;
        }
        const CollectiveProgram program =
            m_library.MakeProgram({.type = type, .elements = elements, .layout = layout});
        for (const auto& [at, chosen] : program.algorithms)
        {
            if (chosen->algorithm->Programs() != nullptr)
            {
                Require(*chosen, call, layout);
            }
        }
    }

  private:
    void
    Require(const ChosenAlgorithm& chosen, const CallKey& call, const CommunicatorLayout& layout)
    {
        const auto& [group, type, elements, peer] = call;
        const Bytes size = m_input.Workload().elementSize * static_cast<int64_t>(elements);
        // The rendezvous refuses a root that is not a member, once the call comes.
        const std::vector<RankId>& ranks = m_input.Workload().communicators[group].ranks;
        const bool hasRoot = HasRoot(type) && peer != ExecutionNode::NO_ROOT &&
                             std::find(ranks.begin(), ranks.end(), RankId{peer}) != ranks.end();
        m_programs.Require(chosen,
                           {.type = type,
                            .ranks = FindLine(layout, 0, 0),
                            .root = hasRoot ? layout.MemberOf(RankId{peer}) : 0,
                            .size = ComputeNcclSize({type, size, layout.Size()})});
    }

    const RunInput& m_input;
    InstalledLibrary& m_library;
    ProgramTable& m_programs;
    LayoutTable m_layouts;
};

} // namespace

void
PreparePrograms(const RunInput& input, InstalledLibrary& library, ProgramTable& programs)
{
    if (!WantsPrograms(input.Config().system.options) || input.Workload().replaysCommunication)
    {
        return;
    }
    Preparation preparation(input, library, programs);
    for (const CallKey& call : FindCalls(input.Workload()))
    {
        preparation.Prepare(call);
    }
}

} // namespace nadi
