// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PCAP_HELPER_H
#define FABRIC_PCAP_HELPER_H

#include "ns3/fabric-port.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// \ingroup fabric
/// Writes what a port sends and receives to a file that tcpdump and Wireshark read, through ns-3's
/// own writer: the frames as FabricHeader describes them, filled with zeros to their wire size.
///
/// Records carry nanoseconds: of the start of what is sent (also if it is lost on its way), of the
/// arrival of what is received. Their times never decrease: the port reports a start only when it
/// is next touched, so each arrival is taken as such a touch, which changes nothing else.
class FabricPcapHelper
{
  public:
    /// Bytes that the file keeps of a frame at most: whole frames, as Wireshark calls RoCE frames
    /// that were cut malformed. Of a frame smaller than its headers they show what fits into it.
    static constexpr uint32_t SNAP_BYTES = 65535;

    /// Replaces the file. Stops the program if it cannot be written.
    /// Requires: nothing was posted yet.
    static void EnablePcap(const std::string& fileName, Ptr<FabricPort> port);
};

} // namespace ns3

#endif /* FABRIC_PCAP_HELPER_H */
