// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_H
#define FABRIC_H

#include "fabric-flow-table.h"
#include "fabric-flow.h"
#include "fabric-paths.h"
#include "fabric-protocol.h"
#include "fabric-routing.h"

#include "ns3/callback.h"
#include "ns3/event-impl.h"
#include "ns3/fabric-event.h"
#include "ns3/fabric-node.h"
#include "ns3/fabric-pair-table.h"
#include "ns3/fabric-telemetry.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <vector>

/// \defgroup fabric Fabric: lossless networks of NICs and switches that carry queue pairs

namespace ns3
{

/// \ingroup fabric
/// Who wants to know which parts of a fabric are at rest.
class FabricActivityListener
{
  public:
    virtual ~FabricActivityListener() = default;

    /// A queue pair has become idle: all that was posted is delivered and acknowledged. `owner` was
    /// given to SetOwner last. Its congestion control has slowed down `slowdowns` times since it
    /// was idle before.
    virtual void OnIdle(uint32_t owner, uint64_t slowdowns) = 0;

    /// What happens to a frame that starts at `port` depends on a random draw, or it is marked.
    virtual void OnDraw(const FabricPort& port) = 0;
};

/// \ingroup fabric
/// One network: its nodes by index, its protocol and routing, and the records of the flows under
/// way.
///
/// It is what the parts of a network share: ports and NICs reach the protocol, the routing and the
/// records of flows through it, and whoever builds a network (FabricHelper, or a program of its
/// own) fills it. What the network can do to frames (lose, reorder, several ways) is found out
/// once, when the first flow opens.
///
/// All times in a fabric are int64 picoseconds: the constructor stops the program with a message
/// unless Time::SetResolution(Time::PS) was called before. Everything (links, attributes, faults,
/// protocol, routing) is set before the first message is posted.
/// Owner: the user; every node of the fabric holds a reference. Nodes belong to ns-3's NodeList.
class Fabric : public Object
{
  public:
    /// A queue pair has given up: nothing came back after all its retries.
    using FailedCallback = Callback<void, FabricFlowKey>;

    /// Frames of a port would arrive after the end of the clock (FABRIC_CLOCK_END).
    using ClockEndCallback = Callback<void, const FabricPort&>;

    /// \return The object TypeId.
    static TypeId GetTypeId();

    Fabric();
    ~Fabric() override;

    /// Adds a node and tells it its index, which counts from 0.
    void AddNode(FabricNode& node);

    FabricNode& GetNode(uint32_t index) const
    {
        return *m_nodes[index];
    }

    uint32_t GetNNodes() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    /// Who says which way a flow goes. Requires: set before the first message.
    void SetRouting(Ptr<FabricRouting> routing);

    const FabricRouting& GetRouting() const
    {
        return *m_routing;
    }

    FabricProtocol& GetProtocol() const
    {
        return *m_protocol;
    }

    FabricPaths& GetPaths()
    {
        return m_paths;
    }

    FabricTelemetryPool& GetTelemetry()
    {
        return m_telemetry;
    }

    /// Who is told of queue pairs that give up; without a callback the program stops.
    void SetFailedCallback(FailedCallback callback);

    void ReportFailure(const FabricFlowKey& flow) const;

    /// Who is told that the clock ends too soon. The callback throws, as nothing can go on: what it
    /// throws comes out of Simulator::Run or of the call that touched the port, and the fabric can
    /// only be disposed of then. Without a callback the program stops.
    void SetClockEndCallback(ClockEndCallback callback);

    [[noreturn]] void ReportClockEnd(const FabricPort& port) const;

    // --- what is at rest, for whoever sends ---

    /// Who is told when queue pairs come to rest. Requires: it outlives the run, or null is set.
    void SetActivityListener(FabricActivityListener* listener)
    {
        m_activity = listener;
    }

    FabricActivityListener* GetActivityListener() const
    {
        return m_activity;
    }

    /// Finds out what the network can do to frames. Everything is set by then; the first message
    /// does it otherwise.
    void Prepare();

    /// Names whoever is told when this queue pair comes to rest. Requires: it has an object, as
    /// after Post.
    void SetOwner(FabricPairHandle pair, uint32_t owner);

    /// Whether all that was posted is delivered and acknowledged.
    bool IsIdle(FabricPairHandle pair) const;

    /// Whether the queue pair would do with its next message what a new one does, but for the
    /// numbers of its frames. Requires: it is idle.
    bool IsAsNew(FabricPairHandle pair) const;

    /// It goes on as if it had sent `frames` frames more. Requires: IsAsNew.
    void SkipFrames(FabricPairHandle pair, uint64_t frames);

    /// Counts what was not simulated again.
    void AddSlowdowns(uint64_t count)
    {
        m_slowdowns += count;
    }

    // --- queue pairs, for whoever sends ---

    /// Makes a queue pair from a node to another, to be posted on. Nothing is sent before.
    /// Requires: source != destination; the stream has no other queue pair of these ends.
    /// \return Its name until the stream is closed.
    FabricPairHandle OpenQueuePair(const FabricFlowKey& key);

    /// Appends a message of `size` bytes to a queue pair.
    /// Calls back the destination's DeliveredCallback once.
    void Post(FabricPairHandle pair, uint64_t size, uint64_t cookie);

    /// No message will be posted on `stream`: its handles are void, and its queue pairs are
    /// forgotten as soon as all their messages are delivered and acknowledged. Costs the queue
    /// pairs of this stream, however many others there are.
    void CloseStream(uint64_t stream);

    /// Queue pairs that exist as objects: all that send, and of those that rest between two
    /// messages as many as FabricProtocol says.
    uint32_t GetNQueuePairs() const
    {
        return m_flows.GetNOpen();
    }

    /// Calls `visit(queuePair)` for each of these, in no order that means anything.
    template <class Visitor>
    void VisitQueuePairs(Visitor visit) const
    {
        m_flows.Visit([&visit](const FabricFlow& flow) { visit(*flow.queuePair); });
    }

    const FabricPairTable& GetPairs() const
    {
        return m_pairs;
    }

    // --- flows, for the parts of the fabric ---

    /// Makes the object of a queue pair and the record of its flow, and finds its paths.
    FabricQueuePair& OpenFlow(FabricPairHandle pair);

    /// Forgets a flow and its queue pair; its index will name another one.
    /// Requires: no frame of it is under way.
    void CloseFlow(uint32_t flow);

    /// The same for a flow whose queue pair rests (FabricQueuePair::CanRest): it goes on from the
    /// number of its frames when it is posted on again.
    void GiveFlowBack(uint32_t flow);

    /// The simulation is over: forgets all flows, whose timers need the simulator.
    void ForgetFlows();

    const FabricFlow& GetFlow(uint32_t flow) const
    {
        return m_flows[flow];
    }

    FabricFlow& GetFlow(uint32_t flow)
    {
        return m_flows[flow];
    }

    /// The record will be read soon. Of no meaning for frames of a link, which have no flow.
    void PrefetchFlow(uint32_t flow) const
    {
        m_flows.Prefetch(flow);
    }

    /// Of the way of its data frames.
    uint32_t CountLinks(uint32_t flow) const
    {
        return m_flows[flow].forward.GetSize();
    }

    /// A frame was taken in or lost: what it held is free.
    void EndFrame(const FabricFrame& frame);

    /// It was lost: its queue pair may have to send again. Ends the frame.
    void LoseFrame(const FabricFrame& frame, int64_t now);

    // --- what the network can do to frames ---

    /// Whether a frame can be lost: by a fault, or for want of memory.
    bool CanLose() const
    {
        return m_canLose;
    }

    /// Whether load balancers act, so that frames of some flow can overtake each other.
    bool Reorders() const
    {
        return m_reorders;
    }

    /// Whether those of this flow can. On a way without a choice frames keep their order, whatever
    /// others do, and a gap is a loss.
    bool Reorders(const FabricFlow& flow) const
    {
        return m_reorders && flow.forward.HasChoice();
    }

    /// Whether runs of equal frames may travel as trains: no link loses frames at random, and each
    /// flow keeps to one way. Ports form none where a memory may drop or pause before its calm
    /// bound ends (FabricCalmBound).
    bool FormsTrains() const
    {
        return m_formsTrains;
    }

    /// No trains from now on: frames may be lost.
    void EndTrains(int64_t now);

    /// Whether links can go down, so that each node finds the next hop anew for each frame.
    bool RoutesByHop() const
    {
        return m_routesByHop;
    }

    /// Whether frames of one flow can come by several ports.
    bool HasManyWays() const
    {
        return m_reorders || m_routesByHop;
    }

    /// A queue pair has become idle.
    void ReportIdle(FabricQueuePair& queuePair);

    /// The routing gives other answers from now on: frames at links that are down and queue pairs
    /// take the new ways.
    void Reroute(int64_t now);

    /// Whether Reroute will be called once more: a queue pair without a way then waits for it and
    /// does not give up.
    void SetAwaitsRoutes(bool awaitsRoutes)
    {
        m_awaitsRoutes = awaitsRoutes;
    }

    bool AwaitsRoutes() const
    {
        return m_awaitsRoutes;
    }

    // --- instants ---

    /// Asks for node.FinishArrivals when all arrivals of the present instant have come.
    void RequestFinishArrivals(FabricNode& node);

    /// Does what was asked for. May be called by whoever knows that all arrivals of the instant
    /// have come; otherwise it is called at the end of the instant
    /// (FabricEvent::ScheduleAtEndOfInstant).
    void FinishArrivals();

    // --- what happened ---

    void CountNotification()
    {
        ++m_notifications;
    }

    void CountTrain()
    {
        ++m_trains;
    }

    /// Trains that went over one link or more ahead of their events.
    uint64_t GetNTrains() const
    {
        return m_trains;
    }

    void CountCutTrains(uint64_t count)
    {
        m_cutTrains += count;
    }

    /// Of the trains, those whose promise was taken back before its end.
    uint64_t GetNCutTrains() const
    {
        return m_cutTrains;
    }

    /// Queue pairs that were given back while they rested.
    uint64_t GetNGivenBack() const
    {
        return m_givenBack;
    }

    uint64_t GetNNotifications() const
    {
        return m_notifications;
    }

    /// How often congestion controls have lowered a rate or a window.
    uint64_t GetNSlowdowns() const;

    /// Whether a window ever kept a frame from starting.
    bool HasHeldFrames() const;

  protected:
    void DoDispose() override;

  private:
    std::vector<const FabricFlow*> ListFlows() const;

    std::vector<FabricNode*> m_nodes;
    FabricPairTable m_pairs;
    FabricFlowTable m_flows;
    FabricTelemetryPool m_telemetry;
    Ptr<FabricRouting> m_routing;
    Ptr<FabricProtocol> m_protocol;
    FailedCallback m_failed;
    ClockEndCallback m_clockEnd;
    FabricActivityListener* m_activity = nullptr;
    FabricPaths m_paths{*this};
    std::vector<FabricNode*> m_finishing; ///< whose arrivals of this instant are to be finished
    FabricMethodEvent<&Fabric::FinishArrivals> m_arrivalsEnd{*this};
    uint64_t m_notifications = 0;
    uint64_t m_slowdowns = 0; ///< of the queue pairs that have come to rest
    uint64_t m_trains = 0;
    uint64_t m_cutTrains = 0;
    uint64_t m_givenBack = 0;
    bool m_hasHeldFrames = false; ///< of the queue pairs that have come to rest
    bool m_formsTrains = false;
    bool m_isPrepared = false;
    bool m_canLose = false;
    bool m_reorders = false;
    bool m_awaitsRoutes = false;
    bool m_routesByHop = false;
};

} // namespace ns3

#endif /* FABRIC_H */
