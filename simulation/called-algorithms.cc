// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/called-algorithms.h"

#include "simulation/call-programs.h"

#include <optional>

namespace nadi
{

namespace
{

/// None: a single rank has nothing to exchange.
std::optional<CalledAlgorithm>
FindAlgorithm(CallPrograms& programs, const JobCall& call)
{
    if (programs.LayoutOf(call).Size() == 1)
    {
        return std::nullopt;
    }
    const LibraryDecision decision = programs.Make(call).decision;
    return CalledAlgorithm{.type = call.type,
                           .algorithm = decision.algorithm,
                           .protocol = decision.protocol,
                           .isUneven = call.isUneven};
}

} // namespace

std::map<CalledAlgorithm, std::set<CommunicatorId>>
FindCalledAlgorithms(const RunInput& input)
{
    std::map<CalledAlgorithm, std::set<CommunicatorId>> found;
    if (input.Workload().replaysCommunication)
    {
        return found;
    }
    // The library decides whatever the root is.
    std::set<JobCall> calls;
    for (JobCall call : FindCalls(input.Workload(), input.Config().system.options))
    {
        call.root = 0;
        calls.insert(call);
    }
    CallPrograms programs(input);
    for (const JobCall& call : calls)
    {
        if (const std::optional<CalledAlgorithm> algorithm = FindAlgorithm(programs, call))
        {
            found[*algorithm].insert(call.communicator);
        }
    }
    return found;
}

} // namespace nadi
