// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/built-in-programs.h"

#include "common/registry.h"
#include "system/collective-plan.h"
#include "system/message-programs/plan-program.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/program-forecast.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace nadi::synthesis
{

namespace
{

/// Nothing if the algorithm is none of ranks alone, or its order is not in its program.
std::optional<MessageProgram>
StoreAlgorithm(const std::string& name, const SynthesisRequest& request)
{
    const auto algorithm =
        Registry<CollectiveAlgorithm>::Instance().Make(CompleteAlgorithm({name, {}}));
    if (algorithm->Programs() != nullptr || algorithm->NeedsTrees())
    {
        return std::nullopt;
    }
    MessageProgram program =
        StoreAlgorithmPlan(*algorithm,
                           {.type = request.type,
                            .ranks = static_cast<uint32_t>(request.ranks.size()),
                            .elements = request.elements,
                            .elementBytes = request.elementBytes,
                            .root = request.root});
    return FindProgramFault(program) ? std::nullopt : std::optional(std::move(program));
}

SimTime
Forecast(const MessageProgram& program,
         const SynthesisSurroundings& surroundings,
         const SynthesisRequest& request,
         const MessageCosts& costs)
{
    const RouteModel model = RouteModel::Between(surroundings.topology,
                                                 surroundings.routing,
                                                 surroundings.packet.switchLatency,
                                                 request.ranks,
                                                 FindMessagePairs(program));
    const Bytes size = Bytes(request.elementBytes) * static_cast<int64_t>(request.elements);
    return ProgramForecast(program, model, costs, size).Run();
}

} // namespace

std::vector<BuiltInProgram>
MakeBuiltInPrograms(const SynthesisSurroundings& surroundings,
                    const SynthesisRequest& request,
                    const MessageCosts& costs)
{
    std::vector<BuiltInProgram> programs;
    const bool isStored = request.type != CollectiveType::AllToAll &&
                          request.type != CollectiveType::Barrier && request.elements > 0;
    if (!isStored || request.ranks.size() < 2 || request.ranks.size() > MOST_RANKS_OF_BUILT_IN)
    {
        return programs;
    }
    for (const std::string& name : AlgorithmsFor(request.type))
    {
        if (std::optional<MessageProgram> program = StoreAlgorithm(name, request))
        {
            const SimTime predicted = Forecast(*program, surroundings, request, costs);
            programs.push_back(
                {.name = name, .program = std::move(*program), .predicted = predicted});
        }
    }
    std::stable_sort(programs.begin(),
                     programs.end(),
                     [](const BuiltInProgram& one, const BuiltInProgram& other)
                     { return one.predicted < other.predicted; });
    return programs;
}

} // namespace nadi::synthesis
