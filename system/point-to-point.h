// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/network-backend.h"
#include "system/library/protocol.h"
#include "system/operation.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi
{

/// A send or receive that has not completed; for the wait-for report.
struct PendingPointToPoint
{
    PointToPointCall call;
    bool isMatched = false; ///< its other end was called too: the message is under way
};

/// Told about messages between two ranks.
class PointToPointObserver
{
  public:
    virtual ~PointToPointObserver() = default;
    /// For the digest (docs/semantics.md 8).
    virtual void OnMessageCompleted(const Delivery& delivery) = 0;
    /// `receive` has met `send`, which was issued at `sendIssued`.
    virtual void OnReceiveMatched(const PointToPointCall& send,
                                  const PointToPointCall& receive,
                                  SimTime sendIssued) = 0;
};

/// Sends and receives, matched by (source, destination, tag) in the order of their issue.
///
/// Sends are eager: they travel whether or not the receive was issued. A send completes when its
/// last byte is delivered; a receive when it was issued and the message is delivered and, by the
/// protocol, may be used. Sends of one kind and pair of ranks are delivered in the order of their
/// issue; those of different kinds have queue pairs of their own. A send to oneself completes at
/// its issue and feeds the matching receive.
class PointToPoint
{
  public:
    PointToPoint(EventLoop& loop,
                 NetworkBackend& network,
                 const Protocol& protocol,
                 uint32_t ranks,
                 OperationListener& listener);
    ~PointToPoint();

    void SetObserver(PointToPointObserver& observer);

    /// Throws JobError when a receive names a size that differs from its send's.
    void Start(const PointToPointCall& call);

    /// A message of a stream of point-to-point traffic was delivered.
    void OnMessageDelivered(const Delivery& delivery);

    /// By (rank, node).
    std::vector<PendingPointToPoint> FindPending() const;

    Bytes BytesSent(RankId rank) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace nadi
