// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TRAINS_END_H
#define FABRIC_TRAINS_END_H

#include <cstdint>

namespace ns3
{

class Fabric;

/// \ingroup fabric
/// Ends what is left of trains in the whole fabric at `now`: ports and queue pairs see each frame
/// from then on, also those of trains that are under way.
void EndFabricTrains(Fabric& fabric, int64_t now);

} // namespace ns3

#endif /* FABRIC_TRAINS_END_H */
