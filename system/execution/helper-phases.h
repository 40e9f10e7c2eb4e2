// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/slot-pool.h"
#include "system/execution/phase-executor.h"
#include "system/execution/plan-cache.h"

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace nadi
{

/// The phases of the switches that help a collective.
///
/// A switch reacts: it begins a phase of a line as soon as one of its ranks does, and neither the
/// order of phases nor the chunks in flight hold it back. So whatever a rank has begun, the
/// switches serve (docs/semantics.md).
///
/// Holds: memory is proportional to the phases that some rank of their line has begun, but not all,
/// or that a switch has not ended.
class HelperPhases : private PhaseOwner
{
  public:
    /// A phase that a switch has not ended.
    struct Active
    {
        VertexId at;
        uint32_t chunk = 0;
        uint32_t phase = 0;
        PhaseTicket ticket = 0;
    };

    /// The references outlive it.
    HelperPhases(PhaseExecutor& executor, PlanCache& plans, const Protocol& protocol)
        : m_executor(executor)
        , m_plans(plans)
        , m_protocol(protocol)
    {
    }

    /// A rank is about to begin a phase. If it is the first of its line, the switches begin it;
    /// `acquirePlan` then gives them the plan of the task.
    void Join(const PhaseTask& task, const std::function<PlanCache::Entry&()>& acquirePlan);

    /// Whether all ranks have begun what some have, and the switches have ended it.
    bool AreDone() const
    {
        return m_places.empty();
    }

    /// By (chunk, phase, line, helper).
    std::vector<Active> FindActive() const;

    /// Payload that the switches have sent.
    double SentBytes() const
    {
        return m_sentBytes;
    }

  private:
    /// (chunk, phase, first member of the line).
    using Place = std::tuple<uint32_t, uint32_t, uint32_t>;

    /// The phase of a switch under way.
    struct Running
    {
        VertexId at;
        PhaseTicket ticket = 0;
    };

    /// A phase of a line.
    struct Line
    {
        Place place;
        PlanCache::Entry* plan = nullptr;
        uint32_t ranks = 0; ///< that have not begun it
        std::vector<Running> running;
    };

    void OnPhaseCompleted(uint32_t line, PhaseTicket ticket) override;
    void Start(uint32_t line, const PhaseTask& task);
    void FreeIfDone(uint32_t line);

    PhaseExecutor& m_executor;
    PlanCache& m_plans;
    const Protocol& m_protocol;
    SlotPool<Line> m_lines;
    std::map<Place, uint32_t> m_places; // in m_lines
    double m_sentBytes = 0;
};

} // namespace nadi
