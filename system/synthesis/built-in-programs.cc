// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/built-in-programs.h"

#include "common/registry.h"
#include "system/collective-plan.h"
#include "system/message-programs/plan-program.h"
#include "system/synthesis/picked-ways.h"
#include "system/synthesis/program-forecast.h"
#include "system/synthesis/stacked-plan.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace nadi::synthesis
{

namespace
{

/// Whether it can be stored as a program of ranks alone.
bool
IsOfRanks(const CollectiveAlgorithm& algorithm)
{
    return algorithm.Programs() == nullptr && !algorithm.NeedsTrees();
}

PlanRequest
DescribeChunks(const SynthesisRequest& request)
{
    return InStoredChunks({.type = request.type,
                           .ranks = static_cast<uint32_t>(request.ranks.size()),
                           .elements = request.elements,
                           .elementBytes = request.elementBytes,
                           .root = request.root});
}

/// Whether the ranks fill the stack, in its order, and the collective can go along it.
bool
FitsStack(const SynthesisRequest& request, const std::vector<uint32_t>& stack)
{
    const bool isStacked = request.type == CollectiveType::AllGather ||
                           request.type == CollectiveType::ReduceScatter ||
                           request.type == CollectiveType::AllReduce;
    uint64_t places = 1;
    for (const uint32_t size : stack)
    {
        places *= size;
    }
    if (!isStacked || stack.size() < 2 || places != request.ranks.size())
    {
        return false;
    }
    // Only ranks that are numbered as the stack counts them lie on its lines.
    uint32_t next = 0;
    return std::ranges::all_of(request.ranks, [&](RankId rank) { return rank.value == next++; });
}

/// Whether it has what a stack needs: an all-reduce is a reduce-scatter and an all-gather there.
bool
HasPhases(const CollectiveAlgorithm& algorithm, CollectiveType type)
{
    return algorithm.Supports(type) && (type != CollectiveType::AllReduce ||
                                        (algorithm.Supports(CollectiveType::ReduceScatter) &&
                                         algorithm.Supports(CollectiveType::AllGather)));
}

/// As results name it: "direct+direct".
std::string
NameStacked(const std::string& name, size_t dimensions)
{
    std::string names = name;
    for (size_t i = 1; i < dimensions; ++i)
    {
        names += "+" + name;
    }
    return names;
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
                const MessageCosts& costs,
                SimTime most)
{
    if (CountMessages(program) > MOST_MESSAGES_FORECAST)
    {
        return std::nullopt;
    }
    // Algorithms send between any two ranks. The model of the synthesis has no ways that cross a
    // member, so this one is made for the pairs of the program.
    const RouteModel model =
        RouteModel::Between(surroundings.topology,
                            surroundings.routing,
                            surroundings.packet.switchLatency,
                            request.ranks,
                            FindMessagePairs(program),
                            FindPickedWays(surroundings.packet, request.communicator));
    const Bytes size = Bytes(request.elementBytes) * static_cast<int64_t>(request.elements);
    return ProgramForecast(program, model, costs, size).Run(most);
}

namespace
{

/// Stores and forecasts algorithms.
class BuiltInMaker
{
  public:
    BuiltInMaker(const SynthesisSurroundings& surroundings,
                 const SynthesisRequest& request,
                 const MessageCosts& costs,
                 SimTime best)
        : m_surroundings(surroundings)
        , m_request(request)
        , m_costs(costs)
        , m_chunks(DescribeChunks(request))
        , m_fitsStack(FitsStack(request, surroundings.stack))
        , m_best(best)
    {
    }

    /// Over one list of ranks, and along the stack.
    void Add(const std::string& name)
    {
        const auto algorithm =
            Registry<CollectiveAlgorithm>::Instance().Make(CompleteAlgorithm({name, {}}));
        if (!IsOfRanks(*algorithm))
        {
            return;
        }
        Add(name, MakePlanProgram(*algorithm->MakePlan(m_chunks), m_chunks));
        if (m_fitsStack && HasPhases(*algorithm, m_request.type))
        {
            AddStacked(NameStacked(name, m_surroundings.stack.size()), *algorithm);
        }
    }

    SimTime Best() const
    {
        return m_best;
    }

    std::vector<BuiltInProgram> Take()
    {
        return std::move(m_programs);
    }

  private:
    /// In more and more pieces, as long as that is quicker. Pieces do not make anything twice as
    /// fast.
    void AddStacked(const std::string& name, const CollectiveAlgorithm& algorithm)
    {
        std::optional<SimTime> last;
        for (const uint32_t pieces : {1U, 2U, 4U, 8U, 16U})
        {
            const StackedPlan plan(algorithm, m_surroundings.stack, m_chunks, pieces);
            const std::optional<SimTime> predicted =
                Add(name,
                    MakePlanProgram(
                        plan, m_chunks, [&](uint32_t stage) { return plan.StagesBefore(stage); }),
                    pieces);
            if (!predicted || (last && *predicted >= *last))
            {
                return;
            }
            last = predicted;
        }
    }

    std::optional<SimTime> Add(const std::string& name, MessageProgram program, uint32_t pieces = 1)
    {
        // Programs that take more than twice as long as the best one are left out in the end, so
        // their forecast may stop at twice its time.
        const SimTime most = m_best.AddUpToMax(m_best);
        const std::optional<SimTime> predicted =
            ForecastProgram(program, m_surroundings, m_request, m_costs, most);
        if (predicted)
        {
            m_best = std::min(m_best, *predicted);
            m_programs.push_back({.name = name,
                                  .pieces = pieces,
                                  .program = std::move(program),
                                  .predicted = *predicted});
        }
        return predicted;
    }

    const SynthesisSurroundings& m_surroundings;
    const SynthesisRequest& m_request;
    const MessageCosts& m_costs;
    PlanRequest m_chunks;
    bool m_fitsStack;
    std::vector<BuiltInProgram> m_programs;
    SimTime m_best; // of all that is known so far
};

} // namespace

std::vector<BuiltInProgram>
MakeBuiltInPrograms(const SynthesisSurroundings& surroundings,
                    const SynthesisRequest& request,
                    const MessageCosts& costs,
                    SimTime best)
{
    std::vector<BuiltInProgram> programs;
    // MakePlanProgram stores no all-to-alls, and a barrier has no elements that could be cut.
    const bool isStored = request.type != CollectiveType::AllToAll &&
                          request.type != CollectiveType::Barrier && request.elements > 0;
    if (!isStored || request.ranks.size() < 2)
    {
        return programs;
    }
    BuiltInMaker maker(surroundings, request, costs, best);
    for (const std::string& name : AlgorithmsFor(request.type))
    {
        maker.Add(name);
    }
    programs = maker.Take();
    // The best time may have fallen since the first programs were added, so all are compared again.
    std::erase_if(programs,
                  [&](const BuiltInProgram& one)
                  { return one.predicted.Ps() / 2 > maker.Best().Ps(); });
    std::stable_sort(programs.begin(),
                     programs.end(),
                     [](const BuiltInProgram& one, const BuiltInProgram& other)
                     { return one.predicted < other.predicted; });
    return programs;
}

} // namespace nadi::synthesis
