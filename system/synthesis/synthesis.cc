// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/synthesis.h"

#include "common/check.h"
#include "system/synthesis/attempts.h"
#include "system/synthesis/built-in-programs.h"
#include "system/synthesis/program-writer.h"

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
using synthesis::GroupRoutes;
using synthesis::MakeBuiltInPrograms;
using synthesis::RouteModel;
using synthesis::TransferWaits;

/// Whether one / other > part / whole.
bool
IsAbove(SimTime one, int64_t part, SimTime other, int64_t whole)
{
    return detail::Wide{one.Ps()} * whole > detail::Wide{other.Ps()} * part;
}

/// Tries chunk counts, rules and seeds, and keeps the best attempt.
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

    SynthesisResult Write(const GroupRoutes& routes)
    {
        const Attempt& attempt = *m_best;
        const TransferWaits waits(routes.forward, attempt.schedule, attempt.chunks, attempt.flow);
        return {.program = WriteProgram(
                    routes.forward, attempt.schedule, waits, m_maker.BuffersOf(attempt)),
                .predicted = attempt.predicted,
                .candidates = std::move(m_candidates),
                .best = m_bestCandidate,
                .builtIn = {}};
    }

  private:
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
        if (progress.attempts == 0)
        {
            return !m_best || !IsNearBound();
        }
        const uint64_t most = COST_OF_TRY * m_options.tries;
        // Trees with free roots are slow until there are hundreds.
        const bool isHopeless = choice.rule != AttemptRule::FreeRoots && progress.attempts >= 2 &&
                                IsAbove(*progress.least, 115, m_best->predicted, 100);
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
    std::optional<Attempt> m_best;
    AttemptChoice m_bestChoice;
    size_t m_bestCandidate = 0;
    std::map<AttemptRule, Progress> m_progress;
    uint64_t m_spent = 0;
};

/// Takes the best of some built-in algorithms where it is predicted to be clearly faster: messages
/// of such plans meet at links in ways that the forecast knows less well than those of attempts.
void
CompareBuiltIns(std::vector<BuiltInProgram> programs, uint64_t seed, SynthesisResult& result)
{
    for (const BuiltInProgram& one : programs)
    {
        result.candidates.push_back({.chunks = one.program.Buffers().chunks,
                                     .seed = seed,
                                     .rule = "built-in " + one.name,
                                     .predicted = one.predicted,
                                     .isBuiltIn = true});
    }
    if (programs.empty() || !IsAbove(result.predicted, 101, programs.front().predicted, 100))
    {
        return;
    }
    BuiltInProgram& best = programs.front();
    result.best = result.candidates.size() - programs.size();
    result.program = std::move(best.program);
    result.predicted = best.predicted;
    result.builtIn = std::move(best.name);
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
                                        request.ranks),
                             {.packet = surroundings.packet,
                              .endpointDelay = surroundings.endpointDelay,
                              .reductionBandwidth = surroundings.reductionBandwidth});
    AttemptSearch search(routes, request);
    search.Run();
    const bool mayBeBuiltIn = !request.options.chunks && !search.IsNearBound();
    SynthesisResult result = search.Write(routes);
    if (mayBeBuiltIn)
    {
        CompareBuiltIns(
            MakeBuiltInPrograms(surroundings, request, routes.costs), request.options.seed, result);
    }
    return result;
}

} // namespace nadi
