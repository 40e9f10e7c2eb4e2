// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PROTOCOL_H
#define FABRIC_PROTOCOL_H

#include "ns3/fabric-congestion-control.h"
#include "ns3/fabric-send-window.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// What all nodes of a fabric agree on: sizes of frames, acknowledgement, windows, loss recovery,
/// congestion control. Set before the first message is posted.
class FabricProtocol : public Object
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricProtocol();
    ~FabricProtocol() override;

    uint32_t GetPayload() const
    {
        return m_payload;
    }

    uint32_t GetHeader() const
    {
        return m_header;
    }

    uint32_t GetControlFrame() const
    {
        return m_controlFrame;
    }

    /// Wire bytes of the largest data frame.
    uint32_t GetFullFrame() const
    {
        return m_payload + m_header;
    }

    /// For FramesPerAcknowledgement: as few acknowledgements as the window allows.
    static constexpr uint32_t ONLY_LAST_OF_MESSAGE = UINT32_MAX;

    /// Data frames that one acknowledgement answers on a queue pair with this protocol's window
    /// (ComputeWindow()); 0: one acknowledgement for each message.
    /// Holds: a window that is full of frames has an answer coming.
    uint64_t ComputeFramesPerAcknowledgement(uint64_t window) const;

    /// Whether messages of the stream do without acknowledgements wherever that changes nothing but
    /// the frames that these take.
    bool IsSilent(uint64_t stream) const
    {
        return stream >= m_firstSilentStream;
    }

    /// Payload bytes of a queue pair that may be unacknowledged, as far as the protocol says.
    uint64_t ComputeWindow(const FabricPathProperties& path) const;

    /// Whether ComputeWindow() differs from path to path.
    bool HasWindowOfPath() const
    {
        return m_isWindowBandwidthDelay;
    }

    FabricLossRecovery GetLossRecovery() const
    {
        return static_cast<FabricLossRecovery>(m_lossRecovery);
    }

    /// In picoseconds; 0: from the path.
    int64_t GetRetransmitTimeout() const
    {
        return m_retransmitTimeout.GetTimeStep();
    }

    uint32_t GetRetryCount() const
    {
        return m_retryCount;
    }

    /// Whether runs of equal frames may travel as trains, which changes no result.
    bool FormsTrains() const
    {
        return m_formsTrains;
    }

    /// How many queue pairs each of `nodes` nodes keeps whole while they rest.
    std::size_t GetMostResting(std::size_t nodes) const;

    /// Of all random choices in the fabric.
    uint64_t GetSeed() const
    {
        return m_seed;
    }

    /// Null: every queue pair sends at line rate.
    void SetCongestionControl(Ptr<FabricCongestionControl> control);

    const FabricCongestionControl* GetCongestionControl() const
    {
        return PeekPointer(m_congestionControl);
    }

    /// What the congestion control needs; nothing without one.
    const FabricCongestionSignals& GetSignals() const
    {
        return m_signals;
    }

  protected:
    void DoDispose() override;

  private:
    uint32_t m_payload = 0;
    uint32_t m_header = 0;
    uint32_t m_controlFrame = 0;
    uint32_t m_framesPerAcknowledgement = 0;
    uint64_t m_firstSilentStream = 0;
    uint64_t m_window = 0;
    bool m_isWindowBandwidthDelay = false;
    int m_lossRecovery = 0; ///< a FabricLossRecovery
    Time m_retransmitTimeout;
    uint32_t m_retryCount = 0;
    bool m_formsTrains = true;
    uint32_t m_mostResting = 0;
    uint64_t m_seed = 0;
    Ptr<FabricCongestionControl> m_congestionControl;
    FabricCongestionSignals m_signals;
};

} // namespace ns3

#endif /* FABRIC_PROTOCOL_H */
