// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-pcap-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/fabric-header.h"
#include "ns3/fabric-node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/trace-helper.h"

namespace ns3
{

namespace
{

/// The frame with its headers, exactly of its wire size.
Ptr<Packet>
MakePacket(const FabricFrame& frame, const FabricHeader& header)
{
    const uint32_t headerBytes = header.GetSerializedSize();
    const uint32_t zeros = frame.wireBytes > headerBytes ? frame.wireBytes - headerBytes : 0;
    Ptr<Packet> packet = Create<Packet>(zeros);
    packet->AddHeader(header);
    // A frame may be smaller than its headers, as sizes are free to choose: then the capture shows
    // a part of them. Otherwise nothing is removed.
    packet->RemoveAtEnd(packet->GetSize() - frame.wireBytes);
    return packet;
}

/// What `sender` put on the link.
FabricHeader
Describe(const FabricFrame& frame, const FabricFlow* flow, const FabricPort& sender)
{
    return flow ? FabricHeader(frame, *flow)
                : FabricHeader(frame, sender.GetFabricNode().GetIndex());
}

void
OnTransmit(Ptr<PcapFileWrapper> file,
           FabricPort* port,
           int64_t ps,
           const FabricFrame& frame,
           const FabricFlow* flow)
{
    file->Write(TimeStep(static_cast<uint64_t>(ps)),
                MakePacket(frame, Describe(frame, flow, *port)));
}

void
OnReceive(Ptr<PcapFileWrapper> file,
          FabricPort* port,
          int64_t ps,
          const FabricFrame& frame,
          const FabricFlow* flow)
{
    port->Settle(ps); // what started before comes before it in the file
    file->Write(TimeStep(static_cast<uint64_t>(ps)),
                MakePacket(frame, Describe(frame, flow, port->GetPeer())));
}

} // namespace

void
FabricPcapHelper::EnablePcap(const std::string& fileName, Ptr<FabricPort> port)
{
    Ptr<PcapFileWrapper> file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true));
    file->Open(fileName, std::ios::out);
    file->Init(PcapHelper::DLT_EN10MB, SNAP_BYTES);
    NS_ABORT_MSG_IF(file->Fail(), "cannot write " << fileName);
    // The port owns its sinks, so these must not own the port.
    FabricPort* observed = PeekPointer(port);
    port->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&OnTransmit, file, observed));
    port->TraceConnectWithoutContext("Receive", MakeBoundCallback(&OnReceive, file, observed));
}

} // namespace ns3
