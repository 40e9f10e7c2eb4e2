// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/built-in-programs.h"

#include "common/registry.h"
#include "system/collective-plan.h"
#include "system/message-programs/plan-program.h"
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
    return program;
}

uint64_t
CountMessages(const MessageProgram& program)
{
    uint64_t messages = 0;
    for (uint32_t rank = 0; rank < program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < program.LaneCount(rank); ++lane)
        {
            messages += static_cast<uint64_t>(std::ranges::count_if(
                program.StepsOf(rank, lane), [](const ProgramStep& step) { return step.Sends(); }));
        }
    }
    return messages;
}

} // namespace

std::optional<SimTime>
ForecastProgram(const MessageProgram& program,
                const SynthesisSurroundings& surroundings,
                const SynthesisRequest& request,
                const MessageCosts& costs)
{
    if (CountMessages(program) > MOST_MESSAGES_FORECAST)
    {
        return std::nullopt;
    }
    const RouteModel model = RouteModel::Between(surroundings.topology,
                                                 surroundings.routing,
                                                 surroundings.packet.switchLatency,
                                                 request.ranks,
                                                 FindMessagePairs(program));
    const Bytes size = Bytes(request.elementBytes) * static_cast<int64_t>(request.elements);
    return ProgramForecast(program, model, costs, size).Run();
}

std::vector<BuiltInProgram>
MakeBuiltInPrograms(const SynthesisSurroundings& surroundings,
                    const SynthesisRequest& request,
                    const MessageCosts& costs)
{
    std::vector<BuiltInProgram> programs;
    const bool isStored = request.type != CollectiveType::AllToAll &&
                          request.type != CollectiveType::Barrier && request.elements > 0;
    if (!isStored || request.ranks.size() < 2)
    {
        return programs;
    }
    for (const std::string& name : AlgorithmsFor(request.type))
    {
        std::optional<MessageProgram> program = StoreAlgorithm(name, request);
        const std::optional<SimTime> predicted =
            program ? ForecastProgram(*program, surroundings, request, costs) : std::nullopt;
        if (predicted)
        {
            programs.push_back(
                {.name = name, .program = std::move(*program), .predicted = *predicted});
        }
    }
    std::stable_sort(programs.begin(),
                     programs.end(),
                     [](const BuiltInProgram& one, const BuiltInProgram& other)
                     { return one.predicted < other.predicted; });
    return programs;
}

} // namespace nadi::synthesis
