// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TELEMETRY_WRITER_H
#define FABRIC_TELEMETRY_WRITER_H

#include "fabric-start-action.h"

#include <string>

namespace ns3
{

/// \ingroup fabric
/// Adds a record to each data frame in transit that collects telemetry. Every port has this action
/// where the congestion control needs telemetry.
class FabricTelemetryWriter : public FabricStartAction
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;
    void OnStart(FabricFrame& frame, const Start& start) override;
};

} // namespace ns3

#endif /* FABRIC_TELEMETRY_WRITER_H */
