// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TELEMETRY_H
#define FABRIC_TELEMETRY_H

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// What an egress port writes down when a data frame starts there (in-band telemetry, INT).
struct FabricTelemetryRecord
{
    int64_t time = 0;          ///< of the start, in picoseconds
    uint64_t startedBytes = 0; ///< wire bytes that the port has started before this frame
    uint64_t queueBytes = 0;   ///< that this frame leaves behind
    uint64_t rate = 0;         ///< of the port, in bits per second
};

/// \ingroup fabric
/// One record for each node that forwarded the frame, in the order of the path.
using FabricTelemetry = std::vector<FabricTelemetryRecord>;

/// \ingroup fabric
/// What a data frame carries for the congestion control that sent it, and what its acknowledgement
/// carries back.
struct FabricTelemetrySlot
{
    int64_t start = 0; ///< of the frame at its sender, in picoseconds
    FabricTelemetry records;
    /// Acknowledgement: how far beyond its number the answered frame lies, which came before its
    /// turn and is kept; 0: it did not.
    uint64_t early = 0;
};

/// \ingroup fabric
/// The telemetry of the frames under way. Frames are copied at every hop, so they carry the number
/// of a slot instead of the records. A slot belongs to a data frame, then to the acknowledgement
/// that answers it; whoever ends the last of the two releases it (Fabric::EndFrame). Slots and
/// their memory are reused.
class FabricTelemetryPool
{
  public:
    /// \return A slot without records, for a frame that starts at `start`.
    uint32_t Take(int64_t start)
    {
        if (m_free.empty())
        {
            m_free.push_back(static_cast<uint32_t>(m_slots.size()));
            m_slots.emplace_back();
        }
        const uint32_t slot = m_free.back();
        m_free.pop_back();
        m_slots[slot].start = start;
        m_slots[slot].records.clear();
        m_slots[slot].early = 0;
        return slot;
    }

    /// Requires: `slot` is taken.
    void Release(uint32_t slot)
    {
        m_free.push_back(slot);
    }

    FabricTelemetrySlot& Get(uint32_t slot)
    {
        return m_slots[slot];
    }

    /// Slots that are not free.
    std::size_t GetNTaken() const
    {
        return m_slots.size() - m_free.size();
    }

  private:
    std::deque<FabricTelemetrySlot> m_slots;
    std::vector<uint32_t> m_free;
};

} // namespace ns3

#endif /* FABRIC_TELEMETRY_H */
