// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-header.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricHeader);

namespace
{

constexpr uint32_t ETHERNET_BYTES = 14;
constexpr uint32_t PAUSE_BYTES = 20; // opcode, classes, eight times
constexpr uint32_t IP_BYTES = 20;
constexpr uint32_t UDP_BYTES = 8;
constexpr uint32_t BTH_BYTES = 12;
constexpr uint32_t AETH_BYTES = 4;
constexpr uint32_t CNP_PAYLOAD_BYTES = 16; // reserved, all zero
constexpr uint32_t CRC_BYTES = 4;
constexpr uint32_t MAX_IP_BYTES = 0xffff;

constexpr uint16_t MAC_PREFIX = 0x0200;       // locally administered
constexpr uint16_t PAUSE_MAC_PREFIX = 0x0180; // 01:80:c2:00:00:01
constexpr uint32_t PAUSE_MAC_REST = 0xc2000001;
constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;
constexpr uint16_t ETHERTYPE_MAC_CONTROL = 0x8808;
constexpr uint16_t PFC_OPCODE = 0x0101;
constexpr uint16_t LONGEST_PAUSE = 0xffff;

constexpr uint16_t IP_VERSION = 0x4500; // and header length, and no type of service
constexpr uint16_t DO_NOT_FRAGMENT = 0x4000;
constexpr uint16_t TTL_AND_UDP = (64 << 8) | 17;
constexpr uint32_t NETWORK_10 = 10U << 24;
constexpr uint8_t ECN_CAPABLE = 2;
constexpr uint8_t ECN_CONGESTED = 3;
constexpr uint16_t DYNAMIC_PORTS = 0xc000;

constexpr uint8_t SEND_MIDDLE = 0x01;
constexpr uint8_t SEND_LAST = 0x02;
constexpr uint8_t ACKNOWLEDGE = 0x11;
constexpr uint8_t CNP = 0x81;
constexpr uint16_t DEFAULT_PARTITION = 0xffff;
constexpr uint32_t BACKWARD_CONGESTION = 1U << 30;
constexpr uint32_t ACKNOWLEDGE_REQUEST = 1U << 31;
constexpr uint32_t ACK_WITHOUT_CREDITS = 0x1fU << 24; // and message number 0
constexpr uint32_t NAK_SEQUENCE_ERROR = 0x60U << 24;

constexpr uint32_t LOW_24_BITS = 0xffffff;

} // namespace

TypeId
FabricHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricHeader")
                            .SetParent<Header>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricHeader>();
    return tid;
}

FabricHeader::FabricHeader(const FabricFrame& frame, const FabricFlow& flow)
    : m_kind(frame.kind)
    , m_priority(frame.priority)
    , m_isLast(frame.IsData() && frame.isLastOfMessage)
    , m_isMarked(frame.IsData() && frame.isMarked)
    , m_source(frame.IsData() ? flow.key.source : flow.key.destination)
    , m_destination(frame.IsData() ? flow.key.destination : flow.key.source)
    // A queue pair number has 24 bits, so two flows of a capture may have the same one. The index
    // of the flow would be free of that, but it depends on the order in which flows were opened.
    , m_queuePair(flow.identity & LOW_24_BITS)
    , m_sequence(frame.sequence & LOW_24_BITS)
{
    const uint32_t headerBytes = GetSerializedSize() - ETHERNET_BYTES;
    // The user sets the sizes of frames, and they may be smaller than the headers of a real one.
    // Headers are shown whole all the same, so the length is clamped to at least theirs, and to
    // what 16 bits of IPv4 can say.
    const uint32_t frameBytes = std::max(frame.wireBytes, ETHERNET_BYTES) - ETHERNET_BYTES;
    uint32_t ipBytes = frameBytes;
    if (frame.kind == FabricFrameKind::Acknowledgement)
    {
        // A frame of the fabric names the first frame that is still missing, InfiniBand the last
        // one that arrived: an acknowledgement of frames 0 to 7 has 8 here and 7 on the wire.
        m_sequence = (frame.sequence - 1) & LOW_24_BITS;
    }
    if (IsAnswer())
    {
        // An answer has no payload. What the frame has beyond it only fills it up to the size of
        // control frames, and filling is not part of IPv4's length.
        ipBytes = std::min(ipBytes, headerBytes + CRC_BYTES);
    }
    if (frame.kind == FabricFrameKind::CongestionNotification)
    {
        ipBytes = std::min(ipBytes, headerBytes + CNP_PAYLOAD_BYTES + CRC_BYTES);
    }
    m_ipBytes = static_cast<uint16_t>(std::clamp(ipBytes, headerBytes, MAX_IP_BYTES));
}

FabricHeader::FabricHeader(const FabricFrame& frame, uint32_t sender)
    : m_kind(frame.kind)
    , m_priority(static_cast<uint8_t>(frame.detail))
    , m_source(sender)
{
}

TypeId
FabricHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
FabricHeader::Print(std::ostream& os) const
{
    if (IsPause())
    {
        os << (m_kind == FabricFrameKind::Pause ? "pause" : "resume") << " of priority "
           << uint32_t{m_priority} << " by node " << m_source;
        return;
    }
    os << "opcode " << uint32_t{GetOpcode()} << " sequence " << m_sequence << " from node "
       << m_source << " to node " << m_destination;
}

uint32_t
FabricHeader::GetSerializedSize() const
{
    if (IsPause())
    {
        return ETHERNET_BYTES + PAUSE_BYTES;
    }
    return ETHERNET_BYTES + IP_BYTES + UDP_BYTES + BTH_BYTES + (IsAnswer() ? AETH_BYTES : 0);
}

void
FabricHeader::Serialize(Buffer::Iterator start) const
{
    WriteEthernet(start);
    if (IsPause())
    {
        WritePause(start);
        return;
    }
    WriteIpAndUdp(start);
    WriteTransport(start);
}

uint32_t
FabricHeader::Deserialize(Buffer::Iterator start)
{
    // A pause is the shortest frame; the reader of IPv4 asks for the longer length of its own.
    if (start.GetRemainingSize() < ETHERNET_BYTES + PAUSE_BYTES)
    {
        return 0;
    }
    // Read into a copy, so that bytes of another kind leave this header as it was.
    FabricHeader read;
    start.Next(2);
    read.m_destination = start.ReadNtohU32();
    start.Next(2);
    read.m_source = start.ReadNtohU32();
    const uint16_t type = start.ReadNtohU16();
    const bool isRead =
        type == ETHERTYPE_MAC_CONTROL
            ? read.ReadPause(start)
            : type == ETHERTYPE_IPV4 && read.ReadIpAndUdp(start) && read.ReadTransport(start);
    if (!isRead)
    {
        return 0;
    }
    *this = read;
    return GetSerializedSize();
}

bool
FabricHeader::IsPause() const
{
    return m_kind == FabricFrameKind::Pause || m_kind == FabricFrameKind::Resume;
}

bool
FabricHeader::IsAnswer() const
{
    return m_kind == FabricFrameKind::Acknowledgement ||
           m_kind == FabricFrameKind::NegativeAcknowledgement;
}

uint8_t
FabricHeader::GetOpcode() const
{
    if (m_kind == FabricFrameKind::Data)
    {
        return m_isLast ? SEND_LAST : SEND_MIDDLE;
    }
    return m_kind == FabricFrameKind::CongestionNotification ? CNP : ACKNOWLEDGE;
}

void
FabricHeader::WriteEthernet(Buffer::Iterator& i) const
{
    i.WriteHtonU16(IsPause() ? PAUSE_MAC_PREFIX : MAC_PREFIX);
    i.WriteHtonU32(IsPause() ? PAUSE_MAC_REST : m_destination);
    i.WriteHtonU16(MAC_PREFIX);
    i.WriteHtonU32(m_source);
    i.WriteHtonU16(IsPause() ? ETHERTYPE_MAC_CONTROL : ETHERTYPE_IPV4);
}

void
FabricHeader::WritePause(Buffer::Iterator& i) const
{
    // The opcode, a bit for each class that the frame is about, and a time for each class.
    i.WriteHtonU16(PFC_OPCODE);
    i.WriteHtonU16(static_cast<uint16_t>(1U << m_priority));
    for (uint32_t priority = 0; priority < FABRIC_PRIORITIES; ++priority)
    {
        const bool isPaused = m_kind == FabricFrameKind::Pause && priority == m_priority;
        i.WriteHtonU16(isPaused ? LONGEST_PAUSE : 0);
    }
}

void
FabricHeader::WriteIpAndUdp(Buffer::Iterator& i) const
{
    Buffer::Iterator ip = i;
    const uint8_t capable = m_isMarked ? ECN_CONGESTED : ECN_CAPABLE;
    const uint8_t ecn = m_kind == FabricFrameKind::Data ? capable : uint8_t{0};
    // The class selector is the three highest bits of the type of service, and ECN the two lowest.
    i.WriteHtonU16(static_cast<uint16_t>(IP_VERSION | m_priority << 5 | ecn));
    i.WriteHtonU16(m_ipBytes);
    // The identification is 0, as nothing is ever fragmented.
    i.WriteHtonU16(0);
    i.WriteHtonU16(DO_NOT_FRAGMENT);
    i.WriteHtonU16(TTL_AND_UDP);
    i.WriteHtonU16(0);
    i.WriteHtonU32(NETWORK_10 | (m_source & LOW_24_BITS));
    i.WriteHtonU32(NETWORK_10 | (m_destination & LOW_24_BITS));
    // The checksum covers itself as 0, so the whole header is written first and the sum put into
    // its place, 10 bytes from the start.
    Buffer::Iterator summed = ip;
    const uint16_t checksum = summed.CalculateIpChecksum(IP_BYTES);
    ip.Next(10);
    ip.WriteU16(checksum); // in the order in which it was summed
    // RoCEv2 spreads flows over paths by their UDP source port. It is taken from the queue pair and
    // lies in the range of dynamic ports, 49152 to 65535.
    i.WriteHtonU16(static_cast<uint16_t>(DYNAMIC_PORTS | (m_queuePair & ~DYNAMIC_PORTS)));
    i.WriteHtonU16(UDP_PORT);
    i.WriteHtonU16(static_cast<uint16_t>(m_ipBytes - IP_BYTES));
    i.WriteHtonU16(0);
}

void
FabricHeader::WriteTransport(Buffer::Iterator& i) const
{
    const bool isNotification = m_kind == FabricFrameKind::CongestionNotification;
    i.WriteU8(GetOpcode());
    // Solicited event, migration, padding and version are all 0.
    i.WriteU8(0);
    i.WriteHtonU16(DEFAULT_PARTITION);
    i.WriteHtonU32((isNotification ? BACKWARD_CONGESTION : 0) | m_queuePair);
    i.WriteHtonU32((m_isLast ? ACKNOWLEDGE_REQUEST : 0) | m_sequence);
    if (IsAnswer())
    {
        i.WriteHtonU32(m_kind == FabricFrameKind::Acknowledgement ? ACK_WITHOUT_CREDITS
                                                                  : NAK_SEQUENCE_ERROR);
    }
}

bool
FabricHeader::ReadPause(Buffer::Iterator& i)
{
    if (i.ReadNtohU16() != PFC_OPCODE)
    {
        return false;
    }
    const uint32_t classes = i.ReadNtohU16();
    // The destination address of a pause is a fixed group address and names no node.
    m_destination = 0;
    for (uint8_t priority = 0; priority < FABRIC_PRIORITIES; ++priority)
    {
        const bool isPaused = i.ReadNtohU16() != 0;
        if (classes == 1U << priority)
        {
            m_priority = priority;
            m_kind = isPaused ? FabricFrameKind::Pause : FabricFrameKind::Resume;
        }
    }
    // Frames for several classes at once are valid, but none of ours: Serialize names one.
    return classes == 1U << m_priority;
}

bool
FabricHeader::ReadIpAndUdp(Buffer::Iterator& i)
{
    if (i.GetRemainingSize() < IP_BYTES + UDP_BYTES + BTH_BYTES)
    {
        return false;
    }
    const uint16_t service = i.ReadNtohU16();
    m_priority = (service >> 5) & 7;
    m_isMarked = (service & 3) == ECN_CONGESTED;
    m_ipBytes = i.ReadNtohU16();
    // Skipped are identification and fragmentation; after the protocol, the checksum, both
    // addresses and the UDP source port; at the end, the length and the checksum of UDP. The nodes
    // are known from the Ethernet addresses, which hold all 32 bits of their numbers.
    i.Next(4);
    const uint16_t protocol = i.ReadNtohU16();
    i.Next(2 + 4 + 4 + 2);
    const uint16_t port = i.ReadNtohU16();
    i.Next(4);
    return protocol == TTL_AND_UDP && port == UDP_PORT;
}

bool
FabricHeader::ReadTransport(Buffer::Iterator& i)
{
    const uint8_t opcode = i.ReadU8();
    i.Next(3);
    m_queuePair = i.ReadNtohU32() & LOW_24_BITS;
    m_sequence = i.ReadNtohU32() & LOW_24_BITS;
    m_isLast = opcode == SEND_LAST;
    if (opcode == ACKNOWLEDGE && i.GetRemainingSize() >= AETH_BYTES)
    {
        m_kind = i.ReadNtohU32() == NAK_SEQUENCE_ERROR ? FabricFrameKind::NegativeAcknowledgement
                                                       : FabricFrameKind::Acknowledgement;
        return true;
    }
    m_kind = opcode == CNP ? FabricFrameKind::CongestionNotification : FabricFrameKind::Data;
    return opcode == CNP || opcode == SEND_MIDDLE || opcode == SEND_LAST;
}

} // namespace ns3
