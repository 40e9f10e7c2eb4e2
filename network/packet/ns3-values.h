// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-options.h"

#include <ns3/fabric-helper.h>
#include <ns3/type-id.h>

#include <optional>
#include <string>

namespace nadi
{

/// The word for a rate that follows the port's.
inline constexpr const char* AUTOMATIC_RATE = "auto";

/// A value as users write it ("32 MB", "10 us", "100 Gb/s", "true", "0.5") in the words of an ns-3
/// attribute; none where the attribute has no such value.
std::optional<std::string> ToNs3Value(const ns3::TypeId::AttributeInformation& attribute,
                                      const std::string& text);

/// Sets an attribute by its full name: of the ports, NICs, switches, protocol, congestion
/// control and load balancer of `helper`. Throws ConfigError at its place: no such type, no such
/// attribute, no such value; nothing of that type in the network; what only the topology says.
/// Requires: nothing was installed; the congestion control and the load balancer were chosen.
void ApplyNs3Attribute(ns3::FabricHelper& helper, const Ns3Attribute& attribute);

} // namespace nadi
