// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"
#include "system/message-programs/program-channels.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nadi
{

/// What the waits, lanes and messages of a program say of the order of its steps.
class ProgramOrder
{
  public:
    /// The references outlive it.
    ProgramOrder(const MessageProgram& program, const ProgramChannels& channels);

    /// Says that a step was visited; to be called for each one, in an order that the program
    /// allows.
    void Add(const ProgramStepId& id);

    /// Whether `second` begins after `first` is complete, whatever the times of messages. Most
    /// orders are those of a wait or a lane, and cost nothing; others cost a search among the steps
    /// that were visited between the two: of their rank, and where these do not tell, of all.
    /// Requires: both are of one rank, were visited, and are
    /// different, `first` earlier.
    bool IsForced(const ProgramStepId& first, const ProgramStepId& second) const;

    /// At how many steps all searches together have looked.
    uint64_t StepsSearched() const
    {
        return m_searched;
    }

  private:
    using LaneKey = std::pair<uint32_t, uint32_t>; // rank, lane

    /// What comes before a step by the lanes and waits of its rank.
    struct RankSearch
    {
        ProgramStepId from;
        uint32_t earliest = UINT32_MAX; ///< the visit at which the search stopped
        /// By lane: how many of its steps come before, of those visited since.
        std::vector<uint32_t> known;
        std::vector<uint32_t> lanes; ///< of which any do
    };

    bool IsWaitedFor(const ProgramStepId& first, const ProgramStepId& second) const;
    bool IsFoundInRank(const ProgramStepId& second, const ProgramStepId& first) const;
    void SearchRank(const ProgramStepId& second, uint32_t earliest) const;
    bool IsFoundFrom(const ProgramStepId& second, const ProgramStepId& first) const;
    uint32_t VisitOf(const ProgramStepId& id) const;
    const ProgramStep& StepAt(const ProgramStepId& id) const;

    const MessageProgram& m_program;
    const ProgramChannels& m_channels;
    std::vector<uint32_t> m_visits; // by number of the step
    uint32_t m_nextVisit = 0;
    mutable RankSearch m_search;     // the last one: the next question is often of the same step
    mutable uint64_t m_searched = 0; // only counts what was asked
};

} // namespace nadi
