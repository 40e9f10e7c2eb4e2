// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "system/library/nccl/costed-protocol.h"

#include <cstdint>
#include <map>

namespace nadi::nccl
{

/// Until when the data of NVLS keep the port of each NPU into its node busy. All calls of a run
/// share it: without messages, no link of the network would make them wait for each other.
///
/// A turn needs the ports of all members, since the switch adds what all of them bring. So it
/// begins when the last of these ports is free, and then takes them all.
class NvlsPorts
{
  public:
    /// When the next turn of the task's call begins, which keeps the ports busy for so long: when
    /// the task begins or later. All members get the same answer.
    /// Requires: in the order of time; all members ask for a turn before one asks for the next.
    SimTime Take(const LocalTask& task, SimTime busy);

  private:
    /// Of a call, the turn that some of its members have asked for.
    struct Turn
    {
        SimTime begin;
        uint32_t asked = 0; ///< so many members
    };

    SimTime FindFree(const CommunicatorLayout& members) const;

    std::map<VertexId, SimTime> m_freeAt;
    std::map<StreamId, Turn> m_turns;
};

/// What a member of NVLS does without messages, beginning to end: the pipeline fills, then data
/// move in some equal turns.
struct NvlsTimes
{
    SimTime fill; ///< whatever else goes on
    SimTime turn; ///< from its begin to its end
    SimTime data; ///< of a turn: for so long it keeps the port busy; at most `turn`
};

/// The costs of NVLS without messages. The plan's copies are the filling, its reductions the turns.
class NvlsProtocol : public CostedProtocol
{
  public:
    /// `seats` and `ports` outlive it.
    NvlsProtocol(const KernelCosts& costs,
                 const NvlsTimes& times,
                 const NodeSeats& seats,
                 double payloadShare,
                 NvlsPorts& ports)
        : CostedProtocol(costs, seats, payloadShare)
        , m_times(times)
        , m_ports(ports)
    {
    }

    SimTime LocalTime(PlanStep::Action action, Bytes /*size*/) const override
    {
        return action == PlanStep::Action::Reduce ? m_times.turn : m_times.fill;
    }

    SimTime EndOfLocalWork(const LocalTask& task) const override
    {
        const bool isTurn = task.action == PlanStep::Action::Reduce;
        const SimTime begin = isTurn ? m_ports.Take(task, m_times.data) : task.begin;
        return begin + LocalTime(task.action, task.size);
    }

  private:
    NvlsTimes m_times;
    NvlsPorts& m_ports;
};

} // namespace nadi::nccl
