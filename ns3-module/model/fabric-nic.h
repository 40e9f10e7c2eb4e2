// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_NIC_H
#define FABRIC_NIC_H

#include "fabric-node.h"
#include "fabric-queue-pair.h"
#include "fabric-rest-list.h"
#include "fabric-resting-pairs.h"

#include "ns3/callback.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

struct FabricFlow;

/// \ingroup fabric
/// The end of queue pairs (RDMA): sends messages frame by frame over its ports, takes in what
/// arrives, answers it, sends again what was lost, and forwards frames in transit (in a torus, say)
/// without delay.
///
/// Each queue pair leaves by one port, the first of its flow's path. Several share a port frame by
/// frame in the order of their turns.
///
/// The life of a queue pair: the first message opens it. When its last frame has ended it is idle,
/// and it rests. Of those at rest a NIC keeps a limited number, and gives back the one that has
/// rested longest; then only the count of its frames is left (FabricRestingPairs), from which a
/// later message opens it again. When its stream is closed it is forgotten. So memory follows the
/// traffic under way, also where every NIC sends to every other one.
class FabricNic : public FabricNode
{
  public:
    /// A message has arrived whole; gets the cookie it was posted with.
    using DeliveredCallback = Callback<void, uint64_t>;

    /// Signature of the trace sources for messages.
    typedef void (*MessageTracedCallback)(FabricQueuePairKey key, uint64_t cookie);

    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricNic();
    ~FabricNic() override;

    /// Who is told, at this NIC, of messages that arrived; inside the event of the arrival.
    void SetDeliveredCallback(DeliveredCallback callback);

    /// Appends a message of `size` bytes to a queue pair, which is made if there is none.
    /// Calls back the destination's DeliveredCallback once.
    /// Requires: the destination is another NIC of the fabric; the stream is not closed.
    void PostMessage(const FabricQueuePairKey& key, uint64_t size, uint64_t cookie);

    /// No message will be posted on `stream` here: its queue pairs are forgotten as soon as all
    /// their messages are delivered and acknowledged.
    void CloseStream(uint64_t stream);

    /// Queue pairs that are kept whole: all that send, and of those that rest between two messages
    /// as many as FabricProtocol says.
    uint32_t GetNQueuePairs() const
    {
        return static_cast<uint32_t>(m_queuePairs.size());
    }

    /// Null: there is no such queue pair (any more), or only the count of its frames is left.
    const FabricQueuePair* FindQueuePair(const FabricQueuePairKey& key) const;

    /// Calls `visit(queuePair)` for each that is not forgotten, in the order of their keys.
    template <class Visitor>
    void VisitQueuePairs(Visitor visit) const
    {
        for (const auto& entry : m_queuePairs)
        {
            visit(entry.second);
        }
    }

    void FinishArrivals(int64_t now) override;

    /// Called by the fabric: a frame of a queue pair of this NIC has ended its life.
    void EndFrame(FabricQueuePair& queuePair);

    /// Called by the fabric when ways have changed: queue pairs leave by their new ports.
    void RerouteQueuePairs(int64_t now);

  protected:
    void DoDispose() override;
    void Handle(const FabricFrame& frame, int64_t now) override;

  private:
    using QueuePairMap = std::map<FabricQueuePairKey, FabricQueuePair>;

    FabricQueuePair& FindOrOpen(const FabricQueuePairKey& key);
    FabricQueuePair& Open(const FabricQueuePairKey& key);
    void Rest(FabricQueuePair& queuePair);
    void ChangePath(FabricQueuePair& queuePair, int64_t now);
    void Forget(FabricQueuePair& queuePair);
    void ReceiveData(const FabricFrame& frame, int64_t now);
    void Notify(const FabricFrame& data, FabricQueuePair& queuePair, int64_t now);
    bool Answer(const FabricFrame& data, FabricReceiveWindow::Outcome outcome, int64_t now);
    bool IsAnswerDue(FabricQueuePair& queuePair, FabricReceiveWindow::Outcome outcome) const;
    void Send(const FabricFrame& data, FabricFrameKind kind, uint32_t detail, int64_t now);
    void ReceiveAnswer(const FabricFrame& frame, int64_t now);
    void TakeAnswer(FabricQueuePair& queuePair, const FabricFrame& frame, int64_t now);
    void Deliver(FabricQueuePair& queuePair);
    void OnTimer(FabricQueuePair& queuePair);
    void HandleTimer(FabricQueuePair& queuePair, int64_t now);

    QueuePairMap m_queuePairs;                 ///< values stay in place, flows point to them
    FabricRestList<FabricQueuePair> m_resting; ///< of m_queuePairs, those at rest
    FabricRestingPairs m_restingPairs;         ///< of which only a count is left
    std::vector<FabricQueuePair*> m_dueTimers; ///< whose timers came at the present instant
    DeliveredCallback m_delivered;
    TracedCallback<FabricQueuePairKey, uint64_t> m_postTrace;
    TracedCallback<FabricQueuePairKey, uint64_t> m_deliverTrace;
};

} // namespace ns3

#endif /* FABRIC_NIC_H */
