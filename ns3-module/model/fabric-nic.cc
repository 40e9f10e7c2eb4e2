// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-nic.h"

#include "fabric-port.h"
#include "fabric.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <iterator>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNic");
NS_OBJECT_ENSURE_REGISTERED(FabricNic);

namespace
{

constexpr uint32_t MAX_FRAME = 1U << 30; ///< so that payload + header stays within 32 bits

} // namespace

TypeId
FabricNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNic")
            .SetParent<FabricNode>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricNic>()
            .AddAttribute("Payload",
                          "Message bytes in a full frame.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&FabricNic::m_payload),
                          MakeUintegerChecker<uint32_t>(1, MAX_FRAME))
            .AddAttribute("Header",
                          "Bytes added to every data frame on the wire. A frame is at least one "
                          "byte, so with 0 an empty message costs one byte.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&FabricNic::m_header),
                          MakeUintegerChecker<uint32_t>(0, MAX_FRAME))
            .AddAttribute("ControlFrame",
                          "Bytes of an acknowledgement on the wire, in all.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&FabricNic::m_controlFrame),
                          MakeUintegerChecker<uint32_t>(1, MAX_FRAME))
            .AddAttribute("FramesPerAcknowledgement",
                          "Data frames that one acknowledgement answers; the last frame of a "
                          "message is always answered. 0: only that one.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNic::m_framesPerAcknowledgement),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Post",
                            "A message was posted on a queue pair of this NIC.",
                            MakeTraceSourceAccessor(&FabricNic::m_postTrace),
                            "ns3::FabricNic::MessageTracedCallback")
            .AddTraceSource("Deliver",
                            "A message of another NIC's queue pair has arrived here whole.",
                            MakeTraceSourceAccessor(&FabricNic::m_deliverTrace),
                            "ns3::FabricNic::MessageTracedCallback");
    return tid;
}

FabricNic::FabricNic() = default;

FabricNic::~FabricNic() = default;

void
FabricNic::SetDeliveredCallback(DeliveredCallback callback)
{
    m_delivered = callback;
}

void
FabricNic::PostMessage(const FabricQueuePairKey& key, uint64_t size, uint64_t cookie)
{
    NS_LOG_FUNCTION(this << key.stream << key.destination << size << cookie);
    const int64_t now = Simulator::Now().GetTimeStep();
    FabricQueuePair& queuePair = FindOrOpen(key);
    FabricPort& port = *GetFabric().GetFlow(queuePair.GetFlow()).forward.front();
    port.Settle(now); // starts before now must not see the new message
    queuePair.Post(size, cookie);
    m_postTrace(key, cookie);
    port.Activate(queuePair, now);
}

void
FabricNic::CloseStream(uint64_t stream)
{
    auto queuePair = m_queuePairs.lower_bound({stream, 0});
    while (queuePair != m_queuePairs.end() && queuePair->first.stream == stream)
    {
        const auto present = queuePair++;
        present->second.Close();
        if (present->second.IsFinished())
        {
            Forget(present);
        }
    }
}

void
FabricNic::Receive(const FabricFrame& frame, int64_t now)
{
    const std::vector<FabricPort*>& path = GetFabric().GetFlow(frame.flow).GetPath(frame.kind);
    if (frame.hop < path.size())
    {
        path[frame.hop]->Enqueue(frame, now);
        return;
    }
    switch (frame.kind)
    {
    case FabricFrameKind::Data:
        ReceiveData(frame, now);
        break;
    case FabricFrameKind::Acknowledgement:
        ReceiveAcknowledgement(frame);
        break;
    }
}

void
FabricNic::DoDispose()
{
    m_queuePairs.clear();
    m_delivered.Nullify();
    FabricNode::DoDispose();
}

FabricQueuePair&
FabricNic::FindOrOpen(const FabricQueuePairKey& key)
{
    const auto found = m_queuePairs.find(key);
    if (found != m_queuePairs.end())
    {
        return found->second;
    }
    NS_ABORT_MSG_IF(key.destination == GetIndex(), "a NIC sends no message to itself");
    const FabricFraming framing{m_payload, m_header};
    const auto made = m_queuePairs.emplace(key, FabricQueuePair(key, framing)).first;
    FabricQueuePair& queuePair = made->second;
    queuePair.SetFlow(GetFabric().OpenFlow({GetIndex(), key.destination, key.stream}, queuePair));
    return queuePair;
}

void
FabricNic::Forget(QueuePairMap::iterator queuePair)
{
    GetFabric().CloseFlow(queuePair->second.GetFlow());
    m_queuePairs.erase(queuePair);
}

void
FabricNic::ReceiveData(const FabricFrame& frame, int64_t now)
{
    FabricFlow& flow = GetFabric().GetFlow(frame.flow);
    const bool isLast = frame.position == FabricFramePosition::LastOfMessage;
    ++flow.unacknowledged;
    if (isLast || flow.unacknowledged == m_framesPerAcknowledgement)
    {
        flow.unacknowledged = 0;
        SendAcknowledgement(frame, now);
    }
    if (isLast)
    {
        Deliver(flow);
    }
}

void
FabricNic::ReceiveAcknowledgement(const FabricFrame& frame)
{
    FabricQueuePair& queuePair = *GetFabric().GetFlow(frame.flow).queuePair;
    queuePair.Acknowledge(frame.sequence);
    if (queuePair.IsFinished())
    {
        Forget(m_queuePairs.find(queuePair.GetKey()));
    }
}

void
FabricNic::Deliver(const FabricFlow& flow)
{
    const FabricQueuePairKey key = flow.queuePair->GetKey();
    const uint64_t cookie = flow.queuePair->DeliverMessage();
    m_deliverTrace(key, cookie);
    if (!m_delivered.IsNull())
    {
        m_delivered(cookie);
    }
}

void
FabricNic::SendAcknowledgement(const FabricFrame& data, int64_t now)
{
    FabricFrame answer;
    answer.sequence = data.sequence + 1;
    answer.flow = data.flow;
    answer.wireBytes = m_controlFrame;
    answer.ingress = data.ingress;
    answer.kind = FabricFrameKind::Acknowledgement;
    answer.priority = FabricPriority::Control;
    GetFabric().GetFlow(data.flow).reverse.front()->Enqueue(answer, now);
}

} // namespace ns3
