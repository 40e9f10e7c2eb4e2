// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-plan.h"

#include "common/check.h"

namespace nadi
{

ProgramPlan::ProgramPlan(const MessageProgram& program, uint64_t elements, uint32_t elementBytes)
    : m_program(program)
    , m_elements(elements)
    , m_elementBytes(elementBytes)
    // The pitch is rounded up: scratch may hold any chunk, so each place is as long as the longest.
    , m_pitch((elements + program.Buffers().chunks - 1) / program.Buffers().chunks)
{
}

uint32_t
ProgramPlan::LaneCount(uint32_t rank, uint32_t /*stage*/) const
{
    return m_program.LaneCount(rank);
}

uint32_t
ProgramPlan::StepCount(uint32_t rank, uint32_t /*stage*/, uint32_t lane) const
{
    return static_cast<uint32_t>(m_program.StepsOf(rank, lane).size());
}

PlanStep
ProgramPlan::StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const
{
    const ProgramLane& of = m_program.LaneAt(rank, lane);
    const ProgramStep& stored = m_program.StepsOf(rank, lane)[step];
    PlanStep planned;
    if (stored.after != ProgramStep::NONE)
    {
        const ProgramStepId after = m_program.StepNumbered(rank, stored.after);
        planned.after = LaneStep{.lane = after.lane, .step = after.step};
    }
    const uint32_t number = of.firstStep + step;
    switch (stored.action)
    {
    case ProgramStep::Action::SendAndWait:
        planned.awaitsDelivery = true;
        [[fallthrough]];
    case ProgramStep::Action::Send:
        planned.send = TransferOf(of, stored, of.sendPeer, MessageRange(rank, number, stored));
        break;
    case ProgramStep::Action::ReceiveReduce:
        planned.action = PlanStep::Action::Reduce;
        [[fallthrough]];
    case ProgramStep::Action::Receive:
        planned.receive =
            TransferOf(of, stored, of.receivePeer, MessageRange(rank, number, stored));
        break;
    case ProgramStep::Action::Reduce:
        planned.action = PlanStep::Action::Reduce;
        [[fallthrough]];
    case ProgramStep::Action::Copy:
    {
        // After the step both places hold the same chunk, so both ranges have its length.
        const uint32_t chunk = m_program.ChunkOf(rank, number);
        planned.local = LocalWork{.from = RangeOf(stored.operand, chunk, stored.count),
                                  .into = RangeOf(stored.place, chunk, stored.count)};
        break;
    }
    case ProgramStep::Action::Work:
        planned.local = LocalWork{.lasts = SimTime::FromNs(stored.operand)};
        break;
    case ProgramStep::Action::Nothing:
        break;
    }
    return planned;
}

uint64_t
ProgramPlan::ScratchElements() const
{
    const ProgramBuffers& buffers = m_program.Buffers();
    return m_pitch * (buffers.Places() - buffers.chunks);
}

std::vector<Interval>
ProgramPlan::OwnedRanges(uint32_t rank) const
{
    return {PartOf({0, m_elements}, rank, m_program.Buffers().ranks)};
}

Transfer
ProgramPlan::TransferOf(const ProgramLane& lane,
                        const ProgramStep& step,
                        uint32_t peer,
                        const Interval& range) const
{
    // The tag is the number of the message. Channel and tag are the same at both ends, while the
    // index of the lane may differ.
    return {.peer = peer, .tag = step.operand, .channel = lane.channel, .range = range};
}

/// A size that holds no whole elements is rounded up.
Interval
ProgramPlan::MessageRange(uint32_t rank, uint32_t number, const ProgramStep& step) const
{
    if (m_program.HasSizes())
    {
        return {0, (m_program.SizeOf(rank, number) + m_elementBytes - 1) / m_elementBytes};
    }
    return RangeOf(step.place, m_program.ChunkOf(rank, number), step.count);
}

Interval
ProgramPlan::RangeOf(uint32_t place, uint32_t chunk, uint32_t count) const
{
    const uint64_t begin = BeginOf(place);
    return {begin, begin + LengthOf(chunk, count)};
}

/// Of `count` chunks in a row from `chunk`; after the last comes the first.
/// A message of scratch needs that: its chunks may be any, so more of them than follow the first
/// one.
uint64_t
ProgramPlan::LengthOf(uint32_t chunk, uint32_t count) const
{
    const uint32_t chunks = m_program.Buffers().chunks;
    const auto boundAt = [&](uint32_t index) {
        return index == chunks ? m_elements : PartOf({0, m_elements}, index, chunks).begin;
    };
    const uint64_t end = uint64_t{chunk} + count;
    const uint64_t turns = end / chunks;
    return turns * m_elements + boundAt(static_cast<uint32_t>(end % chunks)) - boundAt(chunk);
}

/// In the buffer a place lies where its chunk does. Beyond, places are a pitch apart, so that no
/// chunk reaches into the next place.
uint64_t
ProgramPlan::BeginOf(uint32_t place) const
{
    const uint32_t chunks = m_program.Buffers().chunks;
    return place < chunks ? PartOf({0, m_elements}, place, chunks).begin
                          : m_elements + uint64_t{place - chunks} * m_pitch;
}

} // namespace nadi
