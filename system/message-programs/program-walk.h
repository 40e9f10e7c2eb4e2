// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"
#include "system/message-programs/program-channels.h"
#include "system/message-programs/program-proof.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Goes through the steps of a program in an order that it allows: a step after the one before it
/// in its lane, after the one that it waits for, and after the one that sends what it receives.
class ProgramWalk
{
  public:
    class Visitor
    {
      public:
        virtual ~Visitor() = default;
        /// What is wrong with the step, or nothing.
        virtual std::optional<std::string> OnStep(const ProgramStepId& id,
                                                  const ProgramStep& step) = 0;
    };

    /// The references outlive it. Requires: `channels` have no fault.
    ProgramWalk(const MessageProgram& program, const ProgramChannels& channels);

    /// To the first fault, or the end. That steps wait for each other in a circle is a fault. The
    /// order is a function of the program. To be called once.
    std::optional<ProgramFault> Run(Visitor& visitor);

  private:
    /// A lane that waits until another one has made so many steps.
    struct Waiter
    {
        ProgramLaneId lane;
        uint32_t step;
    };

    uint32_t NumberOf(ProgramLaneId lane) const
    {
        return m_program.LaneNumber(lane.rank, lane.lane);
    }

    std::optional<ProgramFault> RunLane(ProgramLaneId lane, Visitor& visitor);
    /// What the step waits for, if that is not complete.
    std::optional<ProgramStepId> FindMissing(ProgramLaneId lane, const ProgramStep& step) const;
    void WakeWaiters(ProgramLaneId lane);
    std::optional<ProgramFault> FindCircle() const;
    ProgramStepId NextOf(ProgramLaneId lane) const;
    ProgramStepId MissingAt(const ProgramStepId& id) const;

    const MessageProgram& m_program;
    const ProgramChannels& m_channels;
    std::vector<uint32_t> m_next;               // step of each lane
    std::vector<std::vector<Waiter>> m_waiters; // by the lane that they wait for
    std::vector<ProgramLaneId> m_ready;         // the last one goes on first
};

} // namespace nadi
