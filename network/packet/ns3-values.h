// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-options.h"

#include <ns3/fabric-helper.h>
#include <ns3/type-id.h>

#include <optional>
#include <string>

namespace nadi
{

/// A value as users write it ("32 MB", "10 us", "100 Gb/s", "true", "0.5") in the words of an ns-3
/// attribute; none where the attribute has no such value.
std::optional<std::string> ToNs3Value(const ns3::TypeId::AttributeInformation& attribute,
                                      const std::string& text);

/// Sets an attribute by its full name: of the ports, channels, NICs, switches and protocol that
/// `helper` makes from now on, or the default of any other type of ns-3.
/// Throws ConfigError at its place: no such type, no such attribute, no such value.
void ApplyNs3Attribute(ns3::FabricHelper& helper, const Ns3Attribute& attribute);

} // namespace nadi
