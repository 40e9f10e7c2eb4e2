// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_NIC_H
#define FABRIC_NIC_H

#include "fabric-node.h"

namespace ns3
{

/// \ingroup fabric
/// The network card of a computer or an accelerator (RDMA). It acts on a frame without a delay of
/// its own, and forwards what is not meant for it (in a torus, say).
class FabricNic : public FabricNode
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();
};

} // namespace ns3

#endif /* FABRIC_NIC_H */
