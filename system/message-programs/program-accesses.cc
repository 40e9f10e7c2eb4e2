// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-accesses.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

ProgramAccesses::ProgramAccesses(const MessageProgram& program,
                                 const ProgramOrder& order,
                                 const ProgramContents& contents)
    : m_program(program)
    , m_order(order)
    , m_contents(contents)
    , m_places(size_t{program.Buffers().ranks} * program.Buffers().Places())
{
    CountChanges();
}

/// Reads of a place that nothing changes any more need not be kept.
void
ProgramAccesses::CountChanges()
{
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            for (const ProgramStep& step : m_program.StepsOf(rank, lane))
            {
                const bool changes = step.Receives() || step.IsLocal();
                for (uint32_t offset = 0; changes && offset < step.count; ++offset)
                {
                    uint8_t& count = PlaceAt(rank, step.place + offset).changes;
                    count = static_cast<uint8_t>(std::min(count + 1, 255));
                }
            }
        }
    }
}

ProgramAccesses::Kind
ProgramAccesses::ChangeBy(const ProgramStep& step)
{
    if (step.action == ProgramStep::Action::ReceiveReduce ||
        step.action == ProgramStep::Action::Reduce)
    {
        return Kind::Addition;
    }
    return step.Receives() ? Kind::Received : Kind::Copied;
}

std::optional<std::string>
ProgramAccesses::Apply(const ProgramStepId& id, const ProgramStep& step)
{
    const Kind change = ChangeBy(step);
    for (uint32_t offset = 0; offset < step.count; ++offset)
    {
        // A step that both reads and changes a place reads it first.
        std::optional<std::string> fault;
        if (step.Sends() || step.IsLocal())
        {
            fault = Use(id, (step.Sends() ? step.place : step.operand) + offset, Kind::Read);
        }
        if (!fault && (step.Receives() || step.IsLocal()))
        {
            fault = Use(id, step.place + offset, change);
        }
        if (fault)
        {
            return fault;
        }
    }
    return std::nullopt;
}

std::optional<std::string>
ProgramAccesses::Use(const ProgramStepId& id, uint32_t index, Kind kind)
{
    Place& place = PlaceAt(id.rank, index);
    // Reads need no order among themselves, nor do additions. So an access of the same kind joins
    // the last level, and is compared with the level before. An access that opens a new level is
    // compared with the last one.
    const bool joins = place.kind == kind && (kind == Kind::Read || kind == Kind::Addition);
    if (auto fault = Check(id, index, joins ? place.previous : place.current, kind))
    {
        return fault;
    }
    // 255 stands for 255 changes or more, so it is never counted down. Some reads are then kept in
    // vain.
    if (kind != Kind::Read)
    {
        place.changes = static_cast<uint8_t>(place.changes == 255 ? 255 : place.changes - 1);
    }
    else if (place.changes == 0)
    {
        return std::nullopt;
    }
    if (!joins)
    {
        Open(place, kind);
    }
    Enter(place, m_program.LaneAt(id.rank, id.lane).firstStep + id.step);
    return std::nullopt;
}

std::optional<std::string>
ProgramAccesses::Check(const ProgramStepId& id, uint32_t index, uint32_t level, Kind kind) const
{
    // A sum of all ranks that a message brings comes after the only step that sent this rank's
    // part. A sum that is copied may have been made here, of a part that is still to be sent.
    const std::optional<uint32_t> brought =
        kind == Kind::Received ? m_contents.OnlySendOfWhole(id.rank, index) : std::nullopt;
    for (uint32_t entry = level; entry != NONE; entry = m_entries[entry].next)
    {
        const ProgramStepId earlier = m_program.StepNumbered(id.rank, m_entries[entry].step);
        // A step that both reads and changes a place meets itself here.
        if (earlier != id && m_entries[entry].step != brought && !m_order.IsForced(earlier, id))
        {
            return fmt::format("it uses {}, as step {} of lane {} does, and nothing says which of "
                               "them comes first",
                               DescribePlace(m_program.Buffers(), index),
                               earlier.step,
                               earlier.lane);
        }
    }
    return std::nullopt;
}

/// Begins a level. Only the last two levels are ever compared with, so the older one is given back.
void
ProgramAccesses::Open(Place& place, Kind kind)
{
    Drop(place.previous);
    place.previous = place.current;
    place.current = NONE;
    place.kind = kind;
}

void
ProgramAccesses::Enter(Place& place, uint32_t step)
{
    // All lists share one array. Dropped entries are used again, so the array has as many entries
    // as were ever kept at a time.
    if (m_free == NONE)
    {
        m_free = static_cast<uint32_t>(m_entries.size());
        m_entries.push_back({.step = 0, .next = NONE});
    }
    const uint32_t entry = m_free;
    m_free = m_entries[entry].next;
    m_entries[entry] = {.step = step, .next = place.current};
    place.current = entry;
}

void
ProgramAccesses::Drop(uint32_t& level)
{
    while (level != NONE)
    {
        const uint32_t next = m_entries[level].next;
        m_entries[level].next = m_free;
        m_free = level;
        level = next;
    }
}

} // namespace nadi
