// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_NODE_H
#define FABRIC_NODE_H

#include "fabric-arrival-action.h"
#include "fabric-load-balancer.h"
#include "fabric-shared-buffer.h"

#include "ns3/callback.h"
#include "ns3/fabric-cut-through.h"
#include "ns3/fabric-flow.h"
#include "ns3/fabric-frame.h"
#include "ns3/fabric-queue-pair.h"
#include "ns3/fabric-receiver.h"
#include "ns3/fabric-sender.h"
#include "ns3/fabric-train.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class Fabric;
class FabricPort;

/// \ingroup fabric
/// What a Node does with the frames that arrive at its ports; aggregated to the Node. It takes in
/// what ends here (FabricReceiver, FabricSender); frames in transit are stored in the node's buffer
/// (if it is finite) and forwarded. Any node can send and receive messages.
///
/// Ports are numbered from 0 in the order they were added; that number orders simultaneous
/// arrivals. Where that order matters (a finite buffer, several ways), arrivals are collected in an
/// inbox and handled together when all of the instant have come (FinishArrivals); elsewhere each at
/// once. Memory and balancing are for frames in transit. So a node that these never cross, as the
/// routing knows (FabricRouting::MayForward), has neither, and handles each arrival at once.
class FabricNode : public Object
{
  public:
    /// A message of this queue pair has arrived whole; with the cookie it was posted with.
    using DeliveredCallback = Callback<void, const FabricQueuePair&, uint64_t>;

    /// Signature of the trace sources for messages.
    typedef void (*MessageTracedCallback)(FabricQueuePairKey key, uint64_t cookie);

    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricNode();
    ~FabricNode() override;

    /// Adds a port.
    void AddPort(Ptr<FabricPort> port);

    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    FabricPort& GetPort(uint32_t index) const
    {
        return *m_ports[index];
    }

    /// Where frames leave this node if it is the `index`-th of the path.
    FabricHop GetHop(const FabricPath& path, uint32_t index) const
    {
        return {&GetPort(path.GetPort(index)), path.GetPriority(index)};
    }

    /// Called by the Fabric that this node becomes a part of.
    void JoinFabric(Fabric& fabric, uint32_t index);

    /// Requires: JoinFabric was called.
    Fabric& GetFabric() const
    {
        return *m_fabric;
    }

    /// The node's number in its Fabric.
    uint32_t GetIndex() const
    {
        return m_index;
    }

    /// Between the arrival of a frame's last bit and the moment the node acts on it. Read when a
    /// link is connected.
    virtual Time GetLatency() const;

    /// Which frames the node acts on before they have come whole. Read when all links are
    /// connected and their faults are known.
    virtual FabricCutThrough GetCutThrough() const;

    /// Called by the fabric when all links are connected.
    void Prepare();

    /// Called by the fabric when all nodes are prepared.
    void PrepareTrains();

    /// BufferSize; 0: unlimited.
    uint64_t GetBufferSize() const
    {
        return m_bufferSize;
    }

    /// The memory that the node is said to have: that of nodes with several ports, be it used or
    /// not; 0: unlimited. Retry timers reckon with it.
    uint64_t GetMemorySize() const
    {
        return m_ports.size() > 1 ? m_bufferSize : 0;
    }

    /// Bytes that BufferSize must have at least; 0: it may have any.
    /// Requires: all links are connected, the fabric has its routing.
    uint64_t ComputeLeastBuffer() const;

    /// Whether frames may be dropped for want of memory where the node is crossed. With PFC: where
    /// its headroom was set by hand, or faults let more come in than it was computed for.
    /// Requires: Prepare().
    bool CanDrop() const;

    /// Null: unlimited, or never used, as frames between other nodes do not cross this one.
    const FabricSharedBuffer* GetBuffer() const
    {
        return m_buffer.get();
    }

    /// Who picks among equally good ways, for this node alone; null: ECMP. Requires: called before
    /// the first message. No effect where there is one port only.
    void SetLoadBalancer(Ptr<FabricLoadBalancer> balancer);

    /// What this node does with frames that arrive, before all else; null: nothing.
    /// Requires: called before the first message.
    void SetArrivalAction(Ptr<FabricArrivalAction> action);

    bool HasArrivalAction() const
    {
        return m_arrivalAction != nullptr;
    }

    /// Whether its balancer chooses ways, where there are several (Fabric::Reorders).
    bool HasBalancer() const
    {
        return m_balancer && m_isForwarding;
    }

    /// Who is told, at this node, of messages that arrived; inside the event of the arrival.
    void SetDeliveredCallback(DeliveredCallback callback);

    /// What this node sends.
    FabricSender& GetSender()
    {
        return m_sender;
    }

    /// Called by the sender: a message was posted.
    void ReportPost(const FabricQueuePair& queuePair, uint64_t cookie);

    /// Called by the receiver: a message has arrived whole.
    void ReportDelivery(const FabricQueuePair& queuePair, uint64_t cookie);

    /// This frame will arrive over its next link soon: has the memory of what comes next fetched
    /// into the caches.
    void FetchForArrival(const FabricFrame& frame) const;

    /// A frame has arrived whole, at the present instant `now` (in picoseconds).
    void Receive(const FabricFrame& frame, int64_t now);

    /// Whether frames in transit may pass without an event here for each: none is stored, and their
    /// order among others does not matter.
    bool PassesTrains() const
    {
        return !OrdersArrivals();
    }

    /// Whether the memory of this node surely acts on no frame, so that nobody counts what is
    /// stored.
    bool IsCalm() const
    {
        return m_isCalm;
    }

    /// How many frames its ports may claim while its memory is surely calm.
    uint64_t GetMostClaimed() const
    {
        return m_mostClaimed;
    }

    /// Whether it may begin so.
    bool CanBeCalm() const
    {
        return m_mostClaimed >= 2 * uint64_t{GetNPorts()};
    }

    /// Whether frames may be dropped here from the start. Requires: Prepare().
    bool DropsFromTheStart() const
    {
        return m_buffer && CanDrop() && !CanBeCalm();
    }

    /// Called by the fabric when it is known whether trains can be.
    void PrepareCalm();

    /// A port of this node claims memory for `after` frames instead of `before`. The memory is calm
    /// while all claims together leave enough of it. Where they do not, the claims are looked at
    /// once more at the end of the present instant, and the calm may end then. That is in time,
    /// because nothing has started at this instant yet.
    void Claim(uint64_t before, uint64_t after)
    {
        m_claimed += after - before;
        if (m_claimed > m_mostClaimed)
        {
            RequestFinishArrivals();
        }
    }

    /// Calls `visit(frame)` for each arrival of this instant that waits for the others.
    template <class Visitor>
    void VisitArrivals(Visitor visit) const
    {
        std::for_each(m_inbox.begin(), m_inbox.end(), visit);
    }

    /// No trains come here or start here from now on, and what is stored is counted.
    void EndTrains(int64_t now);

    /// A train will arrive. \return The port by which it goes on, which has been told; null if it
    /// ends here. Requires: PassesTrains().
    FabricPort* Expect(const FabricTrain& train, int64_t now);

    /// Something waits at `port`, of this node: it may hold memory.
    /// Requires: it is not listed.
    void ListHolder(FabricPort& port);

    /// How often a port or an account was looked at because the memory was not surely calm.
    uint64_t GetNMemoryLooks() const
    {
        return m_portLooks + (m_buffer ? m_buffer->GetNLooks() : 0);
    }

    /// Asks for FinishArrivals at the end of the present instant's arrivals.
    void RequestFinishArrivals();

    /// All arrivals of the present instant have come: handles those that were collected, pauses and
    /// resumes, then the timers of this instant.
    void FinishArrivals(int64_t now);

    /// By which port, and in which class, a frame leaves this node; the egress is null where there
    /// is no way.
    FabricHop FindHop(const FabricFrame& frame, int64_t now);

    /// A frame is lost in this node: for want of memory, or of a way. `at` counts it.
    void Drop(const FabricFrame& frame, FabricPort& at, int64_t now);

    /// Sends on what waits at ports whose link is down, by the ways that are left.
    void RedirectStranded(int64_t now);

    /// After RedirectStranded: resumes whom the memory that was given back allows to send, watches
    /// the ports where frames wait now, and tells peers over links that may have been down who is
    /// still paused here.
    void UpdatePauses(int64_t now);

  protected:
    void DoDispose() override;

  private:
    void Handle(const FabricFrame& frame, int64_t now);
    void Forward(const FabricFrame& frame, int64_t now);
    bool OrdersArrivals() const;
    bool IsBalancing() const;
    bool IsForwarding() const;
    FabricHop FindHopHere(const FabricFrame& frame, const FabricFlow& flow, int64_t now);
    bool Store(const FabricFrame& frame, FabricPort& egress, int64_t now);
    void HandleInbox(int64_t now);
    void HandleInboxWithMemory(int64_t now);
    void SettleHolders(int64_t now);
    void ExchangePauses(int64_t now);
    void RepeatPauses(int64_t now);
    void SendPause(const FabricIngress& ingress, FabricFrameKind kind, int64_t now);
    FabricFrame MakePause(const FabricIngress& ingress, FabricFrameKind kind) const;
    FabricBufferSettings MakeBufferSettings() const;
    bool OutgrowsHeadroom() const;
    uint64_t ComputeMostClaimed() const;
    void CheckCalm(int64_t now);
    void CalmDown(int64_t now);
    bool IsQuiet() const;
    void BeginCalm(int64_t now);

    Ptr<Fabric> m_fabric;
    uint32_t m_index = 0;
    std::vector<Ptr<FabricPort>> m_ports;
    std::vector<FabricFrame> m_inbox; ///< arrivals of the present instant
    bool m_isFinishRequested = false;
    FabricSender m_sender{*this};
    FabricReceiver m_receiver{*this};
    DeliveredCallback m_delivered;
    TracedCallback<FabricQueuePairKey, uint64_t> m_postTrace;
    TracedCallback<FabricQueuePairKey, uint64_t> m_deliverTrace;
    bool m_isForwarding = false; ///< as the routing says when the fabric is prepared
    std::unique_ptr<FabricSharedBuffer> m_buffer;
    std::vector<FabricPort*> m_holders; ///< ports that hold memory, and others
    uint64_t m_portLooks = 0;
    Ptr<FabricArrivalAction> m_arrivalAction;
    Ptr<FabricLoadBalancer> m_balancer; ///< null: ECMP

    bool m_isCalm = false;
    uint64_t m_claimed = 0;     ///< by all ports, in frames
    uint64_t m_mostClaimed = 0; ///< while the memory is surely calm
    uint32_t m_patience = 0;    ///< instants of arrivals before the calm may begin again
    uint32_t m_nextPatience = 64;

    uint64_t m_bufferSize = 0;
    bool m_hasPfc = false;
    double m_pfcAlpha = 0;
    uint64_t m_pfcHeadroom = 0;
    bool m_outgrowsHeadroom = false; ///< from Prepare() on
    uint64_t m_pfcResumeOffset = 0;
    double m_egressAlpha = 0;
};

} // namespace ns3

#endif /* FABRIC_NODE_H */
