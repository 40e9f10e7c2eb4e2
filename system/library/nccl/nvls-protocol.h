// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "system/library/nccl/costed-protocol.h"

#include <algorithm>
#include <map>

namespace nadi::nccl
{

/// Until when the data of NVLS keep the port of each NPU into its node busy. All calls of a run
/// share it: without messages, no link of the network would make them wait for each other.
class NvlsPorts
{
  public:
    /// Takes the port of an NPU for so long, once it is free: when that begins, `begin` or later.
    /// Requires: in the order of time.
    SimTime Take(VertexId npu, SimTime begin, SimTime busy)
    {
        SimTime& freeAt = m_freeAt[npu];
        const SimTime turn = std::max(begin, freeAt);
        freeAt = turn + busy;
        return turn;
    }

  private:
    std::map<VertexId, SimTime> m_freeAt;
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
        const SimTime begin = isTurn ? m_ports.Take(task.at, task.begin, m_times.data) : task.begin;
        return begin + LocalTime(task.action, task.size);
    }

  private:
    NvlsTimes m_times;
    NvlsPorts& m_ports;
};

} // namespace nadi::nccl
