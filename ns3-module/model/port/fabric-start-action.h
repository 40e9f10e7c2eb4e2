// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_START_ACTION_H
#define FABRIC_START_ACTION_H

#include "ns3/fabric-frame.h"
#include "ns3/fabric-hash.h"
#include "ns3/object.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

class FabricArbiter;
class FabricPort;

/// \ingroup fabric
/// What happens to frames when they start at a port: they are marked, collect telemetry, are lost
/// on the link.
///
/// A port may have several actions, which act in the order in which they were added. None may
/// depend on the order of execution: a random choice is a function of identities (Draw). A port
/// forms no trains while one of its actions may do something, so it meets each frame then.
///
/// To add one: a file with a subclass whose TypeId is registered (NS_OBJECT_ENSURE_REGISTERED);
/// FabricHelper::AddStartAction then finds it by name. Its attributes are its parameters.
class FabricStartAction : public Object
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    /// The start of a frame. Times in picoseconds.
    struct Start
    {
        const FabricPort& port;
        int64_t time;
        int64_t arrival;            ///< when the peer's node acts on the frame
        uint64_t sentBytes;         ///< of all frames that the port started before
        const FabricArbiter& queue; ///< what the frame leaves behind
    };

    /// One sentence for users.
    virtual std::string GetHelp() const = 0;

    /// A frame starts: may set `isMarked` and `isLost`, and no other part of it.
    virtual void OnStart(FabricFrame& frame, const Start& start) = 0;

    /// While no more bytes of data than this wait at the port, no frame that starts is marked or
    /// lost; none: that may happen whatever waits. Ports form trains while their queue is surely no
    /// longer.
    virtual std::optional<uint64_t> GetIdleQueue() const;

    /// Whether frames that start at this port may be lost: queue pairs then get retry timers.
    virtual bool CanLose(const FabricPort& port) const;

  protected:
    /// A uniform random number of [0, 1): a function of the fabric's seed, of the purpose, the port
    /// and the frame. Actions with different purposes draw independently of each other.
    static double Draw(FabricPurpose purpose, const FabricFrame& frame, const FabricPort& port);
};

} // namespace ns3

#endif /* FABRIC_START_ACTION_H */
