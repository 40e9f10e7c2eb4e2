// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/attempt-search.h"

#include "system/synthesis/built-in-programs.h"
#include "system/synthesis/program-writer.h"

#include <algorithm>
#include <utility>

namespace nadi::synthesis
{

namespace
{

/// In units of AttemptMaker::CostOf, for each of the tries.
constexpr uint64_t COST_OF_TRY = 50'000'000;

/// A rule is given up after this many attempts that were hardly better than those before.
constexpr uint32_t MOST_FAILURES = 3;

/// Of the attempts near to the best one, so many are looked at frame by frame.
constexpr size_t MOST_NEAR = 12;

/// By how much an attempt must be better than the best one before, in thousandths of its time.
/// Where links between groups choose chunks, ports change their partners more often; senders
/// that meet at a port then share it frame by frame, which the prediction does not know.
int64_t
TrustIn(AttemptRule rule)
{
    const bool choosesChunks = rule == AttemptRule::PreferNew || rule == AttemptRule::RequireNew;
    return choosesChunks ? 1005 : 1000;
}

} // namespace

AttemptSearch::AttemptSearch(const GroupRoutes& routes, const SynthesisRequest& request)
    : m_routes(routes)
    , m_maker(routes, request)
    , m_options(request.options)
{
}

void
AttemptSearch::Run()
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
bool
AttemptSearch::IsNearBound() const
{
    return m_options.bound && !IsAbove(m_best->predicted, 1003, *m_options.bound, 1000);
}

SynthesisResult
AttemptSearch::Write(const Forecast& forecast)
{
    SynthesisResult result{.program = WriteAttempt(*m_best),
                           .predicted = m_best->predicted,
                           .candidates = std::move(m_candidates),
                           .best = m_bestCandidate,
                           .builtIn = {}};
    std::optional<SimTime> least;
    for (const Kept& kept : TakeNearest())
    {
        MessageProgram program = WriteAttempt(kept.attempt);
        const std::optional<SimTime> predicted = forecast(program);
        if (!predicted)
        {
            continue;
        }
        SynthesisCandidate& candidate = result.candidates[kept.candidate];
        candidate.predicted = *predicted;
        candidate.isByFrames = true;
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

MessageProgram
AttemptSearch::WriteAttempt(const Attempt& attempt) const
{
    const TransferWaits waits(m_routes.forward, attempt.schedule, attempt.chunks, attempt.flow);
    return WriteProgram(m_routes.forward, attempt.schedule, waits, m_maker.BuffersOf(attempt));
}

/// Of those that are predicted to take a quarter more than the best one at most: the best of each
/// rule, then the second of each, and so on. The time of whole messages is too good with some rules
/// and right with others, so in its order alone one rule could take all places.
std::vector<AttemptSearch::Kept>
AttemptSearch::TakeNearest()
{
    std::vector<Kept> near = std::exchange(m_kept, {});
    std::erase_if(near,
                  [&](const Kept& kept)
                  { return IsAbove(kept.attempt.predicted, 5, m_best->predicted, 4); });
    std::ranges::stable_sort(near, {}, [](const Kept& kept) { return kept.attempt.predicted; });
    std::map<AttemptRule, size_t> placesOf;
    for (Kept& kept : near)
    {
        kept.place = placesOf[kept.rule]++;
    }
    std::ranges::stable_sort(near, {}, &Kept::place);
    near.resize(std::min(near.size(), MOST_NEAR), near.empty() ? Kept() : near.front());
    return near;
}

/// The cheap ones first.
std::vector<AttemptChoice>
AttemptSearch::ListChoices() const
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

bool
AttemptSearch::IsPromising(const AttemptChoice& choice)
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

void
AttemptSearch::Note(AttemptRule rule, SimTime time)
{
    Progress& progress = m_progress[rule];
    ++progress.attempts;
    const bool isBetter = !progress.least || IsAbove(*progress.least, 1002, time, 1000);
    progress.failures = isBetter ? 0 : progress.failures + 1;
    progress.least = progress.least ? std::min(*progress.least, time) : time;
}

void
AttemptSearch::Try(const AttemptChoice& choice)
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
        m_kept.push_back(
            {.attempt = attempt, .rule = choice.rule, .candidate = m_candidates.size() - 1});
    }
    if (!m_best || IsAbove(m_best->predicted, TrustIn(choice.rule), time, 1000))
    {
        m_best = std::move(attempt);
        m_bestChoice = choice;
        m_bestCandidate = m_candidates.size() - 1;
    }
    Note(choice.rule, time);
}

} // namespace nadi::synthesis
