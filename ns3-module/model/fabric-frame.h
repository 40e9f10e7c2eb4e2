// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ns3
{

/// \ingroup fabric
/// What a frame is for.
enum class FabricFrameKind : uint8_t
{
    Data,
    Acknowledgement,         ///< all data frames below `sequence` have arrived
    NegativeAcknowledgement, ///< the same, and a later one has arrived: see `detail`
    CongestionNotification,  ///< a data frame arrived with a congestion mark (CNP)
    Pause,                   ///< of the link that it comes by, for the priority in `detail`
    Resume,
};

/// \ingroup fabric
/// The classes of traffic at a port: 0 is for control frames, 1 to 7 for data.
using FabricPriority = uint8_t;

constexpr FabricPriority FABRIC_CONTROL_PRIORITY = 0;
constexpr FabricPriority FABRIC_DATA_PRIORITY = 1; ///< of data that nobody asks otherwise for
constexpr uint32_t FABRIC_PRIORITIES = 8;          ///< the control priority included

/// \ingroup fabric
/// One frame on its way: a plain value that is copied from port to port.
///
/// Everything that all frames of a flow share (ends, paths) is in its FabricFlow. Which frame a
/// frame is follows from `flow` and `sequence`; the other members are its state at the present hop.
struct FabricFrame
{
    static constexpr uint32_t NO_DETAIL = std::numeric_limits<uint32_t>::max();

    /// Data: the number of the frame in its queue pair, from 0.
    /// Acknowledgements: the number of the first data frame that has not arrived.
    uint64_t sequence = 0;
    uint32_t flow = 0;      ///< index of the flow record; no meaning in Pause and Resume
    uint32_t wireBytes = 0; ///< at least 1, so that every transmission takes time
    /// Data and Acknowledgement: its slot (FabricTelemetrySlot), or NO_DETAIL.
    /// NegativeAcknowledgement: how far beyond `sequence` the frame that arrived was.
    /// Pause and Resume: the priority.
    uint32_t detail = NO_DETAIL;
    uint32_t ingress = 0; ///< port of the present node by which it (or its cause) came
    /// Data: recoveries of the queue pair before this transmission. Answers: a hash of the number
    /// and the attempt of the data frame. Random draws tell frames of one number apart by it.
    /// Pause: 1 where it repeats one that the peer may have.
    uint16_t attempt = 0;
    FabricFrameKind kind = FabricFrameKind::Data;
    FabricPriority priority = FABRIC_DATA_PRIORITY; ///< of the queue where it waits
    uint32_t hop : 21;                              ///< links travelled so far
    FabricPriority ingressPriority : 3;             ///< with which it came over the last link
    bool isLastOfMessage : 1;
    bool isMarked : 1;          ///< data: congestion experienced; answers: the data frame was
    bool isRetransmission : 1;  ///< data: its number was sent before
    bool isLost : 1;            ///< will not reach the far end of the link it is on
    bool collectsTelemetry : 1; ///< data: forwarding ports write records into its slot
    bool isTrainable : 1;       ///< data: may be part of a train (FabricTrain)
    bool endsUnseen : 1; ///< and ends at the next node, which need not be told of its arrival

    FabricFrame()
        : hop(0)
        , ingressPriority(FABRIC_DATA_PRIORITY)
        , isLastOfMessage(false)
        , isMarked(false)
        , isRetransmission(false)
        , isLost(false)
        , collectsTelemetry(false)
        , isTrainable(false)
        , endsUnseen(false)
    {
    }

    /// It has come over a link, to the port of this number.
    void ArriveBy(uint32_t port)
    {
        ++hop;
        ingress = port;
        ingressPriority = priority & (FABRIC_PRIORITIES - 1);
    }

    /// Undoes ArriveBy: the frame is on the link that it has come over.
    void LeaveAgain()
    {
        --hop;
        priority = ingressPriority;
        endsUnseen = false;
    }

    bool IsData() const
    {
        return kind == FabricFrameKind::Data;
    }

    /// Whether it is a pause frame, which goes over one link only and belongs to no flow.
    bool IsLinkLocal() const
    {
        return kind == FabricFrameKind::Pause || kind == FabricFrameKind::Resume;
    }
};

static_assert(sizeof(FabricFrame) <= 32 && std::is_trivially_copyable<FabricFrame>::value,
              "frames are copied at every hop");

} // namespace ns3

#endif /* FABRIC_FRAME_H */
