// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/program-writer.h"

#include "common/check.h"
#include "system/message-programs/program-builder.h"
#include "system/synthesis/travel-places.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace nadi::synthesis
{

namespace
{

using Action = ProgramStep::Action;

/// Writes a program rank by rank.
class Writer
{
  public:
    Writer(const RouteModel& model,
           const Schedule& schedule,
           const TransferWaits& waits,
           const ProgramBuffers& buffers)
        : m_model(model)
        , m_schedule(schedule)
        , m_waits(waits)
        , m_places(model, schedule, buffers)
        , m_buffers(m_places.Buffers())
    {
        ListByWay();
        NumberReceives();
    }

    MessageProgram Write()
    {
        ProgramBuilder builder(m_buffers, CountSteps());
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            builder.BeginRank();
            for (const uint32_t way : SortedWays(m_model.WaysTo(rank), &Way::from))
            {
                WriteReceives(builder, way);
            }
            for (const uint32_t way : SendingWays(rank))
            {
                WriteSends(builder, way);
            }
            WriteOwn(builder, rank);
        }
        return std::move(builder).Finish();
    }

  private:
    /// Sorts the schedule by ways into two flat arrays, since schedules may have tens of millions
    /// of messages. m_firstOfWay first has the ends of the ways' parts of m_ofWay; filling the
    /// parts backwards turns each end into a begin.
    void ListByWay()
    {
        m_firstOfWay.assign(m_model.WayCount() + 1, 0);
        for (const Transfer& transfer : m_schedule)
        {
            ++m_firstOfWay[transfer.way];
        }
        uint32_t sum = 0;
        for (uint32_t& first : m_firstOfWay)
        {
            first = sum += first;
        }
        m_ofWay.resize(m_schedule.size());
        for (auto index = static_cast<uint32_t>(m_schedule.size()); index-- > 0;)
        {
            m_ofWay[--m_firstOfWay[m_schedule[index].way]] = index;
        }
    }

    /// Receives come before sends, so that their numbers do not depend on how often sends wait.
    void NumberReceives()
    {
        m_receiveNumbers.resize(m_schedule.size());
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            uint32_t number = 0;
            for (const uint32_t way : SortedWays(m_model.WaysTo(rank), &Way::from))
            {
                for (uint32_t at = m_firstOfWay[way]; at < m_firstOfWay[way + 1]; ++at)
                {
                    m_receiveNumbers[m_ofWay[at]] = number++;
                }
            }
        }
    }

    /// Those that carry something, by the rank at the other end.
    std::vector<uint32_t> SortedWays(std::span<const uint32_t> ways, uint32_t Way::*peer) const
    {
        std::vector<uint32_t> sorted;
        std::copy_if(ways.begin(),
                     ways.end(),
                     std::back_inserter(sorted),
                     [&](uint32_t way) { return m_firstOfWay[way] < m_firstOfWay[way + 1]; });
        std::sort(sorted.begin(),
                  sorted.end(),
                  [&](uint32_t one, uint32_t other)
                  { return m_model.At(one).*peer < m_model.At(other).*peer; });
        return sorted;
    }

    /// In the order in which the rank first sends over them. In an all-to-all everything may start
    /// at once, so each rank begins with the rank after it: no two of them begin with one receiver.
    std::vector<uint32_t> SendingWays(uint32_t rank) const
    {
        std::vector<uint32_t> ways = SortedWays(m_model.WaysFrom(rank), &Way::to);
        if (m_buffers.type == CollectiveType::AllToAll)
        {
            const auto next =
                std::ranges::find_if(ways, [&](uint32_t way) { return m_model.At(way).to > rank; });
            std::rotate(ways.begin(), next, ways.end());
        }
        return ways;
    }

    /// A message is a receive and a send, and each wait of the send beyond the first one is a step.
    /// The count is exact, so that the builder never moves its steps.
    size_t CountSteps() const
    {
        size_t steps = m_places.HasOwn() ? m_buffers.ranks : 0;
        for (uint32_t index = 0; index < m_schedule.size(); ++index)
        {
            size_t waits = 0;
            m_waits.ForEach(index, [&](uint32_t) { ++waits; });
            steps += 1 + std::max<size_t>(waits, 1);
        }
        return steps;
    }

    void WriteReceives(ProgramBuilder& builder, uint32_t way) const
    {
        builder.BeginLane({.receivePeer = m_model.At(way).from});
        for (uint32_t at = m_firstOfWay[way]; at < m_firstOfWay[way + 1]; ++at)
        {
            const uint32_t index = m_ofWay[at];
            NADI_CHECK(builder.NextStep() == m_receiveNumbers[index]);
            const bool reduces = m_schedule[index].reduces;
            builder.Add({.place = m_places.Received(index),
                         .count = 1,
                         .action = reduces ? Action::ReceiveReduce : Action::Receive},
                        m_places.ChunkOf(index));
        }
    }

    void WriteSends(ProgramBuilder& builder, uint32_t way) const
    {
        builder.BeginLane({.sendPeer = m_model.At(way).to});
        std::vector<uint32_t> waits;
        for (uint32_t at = m_firstOfWay[way]; at < m_firstOfWay[way + 1]; ++at)
        {
            const uint32_t index = m_ofWay[at];
            waits.clear();
            m_waits.ForEach(index, [&](uint32_t wait) { waits.push_back(m_receiveNumbers[wait]); });
            // A step has room for one wait. The other waits are steps of their own that do nothing
            // else, the wait for the earliest message first.
            for (size_t more = waits.size(); more > 1; --more)
            {
                builder.Add({.action = Action::Nothing, .after = waits[more - 1]});
            }
            builder.Add({.place = m_places.Sent(index),
                         .count = 1,
                         .action = Action::Send,
                         .after = waits.empty() ? ProgramStep::NONE : waits.front()},
                        m_places.ChunkOf(index));
        }
    }

    /// What a rank of an all-to-all sends itself.
    void WriteOwn(ProgramBuilder& builder, uint32_t rank) const
    {
        if (m_places.HasOwn())
        {
            // In the input of a rank, the part for the rank itself is at its own number. In the
            // result this part is at the same number, as the part that came from the rank.
            const uint32_t shard = m_buffers.ChunksOfShard();
            builder.BeginLane({});
            builder.Add({.place = rank * shard,
                         .count = shard & 0xff'ffffU,
                         .action = Action::Copy,
                         .operand = m_buffers.InputBegin() + rank * shard});
        }
    }

    const RouteModel& m_model;
    const Schedule& m_schedule;
    const TransferWaits& m_waits;
    TravelPlaces m_places;
    const ProgramBuffers& m_buffers;
    std::vector<uint32_t> m_firstOfWay; // by way, and one more: in m_ofWay
    std::vector<uint32_t> m_ofWay;
    std::vector<uint32_t> m_receiveNumbers; // by transfer: of its receive, among the rank's steps
};

} // namespace

MessageProgram
WriteProgram(const RouteModel& model,
             const Schedule& schedule,
             const TransferWaits& waits,
             ProgramBuffers buffers)
{
    return Writer(model, schedule, waits, buffers).Write();
}

} // namespace nadi::synthesis
