// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/synthesis-job.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "simulation/surroundings.h"
#include "system/collective-bounds.h"
#include "system/collective-plan.h"
#include "system/message-programs/plan-program.h"
#include "system/message-programs/program-proof.h"
#include "system/message-programs/program-store.h"
#include "system/synthesis/picked-ways.h"
#include "system/synthesis/synthesis-key.h"
#include "system/synthesis/synthesize-wish.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace nadi
{

namespace
{

const ExecutionNode&
FindFirstCollective(const RunInput& input)
{
    for (const ExecutionNode& node : input.Workload().GraphOf(RankId{0}).Nodes())
    {
        if (FindRoute(node) == NodeRoute::Collective)
        {
            return node;
        }
    }
    throw ConfigError(input.Config().workload.where,
                      "the job has no collective; write --type and --size");
}

ProgramWish
WishOf(const RunInput& input, const ExecutionNode& call)
{
    // Communicator 0 is that of all ranks.
    const Communicator& all = input.Workload().communicators.front();
    const Bytes size = input.Workload().elementSize * static_cast<int64_t>(call.size);
    return {.type = call.collective,
            .ranks = all.ranks,
            .size =
                ComputeNcclSize({call.collective, size, static_cast<uint32_t>(all.ranks.size())}),
            .communicator = CommunicatorId{0}};
}

/// Whether some rank serves its peers one after the other (PlanStep::awaitsDelivery).
bool
AwaitsDeliveries(const CollectivePlan& plan, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (uint32_t stage = 0; stage < plan.StageCount(); ++stage)
        {
            for (uint32_t lane = 0; lane < plan.LaneCount(rank, stage); ++lane)
            {
                for (uint32_t step = 0; step < plan.StepCount(rank, stage, lane); ++step)
                {
                    if (plan.StepAt(rank, stage, lane, step).awaitsDelivery)
                    {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

/// The plan of a built-in algorithm as a program. Throws ConfigError where a program cannot say
/// what the plan does.
MessageProgram
StorePlan(const CollectiveAlgorithm& algorithm, const std::string& name, const ProgramWish& wish)
{
    // MakePlanProgram takes neither: a program has no helpers, such as switches that compute, and
    // the rows of an all-to-all pass through the places of others.
    if (algorithm.NeedsTrees() || wish.type == CollectiveType::AllToAll)
    {
        throw ConfigError("system.collectives",
                          fmt::format("{} of {} cannot be written as a program of ranks",
                                      ToText(wish.type),
                                      name));
    }
    const PlanRequest chunks =
        InStoredChunks({.type = wish.type,
                        .ranks = static_cast<uint32_t>(wish.ranks.size()),
                        .elements = static_cast<uint64_t>(wish.size.Count())});
    const std::unique_ptr<CollectivePlan> plan = algorithm.MakePlan(chunks);
    // MakePlanProgram would leave these waits out, and the program would take another time than the
    // algorithm. MSCCL's XML has no step for them.
    if (AwaitsDeliveries(*plan, chunks.ranks))
    {
        throw ConfigError("system.collectives",
                          fmt::format("{} of {} cannot be written as a program: a rank sends to "
                                      "one peer after the other there, each time once the message "
                                      "before was delivered, which no program says; write another "
                                      "algorithm, such as synthesized",
                                      ToText(wish.type),
                                      name));
    }
    MessageProgram program = MakePlanProgram(*plan, chunks);
    if (const std::optional<ProgramFault> fault = FindProgramFault(program))
    {
        throw ConfigError(
            "system.collectives",
            name + " cannot be written as a program that says its whole order: " + fault->what);
    }
    return program;
}

void
Synthesise(MadeProgram& made, const ComponentChoice& choice, const RunInput& input)
{
    const ProgramSurroundings surroundings = DescribeProgramSurroundings(input);
    const SynthesisOptions options = ReadSynthesisOptions(choice);
    // Made anew even if the cache has the program: the candidates and the prediction, which are
    // shown to the user, are not stored.
    SynthesisResult result = SynthesizeWish(surroundings, made.wish, options);
    if (surroundings.directory)
    {
        const ProgramStore store(
            *surroundings.directory,
            MakeSynthesisKey(surroundings, DropIdleCommunicator(surroundings, made.wish), options));
        made.storeFailure = store.Save({.program = result.program, .builtIn = result.builtIn});
    }
    made.program = std::move(result.program);
    made.predicted = result.predicted;
    made.candidates = std::move(result.candidates);
    made.best = result.best;
    made.builtIn = std::move(result.builtIn);
}

} // namespace

CollectiveType
FirstCollectiveType(const RunInput& input)
{
    return FindFirstCollective(input).collective;
}

std::vector<std::string>
SynthesisSettings(CollectiveType type, const std::string& size, const std::vector<uint32_t>& group)
{
    const std::string name(ToText(type));
    // The section is set as a whole, so that no key of the workload in the file stays beside it.
    std::string workload = "workload={collective: {type: " + name + ", size: " + size + "}";
    // A group becomes a job of its own with as many ranks, placed on the NPUs of the group.
    if (!group.empty())
    {
        std::string npus;
        for (const uint32_t npu : group)
        {
            npus += (npus.empty() ? "" : ", ") + std::to_string(npu);
        }
        workload += fmt::format(", ranks: {}, placement: [{}]", group.size(), npus);
    }
    return {workload + "}"};
}

MadeProgram
MakeJobProgram(const RunInput& input)
{
    const ExecutionNode& call = FindFirstCollective(input);
    const SystemConfig& system = input.Config().system;
    // `options.algorithms` would not tell, as it has a default for every type.
    const bool isChosen = system.collectives.contains(call.collective);
    const std::vector<ComponentChoice> choices =
        isChosen ? system.options.algorithms.at(call.collective).perDimension
                 : std::vector<ComponentChoice>{"synthesized"};
    const ComponentChoice& choice = choices.front();
    if (choices.size() > 1)
    {
        throw ConfigError("system.collectives",
                          fmt::format("{} runs dimension by dimension; write one algorithm for all "
                                      "ranks, such as {{{}: {{flat: {}}}}}",
                                      ToText(call.collective),
                                      ToText(call.collective),
                                      choice.name));
    }
    MadeProgram made;
    made.algorithm = choice.name;
    made.wish = WishOf(input, call);
    made.size = input.Workload().elementSize * static_cast<int64_t>(call.size);
    if (const std::optional<WireBound> bound =
            FindWireBound(DescribeProgramSurroundings(input), made.wish))
    {
        made.bound = bound->time;
    }
    const auto algorithm = Registry<CollectiveAlgorithm>::Instance().Make(choice);
    if (choice.name == "synthesized")
    {
        Synthesise(made, choice, input);
    }
    else if (const ProgramMaker* const maker = algorithm->Programs())
    {
        made.program = maker->Make(DescribeProgramSurroundings(input), made.wish).program;
        // A program from traces without offsets has sizes instead of chunks, so nothing tells which
        // data arrive: only the matching of its messages was checked.
        made.isProven = !made.program.HasSizes();
    }
    else
    {
        made.program = StorePlan(*algorithm, choice.name, made.wish);
    }
    return made;
}

std::vector<std::string>
MeasurementSettings(const RunInput& input, const MadeProgram& made)
{
    if (made.wish.type == CollectiveType::Barrier)
    {
        return {};
    }
    const nadi::Topology& topology = input.Topology();
    std::vector<uint32_t> npus;
    const bool areAll = made.wish.ranks.size() == topology.NpuCount();
    if (!areAll || !topology.Placement().IsLinear())
    {
        for (const RankId rank : made.wish.ranks)
        {
            npus.push_back(topology.Placement().PlaceOf(rank));
        }
    }
    return SynthesisSettings(made.wish.type, ToText(made.size), npus);
}

} // namespace nadi
