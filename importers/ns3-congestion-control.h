// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-draft.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What CC_MODE stands for.
struct Ns3Mode
{
    uint32_t number;
    std::string control;          ///< ours; none where there is no counterpart
    std::string note;             ///< told beside it
    uint32_t telemetryOfData = 0; ///< bytes that it adds to the header of every data frame
    uint32_t telemetryOfControl = 0;
};

/// The mode of CC_MODE, a value of the configuration `root`. Numbers that the source does not know
/// have no rate control there either.
Ns3Mode ReadNs3Mode(const ConfigNode& root);

/// CC_MODE and the parameters of the congestion controls.
const std::vector<std::string>& Ns3ControlKeys();

/// Whether the congestion control of a mode has the parameter of that key.
bool IsNs3Parameter(const std::string& key, const Ns3Mode& mode);

/// Maps one of these keys to `network.packet.congestion-control`; a parameter that the mode does
/// not have is told and sets nothing. Requires: CC_MODE before all others. Throws ConfigError.
void ImportNs3Control(const ConfigNode& node, const Ns3Mode& mode, ImportDraft& draft);

} // namespace nadi
