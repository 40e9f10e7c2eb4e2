// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ARRIVAL_ACTION_H
#define FABRIC_ARRIVAL_ACTION_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

class FabricNode;

/// \ingroup fabric
/// What becomes of a frame that has arrived at a node.
enum class FabricArrivalOutcome : uint8_t
{
    Pass,   ///< what always does: it is taken in if it ends here, else forwarded
    Absorb, ///< it ends here, and nobody else gets it
};

/// \ingroup fabric
/// What a node does with the frames that arrive, before all else: it may let them pass, absorb
/// them, and emit messages of its own (Fabric::Post, on queue pairs that it opened for the node).
/// Without an action all frames pass.
///
/// Order: the frames of an instant come at its end, in the order of the ports by which they came,
/// so nothing depends on the order of execution. A node with an action is told of each frame, so
/// its fabric forms no trains. Pause frames are the port's business and do not come here.
///
/// A data frame that is absorbed never reaches its receiver, which neither delivers its message nor
/// acknowledges it. Whoever absorbs says what becomes of the message.
///
/// To add one: a file with a subclass whose TypeId is registered (NS_OBJECT_ENSURE_REGISTERED);
/// FabricHelper::UseArrivalAction then finds it by name. Its attributes are its parameters.
class FabricArrivalAction : public Object
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    /// Called by the node that it acts for.
    void Join(FabricNode& node)
    {
        m_node = &node;
    }

    /// One sentence for users.
    virtual std::string GetHelp() const = 0;

    /// A frame has arrived at the present instant `now`, by port frame.ingress.
    virtual FabricArrivalOutcome OnArrival(const FabricFrame& frame, int64_t now) = 0;

  protected:
    FabricNode& GetNode() const
    {
        return *m_node;
    }

  private:
    FabricNode* m_node = nullptr;
};

} // namespace ns3

#endif /* FABRIC_ARRIVAL_ACTION_H */
