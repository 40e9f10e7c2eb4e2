// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-proof.h"

#include "common/check.h"
#include "system/message-programs/program-accesses.h"
#include "system/message-programs/program-channels.h"
#include "system/message-programs/program-contents.h"
#include "system/message-programs/program-order.h"
#include "system/message-programs/program-walk.h"

namespace nadi
{

namespace
{

// The proof runs the program once, with numbers of chunks and sets of ranks in the place of data,
// in one order that it allows. That is enough for all orders: wherever the order of two steps could
// change what a place holds, ProgramAccesses demands that lanes, waits and messages force it. So
// every run reads and writes the same. The cost is a look at each step and chunk, and the searches
// of ProgramOrder.

class ProofVisitor : public ProgramWalk::Visitor
{
  public:
    ProofVisitor(const MessageProgram& program, const ProgramChannels& channels)
        : m_order(program, channels)
        , m_contents(program, channels)
        , m_accesses(program, m_order, m_contents)
    {
    }

    std::optional<std::string> OnStep(const ProgramStepId& id, const ProgramStep& step) override
    {
        ++m_visited;
        // The order of these calls matters: `m_accesses` asks `m_order` about this step, and asks
        // `m_contents` what its places hold after it.
        m_order.Add(id);
        if (auto fault = m_contents.Apply(id, step))
        {
            return fault;
        }
        return m_accesses.Apply(id, step);
    }

    const ProgramContents& Contents() const
    {
        return m_contents;
    }

    ProofEffort Effort() const
    {
        return {.visited = m_visited, .searched = m_order.StepsSearched()};
    }

  private:
    uint64_t m_visited = 0;
    ProgramOrder m_order;
    ProgramContents m_contents;
    ProgramAccesses m_accesses;
};

/// Accepts every step: only the walk itself looks for faults.
class LookAway : public ProgramWalk::Visitor
{
  public:
    std::optional<std::string> OnStep(const ProgramStepId& /*id*/,
                                      const ProgramStep& /*step*/) override
    {
        return std::nullopt;
    }
};

/// Where a wrong end is told, since no single step is to blame. A rank without steps is named by
/// its lane 0.
ProgramStepId
LastStepOf(const MessageProgram& program, uint32_t rank)
{
    for (uint32_t lane = program.LaneCount(rank); lane > 0; --lane)
    {
        const auto steps = program.StepsOf(rank, lane - 1);
        if (!steps.empty())
        {
            return {rank, lane - 1, static_cast<uint32_t>(steps.size()) - 1};
        }
    }
    return {.rank = rank};
}

} // namespace

std::optional<ProgramFault>
FindProgramFault(const MessageProgram& program, ProofEffort* effort)
{
    NADI_CHECK(!program.HasSizes());
    const ProgramChannels channels(program);
    // The walk follows each message to its sender, so ways without a second end must be refused
    // first.
    if (auto fault = channels.FindFault())
    {
        return fault;
    }
    ProofVisitor proof(program, channels);
    auto fault = ProgramWalk(program, channels).Run(proof);
    if (effort != nullptr)
    {
        effort->visited += proof.Effort().visited;
        effort->searched += proof.Effort().searched;
    }
    if (fault)
    {
        return fault;
    }
    if (auto broken = proof.Contents().FindBrokenPromise())
    {
        return ProgramFault{.where = LastStepOf(program, broken->first),
                            .what = std::move(broken->second)};
    }
    return std::nullopt;
}

std::optional<ProgramFault>
FindOrderFault(const MessageProgram& program)
{
    const ProgramChannels channels(program);
    if (auto fault = channels.FindFault())
    {
        return fault;
    }
    LookAway visitor;
    return ProgramWalk(program, channels).Run(visitor);
}

} // namespace nadi
