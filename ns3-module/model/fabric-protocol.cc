// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-protocol.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricProtocol);

namespace
{

/// ns-3's attributes know enumerations as int.
constexpr int
ToInt(FabricLossRecovery recovery)
{
    return static_cast<int>(recovery);
}

constexpr uint32_t MAX_FRAME = 1U << 30; ///< so that payload + header stays within 32 bits

} // namespace

TypeId
FabricProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricProtocol")
            .SetParent<Object>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricProtocol>()
            .AddAttribute("Payload",
                          "Message bytes in a full frame.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&FabricProtocol::m_payload),
                          MakeUintegerChecker<uint32_t>(1, MAX_FRAME))
            .AddAttribute("Header",
                          "Bytes added to every data frame on the wire. A frame is at least one "
                          "byte, so with 0 an empty message costs one byte.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&FabricProtocol::m_header),
                          MakeUintegerChecker<uint32_t>(0, MAX_FRAME))
            .AddAttribute("ControlFrame",
                          "Bytes of a control frame (acknowledgement, CNP, pause) on the wire, in "
                          "all.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&FabricProtocol::m_controlFrame),
                          MakeUintegerChecker<uint32_t>(1, MAX_FRAME))
            .AddAttribute("FramesPerAcknowledgement",
                          "Data frames that one acknowledgement answers; the last frame of a "
                          "message is always answered, and so is one that fills the window. 0: "
                          "only the last, unless the congestion control or a window needs an "
                          "answer to each frame. 2^32 - 1: only the last, and those that fill a "
                          "window.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricProtocol::m_framesPerAcknowledgement),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("FirstSilentStream",
                          "Messages of this stream and those with larger numbers are not "
                          "acknowledged where nothing can be lost and nobody acts on "
                          "acknowledgements.",
                          UintegerValue(std::numeric_limits<uint64_t>::max()),
                          MakeUintegerAccessor(&FabricProtocol::m_firstSilentStream),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Window",
                          "Payload bytes of a queue pair that may be unacknowledged when a frame "
                          "starts; 0: any number.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricProtocol::m_window),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("BandwidthDelayWindow",
                          "Makes the window the line rate times the base round trip of the path.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricProtocol::m_isWindowBandwidthDelay),
                          MakeBooleanChecker())
            .AddAttribute("LossRecovery",
                          "What is sent again after a loss.",
                          EnumValue(ToInt(FabricLossRecovery::GoBackN)),
                          MakeEnumAccessor(&FabricProtocol::m_lossRecovery),
                          MakeEnumChecker(ToInt(FabricLossRecovery::GoBackN),
                                          "GoBackN",
                                          ToInt(FabricLossRecovery::Selective),
                                          "Selective"))
            .AddAttribute("RetransmitTimeout",
                          "Without progress for this long, a queue pair sends again; doubles with "
                          "each vain attempt. 0: four base round trips and twice the time to drain "
                          "the finite buffers of the path, at least 100 us; and only where a frame "
                          "or an answer of it was lost.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricProtocol::m_retransmitTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RetryCount",
                          "Vain timeouts in a row after which a queue pair fails.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&FabricProtocol::m_retryCount),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Trains",
                          "Lets runs of equal frames travel without an event for each, where "
                          "nothing can disturb them unnoticed; changes no result.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricProtocol::m_formsTrains),
                          MakeBooleanChecker())
            .AddAttribute("MostResting",
                          "Queue pairs of each NIC that are kept whole while they rest between two "
                          "messages. Of others only the count of their frames is kept, where no "
                          "more is needed; changes no result. 0: so many that they take a quarter "
                          "of a gigabyte in all, at least 16.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricProtocol::m_mostResting),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Seed",
                          "Of the random choices in the fabric: marks, losses, ways.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&FabricProtocol::m_seed),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

FabricProtocol::FabricProtocol() = default;

FabricProtocol::~FabricProtocol() = default;

uint64_t
FabricProtocol::ComputeFramesPerAcknowledgement(uint64_t window) const
{
    if (m_signals.everyAcknowledgement)
    {
        return 1;
    }
    if (window == FabricRateControl::NO_WINDOW)
    {
        return m_framesPerAcknowledgement == ONLY_LAST_OF_MESSAGE ? 0 : m_framesPerAcknowledgement;
    }
    // At least every frame that fills the window is answered. Otherwise the sender would wait for
    // an answer that the receiver does not owe before more frames come.
    const uint64_t full = std::max<uint64_t>(window / m_payload, 1);
    return std::min<uint64_t>(std::max<uint32_t>(m_framesPerAcknowledgement, 1), full);
}

uint64_t
FabricProtocol::ComputeWindow(const FabricPathProperties& path) const
{
    if (m_isWindowBandwidthDelay)
    {
        return path.GetBandwidthDelayProduct();
    }
    return m_window == 0 ? FabricRateControl::NO_WINDOW : m_window;
}

std::size_t
FabricProtocol::GetMostResting(std::size_t nodes) const
{
    // A bound for the whole fabric, shared by its nodes: 2^18 queue pairs of half a kilobyte.
    constexpr std::size_t MOST = std::size_t{1} << 18;
    constexpr std::size_t FEW = 16;
    return m_mostResting > 0 ? m_mostResting : std::max(MOST / nodes, FEW);
}

void
FabricProtocol::SetCongestionControl(Ptr<FabricCongestionControl> control)
{
    m_congestionControl = control;
    m_signals = control ? control->GetSignals() : FabricCongestionSignals();
}

void
FabricProtocol::DoDispose()
{
    m_congestionControl = nullptr;
    Object::DoDispose();
}

} // namespace ns3
