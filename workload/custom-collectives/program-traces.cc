// SPDX-License-Identifier: GPL-2.0-only
#include "workload/custom-collectives/program-traces.h"

#include "system/message-programs/program-plan.h"
#include "workload/execution-graph-builder.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace nadi
{

namespace
{

/// Node ids that a step waits for, and what comes after it waits for too.
using Waits = std::vector<uint64_t>;

/// Writes the trace of one rank. EndsOf and BeforeOf follow a step back, past plain sends, to the
/// nodes whose ends it waits for. Their answers are kept, so each step is followed once.
class RankTrace
{
  public:
    RankTrace(const MessageProgram& program,
              const ProgramPlan& plan,
              uint32_t rank,
              const std::optional<Bandwidth>& reductionBandwidth)
        : m_program(program)
        , m_plan(plan)
        , m_rank(rank)
        , m_reductionBandwidth(reductionBandwidth)
        , m_builder("rank " + std::to_string(rank))
    {
        NumberSteps();
        for (uint32_t lane = 0; lane < program.LaneCount(rank); ++lane)
        {
            AddLane(lane);
        }
    }

    ExecutionGraph Build()
    {
        return m_builder.Build();
    }

  private:
    /// Of step n; what is reduced after a receive has the next one.
    static uint64_t IdOf(uint32_t number)
    {
        return uint64_t{number} * 2 + 1;
    }

    /// Notes which lane each step is of, for Join.
    void NumberSteps()
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(m_rank); ++lane)
        {
            const uint32_t first = m_program.LaneAt(m_rank, lane).firstStep;
            const auto steps = m_program.StepsOf(m_rank, lane);
            for (uint32_t step = 0; step < steps.size(); ++step)
            {
                m_lane[first + step] = lane;
            }
        }
    }

    /// Whether the step ends with its node. A plain send ends before its node does, and a step that
    /// only waits has no node.
    bool EndsAsNode(const ProgramStep& step) const
    {
        return step.Receives() || step.IsLocal() || step.action == ProgramStep::Action::Work ||
               step.action == ProgramStep::Action::SendAndWait;
    }

    /// All nodes that are done once the step is complete, the last of each chain only.
    Waits EndsOf(uint32_t number)
    {
        const auto known = m_ends.find(number);
        if (known != m_ends.end())
        {
            return known->second;
        }
        const ProgramStepId id = m_program.StepNumbered(m_rank, number);
        const ProgramStep& step = m_program.StepsOf(m_rank, id.lane)[id.step];
        Waits ends;
        if (EndsAsNode(step))
        {
            ends = {IdOf(number) + (IsReduced(step) ? 1 : 0)};
        }
        else
        {
            // A plain send goes on once it is posted, while a node that depends on it would wait
            // for its delivery. So what comes after the send waits for what the send waits for.
            ends = BeforeOf(number, id, step);
        }
        return m_ends.emplace(number, std::move(ends)).first->second;
    }

    /// All nodes that must be done before the step begins.
    Waits BeforeOf(uint32_t number, const ProgramStepId& id, const ProgramStep& step)
    {
        Waits before;
        if (id.step > 0)
        {
            before = EndsOf(number - 1);
        }
        if (step.after != ProgramStep::NONE)
        {
            for (const uint64_t end : EndsOf(step.after))
            {
                Join(before, end);
            }
        }
        return before;
    }

    /// Of a lane the latest node is enough, where all its steps end as nodes.
    void Join(Waits& waits, uint64_t end) const
    {
        // Both ids of a step (IdOf) lead back to its number in this way.
        const uint32_t lane = m_lane.at(static_cast<uint32_t>((end - 1) / 2));
        for (uint64_t& other : waits)
        {
            if (m_lane.at(static_cast<uint32_t>((other - 1) / 2)) == lane)
            {
                other = std::max(other, end);
                return;
            }
        }
        waits.push_back(end);
    }

    bool IsReduced(const ProgramStep& step) const
    {
        return m_reductionBandwidth && step.action == ProgramStep::Action::ReceiveReduce;
    }

    void AddLane(uint32_t lane)
    {
        const ProgramLane& of = m_program.LaneAt(m_rank, lane);
        const auto steps = m_program.StepsOf(m_rank, lane);
        for (uint32_t index = 0; index < steps.size(); ++index)
        {
            const uint32_t number = of.firstStep + index;
            const Waits before = BeforeOf(number, {m_rank, lane, index}, steps[index]);
            AddStep(of, steps[index], number, lane, index, before);
        }
    }

    void AddStep(const ProgramLane& of,
                 const ProgramStep& step,
                 uint32_t number,
                 uint32_t lane,
                 uint32_t index,
                 const Waits& before)
    {
        const PlanStep planned = m_plan.StepAt(m_rank, 0, lane, index);
        ExecutionNode node{.id = IdOf(number), .tag = of.channel};
        if (step.Sends())
        {
            node.type = NodeType::Send;
            node.peer = of.sendPeer;
            node.size = planned.send->range.Length();
        }
        else if (step.Receives())
        {
            node.type = NodeType::Receive;
            node.peer = of.receivePeer;
            node.size = planned.receive->range.Length();
        }
        else if (step.IsLocal() || step.action == ProgramStep::Action::Work)
        {
            node.type = NodeType::Compute;
            node.durationPs = WorkTime(step, *planned.local).Ps();
        }
        else
        {
            return; // whatever waits for it waits for what it waits for
        }
        m_builder.AddNode(node, "", before);
        if (IsReduced(step))
        {
            const SimTime takes = Bytes(static_cast<int64_t>(node.size)) / *m_reductionBandwidth;
            m_builder.AddNode({.id = node.id + 1,
                               // Traces hold whole nanoseconds.
                               .durationPs = takes.Ps() / 1000 * 1000,
                               .type = NodeType::Compute},
                              "",
                              {node.id});
        }
    }

    SimTime WorkTime(const ProgramStep& step, const LocalWork& work) const
    {
        if (work.lasts)
        {
            return *work.lasts;
        }
        const bool takesTime = step.action == ProgramStep::Action::Reduce && m_reductionBandwidth;
        const Bytes size(static_cast<int64_t>(work.into.Length()));
        // Traces hold whole nanoseconds.
        return takesTime ? SimTime::FromNs((size / *m_reductionBandwidth).Ps() / 1000) : SimTime();
    }

    const MessageProgram& m_program;
    const ProgramPlan& m_plan;
    uint32_t m_rank;
    std::optional<Bandwidth> m_reductionBandwidth;
    ExecutionGraphBuilder m_builder;
    std::map<uint32_t, uint32_t> m_lane; // by number of the step
    std::map<uint32_t, Waits> m_ends;    // likewise
};

} // namespace

std::vector<ExecutionGraph>
MakeProgramTraces(const MessageProgram& program,
                  Bytes size,
                  const std::optional<Bandwidth>& reductionBandwidth)
{
    const ProgramPlan plan(program, static_cast<uint64_t>(size.Count()));
    std::vector<ExecutionGraph> graphs;
    for (uint32_t rank = 0; rank < program.Buffers().ranks; ++rank)
    {
        graphs.push_back(RankTrace(program, plan, rank, reductionBandwidth).Build());
    }
    return graphs;
}

} // namespace nadi
