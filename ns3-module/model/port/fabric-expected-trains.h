// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_EXPECTED_TRAINS_H
#define FABRIC_EXPECTED_TRAINS_H

#include "fabric-train.h"

#include "ns3/fabric-ring-buffer.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// The trains on their way to one output port: what will arrive there without any event. The port
/// asks for the next arrival, takes the frame in and calls Advance, as often as it settles.
///
/// Holds: ordered by the arrival of the next frame; no train is empty. Arrivals of one instant may
/// come in any order here: FabricFrameQueue::Insert orders them by ingress.
class FabricExpectedTrains
{
  public:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /// One frame per picosecond. Frames take at least 1 ps, so 2^16 trains at once do not overflow.
    static constexpr uint64_t RATE_ONE = uint64_t{1} << 48;

    bool IsEmpty() const
    {
        return m_trains.IsEmpty();
    }

    std::size_t GetSize() const
    {
        return m_trains.GetSize();
    }

    /// When the next frame arrives; NEVER: none is expected.
    int64_t FindNext() const
    {
        return m_trains.IsEmpty() ? NEVER : m_trains.Front().arrival;
    }

    /// The train whose frame arrives next; null: none is expected.
    const FabricTrain* FindFirst() const
    {
        return m_trains.IsEmpty() ? nullptr : &m_trains.Front();
    }

    /// The first of those whose frames do not end unseen at the next node; null: there is none.
    const FabricTrain* FindSeen() const;

    /// The train whose frame arrives next. Requires: not empty.
    const FabricTrain& Front() const
    {
        return m_trains.Front();
    }

    /// Requires: the train is not empty.
    void Add(const FabricTrain& train);

    /// How many frames arrive per picosecond in the long run, times RATE_ONE, rounded up.
    uint64_t GetRate() const
    {
        return m_rate;
    }

    /// All of them, which are expected no longer.
    std::vector<FabricTrain> TakeAll();

    /// The next `count` frames of Front() have arrived.
    /// Requires: Front() has as many; no other train has an earlier one.
    void Advance(uint64_t count);

    /// The frames of `flow` from number `end` on will not come as foretold by way of `ingress`.
    void Cut(uint32_t ingress, uint32_t flow, uint64_t end);

  private:
    static uint64_t ComputeRate(const FabricTrain& train);
    void Insert(const FabricTrain& train);

    FabricRingBuffer<FabricTrain> m_trains;
    uint64_t m_rate = 0;
};

} // namespace ns3

#endif /* FABRIC_EXPECTED_TRAINS_H */
