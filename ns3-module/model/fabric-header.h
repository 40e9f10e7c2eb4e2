// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_HEADER_H
#define FABRIC_HEADER_H

#include "fabric-flow.h"
#include "fabric-frame.h"

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// A frame as captures show it. The simulation itself carries no bytes; this is what RoCEv2 and
/// IEEE 802.1Qbb would put on the wire for it.
///
/// Frames of a flow: Ethernet, IPv4, UDP to port 4791, InfiniBand base transport header (BTH).
/// * Node n of the Fabric is 02:00 and the 32 bits of n, and 10/8 plus the low 24 bits of n.
/// * The class selector (DSCP) is the priority. Data has ECN code point ECT(0), or CE if marked.
/// * Data: SEND last, or SEND middle, as a frame does not know whether it is the first.
/// * Acknowledgements: ACK of the last frame that arrived in order, or NAK (sequence error) of the
///   first that did not, with an AETH. Congestion notifications: CNP.
/// * The queue pair number is the low 24 bits of the flow's identity, in both directions.
/// * The IPv4 checksum is right; the UDP checksum is 0 (none), and so is the invariant CRC.
///
/// Pause and resume: a priority flow control frame for one class, with the longest time or none.
class FabricHeader : public Header
{
  public:
    static constexpr uint16_t UDP_PORT = 4791;

    /// \return The object TypeId.
    static TypeId GetTypeId();

    /// A pause of no class. Meant for Deserialize.
    FabricHeader() = default;

    /// Of any frame but a pause or resume.
    FabricHeader(const FabricFrame& frame, const FabricFlow& flow);

    /// Of a pause or resume frame that node `sender` sends.
    FabricHeader(const FabricFrame& frame, uint32_t sender);

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;

    /// \return 0, and nothing is read, unless these are bytes that Serialize writes.
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    bool IsPause() const;
    bool IsAnswer() const;
    uint8_t GetOpcode() const;
    void WriteEthernet(Buffer::Iterator& i) const;
    void WritePause(Buffer::Iterator& i) const;
    void WriteIpAndUdp(Buffer::Iterator& i) const;
    void WriteTransport(Buffer::Iterator& i) const;
    bool ReadPause(Buffer::Iterator& i);
    bool ReadIpAndUdp(Buffer::Iterator& i);
    bool ReadTransport(Buffer::Iterator& i);

    FabricFrameKind m_kind = FabricFrameKind::Resume;
    uint8_t m_priority = 0; ///< of the frame; Pause and Resume: the one that they are about
    bool m_isLast = false;
    bool m_isMarked = false;
    uint32_t m_source = 0;      ///< index of the node
    uint32_t m_destination = 0; ///< index of the node
    uint32_t m_queuePair = 0;   ///< 24 bits
    uint32_t m_sequence = 0;    ///< packet sequence number (PSN), 24 bits
    uint16_t m_ipBytes = 0;     ///< total length of IPv4
};

} // namespace ns3

#endif /* FABRIC_HEADER_H */
