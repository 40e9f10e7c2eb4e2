// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SCHEDULER_H
#define FABRIC_SCHEDULER_H

#include "ns3/scheduler.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// An event list for long runs: a 4-ary heap in an array, which allocates nothing once it has
/// reached its working size.
///
/// Order: by time; events of one time in the order of their insertion, counted here in 64 bits,
/// since ns-3's own event numbers are 32 bits wide and wrap after minutes.
///
/// With ScrambleSeed set, the events of one instant that were inserted before it began run in an
/// order that is a function of the seed and their place of insertion; those inserted while it lasts
/// (with zero delay) come after them, in order of insertion. A model whose results change has an
/// outcome that depends on the order of execution.
///
/// Insert and RemoveNext take logarithmic time, Remove linear time.
class FabricScheduler : public Scheduler
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricScheduler();
    ~FabricScheduler() override;

    void Insert(const Event& event) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& event) override;

  private:
    /// A pending event; ordered by (time, rank).
    struct Entry
    {
        uint64_t time;
        uint64_t rank; ///< among the events of one time
        EventImpl* impl;
        uint32_t uid;
        uint32_t context;

        bool IsBefore(const Entry& other) const
        {
            return time != other.time ? time < other.time : rank < other.rank;
        }
    };

    static constexpr std::size_t ARITY = 4;
    static constexpr uint64_t NOT_BEGUN = std::numeric_limits<uint64_t>::max();

    static Event MakeEventOf(const Entry& entry);
    uint64_t MakeRank(uint64_t time);
    void SiftUp(std::size_t hole, const Entry& entry);
    void SiftDown(std::size_t hole, const Entry& entry);
    void RemoveAt(std::size_t index);

    std::vector<Entry> m_heap;
    uint64_t m_sequence = 0;        ///< of the next insertion
    uint64_t m_instant = NOT_BEGUN; ///< time of the event removed last
    uint64_t m_scrambleSeed = 0;    ///< 0: off
};

} // namespace ns3

#endif /* FABRIC_SCHEDULER_H */
