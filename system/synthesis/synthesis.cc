// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/synthesis.h"

#include "common/check.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/attempts.h"
#include "system/synthesis/built-in-programs.h"
#include "system/synthesis/picked-ways.h"
#include "system/synthesis/program-writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

using synthesis::Attempt;
using synthesis::AttemptChoice;
using synthesis::AttemptMaker;
using synthesis::AttemptRule;
using synthesis::BuiltInProgram;
using synthesis::ForecastProgram;
using synthesis::GroupRoutes;
using synthesis::MakeBuiltInPrograms;
using synthesis::MOST_MESSAGES_FORECAST;
using synthesis::RouteModel;
using synthesis::TransferWaits;

/// Whether one / other > part / whole. It is worked in 128 bits: times of three hours pass 64 bits
/// when they are multiplied by a thousand.
bool
IsAbove(SimTime one, int64_t part, SimTime other, int64_t whole)
{
    return detail::Wide{one.Ps()} * whole > detail::Wide{other.Ps()} * part;
}

/// Tries chunk counts, rules and seeds, and keeps the best attempt.
///
/// Run first looks for the best pair of rule and chunk count, always with the same seed; other
/// seeds are tried with that pair only. Attempts are judged in two stages, since these differ in
/// cost. Every attempt has a time by the model of whole messages (Attempt::predicted). Only
/// attempts near to the best one are forecast frame by frame (Write).
class AttemptSearch
{
  public:
    AttemptSearch(const GroupRoutes& routes, const SynthesisRequest& request)
        : m_maker(routes, request)
        , m_options(request.options)
    {
    }

    void Run()
    {
        for (const AttemptChoice& choice : ListChoices())
        {
            if (IsPromising(choice))
            {
                Try(choice);
            }
        }
        const AttemptChoice best = m_bestChoice;
        // Trees with free roots are packed without a seed, so another seed would make the same
        // attempt again.
        const bool hasSeed = best.rule != AttemptRule::FreeRoots;
        for (uint32_t more = 1; hasSeed && more < m_options.tries && !IsNearBound(); ++more)
        {
            Try({.chunks = best.chunks, .seed = m_options.seed + more, .rule = best.rule});
        }
    }

    /// Whether nothing could be much faster than the best attempt.
    bool IsNearBound() const
    {
        return m_options.bound && !IsAbove(m_best->predicted, 1003, *m_options.bound, 1000);
    }

    /// The best attempt; of those that come near to it, the one that ends first frame by frame.
    /// `forecast` says when a program ends, or nothing.
    template <class Forecast>
    SynthesisResult Write(const GroupRoutes& routes, Forecast forecast)
    {
        SynthesisResult result{.program = WriteAttempt(routes, *m_best),
                               .predicted = m_best->predicted,
                               .candidates = std::move(m_candidates),
                               .best = m_bestCandidate,
                               .builtIn = {}};
        std::optional<SimTime> least;
        for (const Kept& kept : FindNearest())
        {
            MessageProgram program = WriteAttempt(routes, kept.attempt);
            const std::optional<SimTime> predicted = forecast(program);
            if (!predicted)
            {
                continue;
            }
            result.candidates[kept.candidate].predicted = *predicted;
            if (!least || *predicted < *least)
            {
                least = predicted;
                result.program = std::move(program);
                result.predicted = *predicted;
                result.best = kept.candidate;
            }
        }
        return result;
    }

  private:
    /// Of the attempts near to the best one, so many are looked at frame by frame.
    static constexpr size_t MOST_NEAR = 12;

    /// An attempt that may be looked at again.
    struct Kept
    {
        Attempt attempt;
        size_t candidate = 0;
    };

    MessageProgram WriteAttempt(const GroupRoutes& routes, const Attempt& attempt) const
    {
        const TransferWaits waits(routes.forward, attempt.schedule, attempt.chunks, attempt.flow);
        return WriteProgram(routes.forward, attempt.schedule, waits, m_maker.BuffersOf(attempt));
    }

    /// Those that are predicted to take a quarter more than the best one at most, in order.
    std::vector<Kept> FindNearest()
    {
        std::vector<Kept> near = std::exchange(m_kept, {});
        std::erase_if(near,
                      [&](const Kept& kept)
                      { return IsAbove(kept.attempt.predicted, 5, m_best->predicted, 4); });
        std::ranges::stable_sort(near, {}, [](const Kept& kept) { return kept.attempt.predicted; });
        near.resize(std::min(near.size(), MOST_NEAR), near.empty() ? Kept() : near.front());
        return near;
    }

    /// In units of AttemptMaker::CostOf, for each of the tries.
    static constexpr uint64_t COST_OF_TRY = 50'000'000;
    /// A rule is given up after this many attempts that were hardly better than those before.
    static constexpr uint32_t MOST_FAILURES = 3;

    /// What became of a rule.
    struct Progress
    {
        std::optional<SimTime> least;
        uint32_t attempts = 0;
        uint32_t failures = 0;
    };

    /// The cheap ones first.
    std::vector<AttemptChoice> ListChoices() const
    {
        std::vector<AttemptChoice> choices;
        for (const AttemptRule rule : m_maker.Rules())
        {
            for (const uint32_t chunks : m_maker.ChunkCounts(rule))
            {
                choices.push_back({.chunks = chunks, .seed = m_options.seed, .rule = rule});
            }
        }
        std::stable_sort(choices.begin(),
                         choices.end(),
                         [&](const AttemptChoice& one, const AttemptChoice& other)
                         { return m_maker.CostOf(one) < m_maker.CostOf(other); });
        return choices;
    }

    bool IsPromising(const AttemptChoice& choice)
    {
        const Progress& progress = m_progress[choice.rule];
        // The first attempt with a rule is made whatever it costs: nothing else tells how the rule
        // suits the network.
        if (progress.attempts == 0)
        {
            return !m_best || !IsNearBound();
        }
        const uint64_t most = COST_OF_TRY * m_options.tries;
        // Trees with free roots are slow until there are hundreds.
        const bool isHopeless = choice.rule != AttemptRule::FreeRoots && progress.attempts >= 2 &&
                                IsAbove(*progress.least, 115, m_best->predicted, 100);
        // Multiples of `trees` can meet the bound where other chunk counts leave links idle, so
        // failures with other counts say nothing about them.
        const uint32_t trees = m_options.trees.value_or(0);
        const bool isAdvised = trees > 0 && choice.chunks % trees == 0;
        const bool isExhausted = progress.failures >= MOST_FAILURES && !isAdvised;
        return !IsNearBound() && !isHopeless && !isExhausted &&
               m_spent + m_maker.CostOf(choice) <= most;
    }

    /// By how much an attempt must be better than the best one before, in thousandths of its time.
    /// Where links between groups choose chunks, ports change their partners more often; senders
    /// that meet at a port then share it frame by frame, which the prediction does not know.
    static int64_t TrustIn(AttemptRule rule)
    {
        const bool choosesChunks =
            rule == AttemptRule::PreferNew || rule == AttemptRule::RequireNew;
        return choosesChunks ? 1005 : 1000;
    }

    void Note(AttemptRule rule, SimTime time)
    {
        Progress& progress = m_progress[rule];
        ++progress.attempts;
        const bool isBetter = !progress.least || IsAbove(*progress.least, 1002, time, 1000);
        progress.failures = isBetter ? 0 : progress.failures + 1;
        progress.least = progress.least ? std::min(*progress.least, time) : time;
    }

    void Try(const AttemptChoice& choice)
    {
        m_spent += m_maker.CostOf(choice);
        Attempt attempt = m_maker.Make(choice);
        const SimTime time = attempt.predicted;
        m_candidates.push_back({.chunks = choice.chunks,
                                .seed = choice.seed,
                                .rule = DescribeRule(choice.rule),
                                .predicted = time});
        if (attempt.schedule.size() <= MOST_MESSAGES_FORECAST)
        {
            m_kept.push_back({attempt, m_candidates.size() - 1});
        }
        if (!m_best || IsAbove(m_best->predicted, TrustIn(choice.rule), time, 1000))
        {
            m_best = std::move(attempt);
            m_bestChoice = choice;
            m_bestCandidate = m_candidates.size() - 1;
        }
        Note(choice.rule, time);
    }

    AttemptMaker m_maker;
    const SynthesisOptions& m_options;
    std::vector<SynthesisCandidate> m_candidates;
    std::vector<Kept> m_kept;
    std::optional<Attempt> m_best;
    AttemptChoice m_bestChoice;
    size_t m_bestCandidate = 0;
    std::map<AttemptRule, Progress> m_progress;
    uint64_t m_spent = 0;
};

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
                                     .isBuiltIn = true});
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
        search.Write(routes,
                     [&](const MessageProgram& program)
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
