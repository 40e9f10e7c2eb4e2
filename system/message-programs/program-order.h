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
    /// that were visited between the two. Requires: both are of one rank, were visited, and are
    /// different, `first` earlier.
    bool IsForced(const ProgramStepId& first, const ProgramStepId& second) const;

    /// At how many steps all searches together have looked.
    uint64_t StepsSearched() const
    {
        return m_searched;
    }

  private:
    using LaneKey = std::pair<uint32_t, uint32_t>; // rank, lane

    bool IsWaitedFor(const ProgramStepId& first, const ProgramStepId& second) const;
    bool IsFoundFrom(const ProgramStepId& second, const ProgramStepId& first) const;
    uint32_t VisitOf(const ProgramStepId& id) const;
    const ProgramStep& StepAt(const ProgramStepId& id) const;

    const MessageProgram& m_program;
    const ProgramChannels& m_channels;
    std::vector<uint32_t> m_visits; // by number of the step
    uint32_t m_nextVisit = 0;
    mutable uint64_t m_searched = 0; // only counts what was asked
};

} // namespace nadi
