// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/synthesis.h"

#include "common/check.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/attempt-search.h"
#include "system/synthesis/built-in-programs.h"
#include "system/synthesis/picked-ways.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace nadi
{

namespace
{

using synthesis::AttemptSearch;
using synthesis::BuiltInProgram;
using synthesis::ForecastProgram;
using synthesis::GroupRoutes;
using synthesis::IsAbove;
using synthesis::MakeBuiltInPrograms;
using synthesis::RouteModel;

std::string
DescribeBuiltIn(const BuiltInProgram& one)
{
    return one.pieces == 1 ? "built-in " + one.name
                           : fmt::format("built-in {} in {} pieces", one.name, one.pieces);
}

/// Takes the best of some built-in algorithms where it is predicted to be clearly faster, and its
/// order can be proven.
void
CompareBuiltIns(std::vector<BuiltInProgram> programs, uint64_t seed, SynthesisResult& result)
{
    const size_t first = result.candidates.size();
    for (const BuiltInProgram& one : programs)
    {
        result.candidates.push_back({.chunks = one.program.Buffers().chunks,
                                     .seed = seed,
                                     .rule = DescribeBuiltIn(one),
                                     .predicted = one.predicted,
                                     .isBuiltIn = true,
                                     .isByFrames = true});
    }
    // The quickest program comes first, so the first one that is not quick enough ends the search.
    // Only a program that is about to be taken is proven, which saves the proofs of all others.
    for (size_t i = 0; i < programs.size(); ++i)
    {
        BuiltInProgram& one = programs[i];
        if (!IsAbove(result.predicted, 101, one.predicted, 100))
        {
            return;
        }
        if (!FindProgramFault(one.program))
        {
            result.best = first + i;
            result.program = std::move(one.program);
            result.predicted = one.predicted;
            result.builtIn = std::move(one.name);
            return;
        }
    }
}

} // namespace

SynthesisResult
Synthesize(const SynthesisSurroundings& surroundings, const SynthesisRequest& request)
{
    NADI_CHECK(!request.ranks.empty() && request.options.tries > 0);
    NADI_CHECK(request.options.chunks.value_or(1) > 0);
    const GroupRoutes routes(RouteModel(surroundings.topology,
                                        surroundings.routing,
                                        surroundings.packet.switchLatency,
                                        request.ranks,
                                        FindPickedWays(surroundings.packet, request.communicator)),
                             {.packet = surroundings.packet,
                              .endpointDelay = surroundings.endpointDelay,
                              .reductionBandwidth = surroundings.reductionBandwidth});
    AttemptSearch search(routes, request);
    search.Run();
    SynthesisResult result =
        search.Write([&](const MessageProgram& program)
                     { return ForecastProgram(program, surroundings, request, routes.costs); });
    const std::optional<SimTime>& bound = request.options.bound;
    // No program beats the bound, and CompareBuiltIns takes only programs that are 1 % faster. So
    // within 1 % of the bound it could take none.
    const bool isNearBound = bound && !IsAbove(result.predicted, 1010, *bound, 1000);
    if (!request.options.chunks && !isNearBound)
    {
        CompareBuiltIns(MakeBuiltInPrograms(surroundings, request, routes.costs, result.predicted),
                        request.options.seed,
                        result);
    }
    return result;
}

} // namespace nadi
