// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"
#include "system/synthesis/transfer-waits.h"
#include "system/synthesis/transfer.h"
#include "system/synthesis/wire-clock.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::synthesis
{

/// Which message of a way may be the next.
enum class WayOrder
{
    Kept, ///< the next one of the schedule, once it has its data: as ranks run a program
    Free, ///< the first one in the schedule that has its data
};

/// What became of a schedule.
struct Replayed
{
    Schedule schedule; ///< in the order in which the messages started
    SimTime end;       ///< when the last one had arrived
};

/// Sends the messages of a schedule as soon as their data and links allow. Where several are to go
/// over one link, the first one in the schedule does.
class Replay
{
  public:
    /// Requires: all outlive it.
    Replay(const RouteModel& model,
           const MessageTimes& times,
           const Schedule& schedule,
           const TransferWaits& waits);

    /// Once only.
    Replayed Run(WayOrder order);

  private:
    void CountWaits();
    void MakeReady(uint32_t transfer);
    void SendAwake();
    std::optional<uint32_t> FindNext(uint32_t way) const;
    void Wake(uint32_t way);
    void Send(uint32_t way, uint32_t transfer);

    const RouteModel& m_model;
    const MessageTimes& m_times;
    const Schedule& m_schedule;
    const TransferWaits& m_waits;
    WireClock m_clock;
    WayOrder m_order = WayOrder::Kept;
    std::vector<uint32_t> m_missing;            // by transfer: messages that have not come
    std::vector<uint32_t> m_firstFollower;      // by transfer, and one more: in m_followers
    std::vector<uint32_t> m_followers;          // transfers that wait for it
    std::vector<uint32_t> m_firstOfWay;         // by way, and one more: in m_ofWay
    std::vector<uint32_t> m_ofWay;              // transfers
    std::vector<uint32_t> m_sentOfWay;          // by way: Kept
    std::vector<std::vector<uint32_t>> m_ready; // by way: heaps, the first one on top: Free
    std::vector<bool> m_isAwake;                // by way
    std::vector<uint32_t> m_awake;
    Replayed m_result;
};

} // namespace nadi::synthesis
