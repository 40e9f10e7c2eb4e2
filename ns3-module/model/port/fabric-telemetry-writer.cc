// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-telemetry-writer.h"

#include "fabric-arbiter.h"
#include "fabric-port.h"

#include "ns3/fabric-node.h"
#include "ns3/fabric-telemetry.h"
#include "ns3/fabric.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricTelemetryWriter);

TypeId
FabricTelemetryWriter::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricTelemetryWriter")
                            .SetParent<FabricStartAction>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricTelemetryWriter>();
    return tid;
}

std::string
FabricTelemetryWriter::GetHelp() const
{
    return "Writes the queue, the load and the rate of the port into frames.";
}

void
FabricTelemetryWriter::OnStart(FabricFrame& frame, const Start& start)
{
    // Hop 0 is the sender's own port, which forwards nothing. A record has the bytes that were sent
    // before this frame, so the difference of two records is what the port has sent between their
    // starts.
    if (frame.collectsTelemetry && frame.hop > 0)
    {
        start.port.GetFabricNode()
            .GetFabric()
            .GetTelemetry()
            .Get(frame.detail)
            .records.push_back({start.time,
                                start.sentBytes,
                                start.queue.GetWaitingBytes(),
                                start.port.GetTimes().GetRateAt(start.time)});
    }
}

} // namespace ns3
