// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "network/event-loop.h"
#include "network/link-fault.h"
#include "network/network-backend.h"
#include "network/network-options.h"
#include "network/routing.h"
#include "network/topology.h"

#include <memory>
#include <vector>

namespace nadi
{

/// What a backend is made from. All of it outlives the backend.
struct BackendSurroundings
{
    const Topology& topology;
    const Routing& routing;
    const PacketOptions& options;
    const std::vector<LinkFault>& faults; ///< empty unless the backend HasFrames
    EventLoop& loop;
};

/// A kind of network backend, chosen by name; `network.backend`.
///
/// To add one: implement NetworkBackend in a folder beside `analytical/`, and register its kind at
/// the end of the backend's file.
class BackendKind
{
  public:
    virtual ~BackendKind() = default;

    /// Whether messages travel frame by frame, so that links can fail and be captured, and the
    /// mechanisms of `network.packet` act.
    virtual bool HasFrames() const
    {
        return false;
    }

    /// Whether messages share each link on their ways, so that together they never have more than
    /// its rate, and no collective is faster than the cuts of the network allow.
    virtual bool SharesLinks() const
    {
        return true;
    }

    /// Whether links count what they carry while they carry it, and not a whole message at the
    /// instant of its delivery.
    virtual bool CountsOnTheWay() const
    {
        return true;
    }

    virtual std::unique_ptr<NetworkBackend> Make(const BackendSurroundings& surroundings) const = 0;
};

/// BackendKind::HasFrames of the backend that was chosen.
inline bool
HasFrames(const ComponentChoice& backend)
{
    return Registry<BackendKind>::Instance().Make(backend)->HasFrames();
}

/// BackendKind::CountsOnTheWay of the backend that was chosen.
inline bool
CountsOnTheWay(const ComponentChoice& backend)
{
    return Registry<BackendKind>::Instance().Make(backend)->CountsOnTheWay();
}

/// BackendKind::SharesLinks of the backend that was chosen.
inline bool
SharesLinks(const ComponentChoice& backend)
{
    return Registry<BackendKind>::Instance().Make(backend)->SharesLinks();
}

} // namespace nadi
