// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/repetition.h"

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

/// Runs found so far, which do not lie within each other, by where they begin.
class RunCover
{
  public:
    bool Holds(size_t begin, size_t end) const
    {
        // No run lies within another one, so runs that begin later end later. The last one that
        // begins no later than `begin` therefore reaches furthest of all that could hold the part.
        auto run = m_ends.upper_bound(begin);
        return run != m_ends.begin() && std::prev(run)->second >= end;
    }

    void Add(size_t begin, size_t end)
    {
        // Runs within the new one follow each other in the map, as their ends rise with their
        // begins.
        auto next = m_ends.lower_bound(begin);
        while (next != m_ends.end() && next->second <= end)
        {
            next = m_ends.erase(next);
        }
        m_ends.insert_or_assign(begin, end);
    }

  private:
    std::map<size_t, size_t> m_ends;
};

size_t
Overlap(const RepeatedRun& left, const RepeatedRun& right)
{
    const size_t begin = std::max(left.begin, right.begin);
    const size_t end = std::min(left.End(), right.End());
    return end > begin ? end - begin : 0;
}

/// How much of `run` the accepted ones cover.
size_t
CoveredBy(const std::vector<RepeatedRun>& accepted, const RepeatedRun& run)
{
    std::vector<bool> covered(run.length);
    for (const RepeatedRun& inner : accepted)
    {
        const size_t begin = std::max(run.begin, inner.begin);
        for (size_t at = begin; at < std::min(run.End(), inner.End()); ++at)
        {
            covered[at - run.begin] = true;
        }
    }
    return static_cast<size_t>(std::ranges::count(covered, true));
}

/// Of one period.
size_t
CountKernels(const RepeatedRun& run, const std::vector<bool>& isKernel)
{
    const auto begin = isKernel.begin() + static_cast<std::ptrdiff_t>(run.begin);
    return static_cast<size_t>(
        std::count(begin, begin + static_cast<std::ptrdiff_t>(run.period), true));
}

/// Takes from each run what the one before it has, and drops those of which no two repeats are
/// left.
void
CutOverlaps(std::vector<RepeatedRun>& runs)
{
    std::ranges::sort(runs, {}, &RepeatedRun::begin);
    for (size_t i = 0; i + 1 < runs.size(); ++i)
    {
        // What is left over after the last whole repeat goes to the next run.
        const size_t whole = runs[i].begin + runs[i].Repeats() * runs[i].period;
        if (runs[i].End() > runs[i + 1].begin)
        {
            runs[i].length = std::max(whole, runs[i + 1].begin) - runs[i].begin;
            const size_t cut = runs[i].End() - std::min(runs[i].End(), runs[i + 1].begin);
            runs[i + 1].begin += cut;
            runs[i + 1].length -= std::min(cut, runs[i + 1].length);
        }
    }
    std::erase_if(runs, [](const RepeatedRun& run) { return run.Repeats() < 2; });
}

} // namespace

/// For each period the sequence is compared with itself, shifted by the period: m equal pairs in a
/// row are a run of m + period elements. Short periods come first, so that a run that repeats with
/// several multiples of a period is found with the period itself, and its multiples are held by it.
std::vector<RepeatedRun>
FindRepeatedRuns(const std::vector<TaskSignature>& sequence, size_t longestPeriod)
{
    std::vector<RepeatedRun> runs;
    RunCover found;
    for (size_t period = 1; period <= longestPeriod && 2 * period <= sequence.size(); ++period)
    {
        size_t matches = 0;
        const size_t last = sequence.size() - period;
        // The step with `at` = `last` compares nothing: it ends the run that reaches the end of the
        // sequence.
        for (size_t at = 0; at <= last; ++at)
        {
            if (at < last && sequence[at] == sequence[at + period])
            {
                ++matches;
                continue;
            }
            const size_t begin = at - matches;
            if (matches >= period && !found.Holds(begin, at + period))
            {
                runs.push_back({begin, matches + period, period});
                found.Add(begin, at + period);
            }
            matches = 0;
        }
    }
    return runs;
}

std::vector<RepeatedRun>
SelectLayerRuns(const std::vector<RepeatedRun>& runs, const std::vector<bool>& isKernel)
{
    std::vector<RepeatedRun> accepted;
    // Runs come by period, so runs of the lowest level are accepted before those that consist of
    // them.
    for (const RepeatedRun& run : runs)
    {
        if (CountKernels(run, isKernel) < 2 || 2 * CoveredBy(accepted, run) >= run.length)
        {
            continue;
        }
        // The accepted runs cover less than half of this one, so those within it are noise in its
        // layers. A run that only reaches into this one stays, and CutOverlaps parts the two.
        std::erase_if(accepted,
                      [&run](const RepeatedRun& inner)
                      { return 2 * Overlap(inner, run) > inner.length; });
        accepted.push_back(run);
    }
    CutOverlaps(accepted);
    return accepted;
}

} // namespace nadi
