// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/attempts.h"
#include "system/synthesis/group-routes.h"
#include "system/synthesis/synthesis.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace nadi::synthesis
{

/// Whether one / other > part / whole. It is worked in 128 bits: times of three hours pass 64 bits
/// when they are multiplied by a thousand.
inline bool
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
    /// When a program ends, frame by frame, or nothing.
    using Forecast = std::function<std::optional<SimTime>(const MessageProgram&)>;

    /// Requires: both outlive it.
    AttemptSearch(const GroupRoutes& routes, const SynthesisRequest& request);

    void Run();

    /// The best attempt; of those that come near to it, the one that ends first frame by frame.
    /// Requires: Run has ended. Once only.
    SynthesisResult Write(const Forecast& forecast);

  private:
    /// An attempt that may be looked at again.
    struct Kept
    {
        Attempt attempt;
        AttemptRule rule = AttemptRule::Plain;
        size_t candidate = 0;
        size_t place = 0; ///< among those of its rule, by their times
    };

    /// What became of a rule.
    struct Progress
    {
        std::optional<SimTime> least;
        uint32_t attempts = 0;
        uint32_t failures = 0;
    };

    std::vector<AttemptChoice> ListChoices() const;
    bool IsPromising(const AttemptChoice& choice);
    bool IsNearBound() const;
    void Try(const AttemptChoice& choice);
    void Note(AttemptRule rule, SimTime time);
    std::vector<Kept> TakeNearest();
    MessageProgram WriteAttempt(const Attempt& attempt) const;

    const GroupRoutes& m_routes;
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

} // namespace nadi::synthesis
