// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"

#include <ns3/type-id.h>

#include <functional>
#include <string>

namespace nadi
{

/// A kind of part of the fabric whose ns-3 types users choose by name: `timely` is
/// `ns3::FabricTimely`, and `spray` is `ns3::FabricSprayBalancer`.
struct PartKind
{
    ns3::TypeId base;   ///< of all types of this kind
    std::string suffix; ///< of their names
    std::string key;    ///< of the configuration, in full
};

/// What a user can say of a type: its name, `help`, and its attributes up to those of the kind.
ComponentInfo DescribePart(const PartKind& kind, const ns3::TypeId& type, const std::string& help);

/// The type of that name. Requires: there is one.
ns3::TypeId FindPartType(const PartKind& kind, const std::string& name);

/// Throws ConfigError, with the parameter as its place, where one of the choice is out of range.
/// Requires: `choice.parameters` is empty, or there is such a type.
void CheckPartParameters(const PartKind& kind, const ComponentChoice& choice);

/// Calls `set(attribute, value)` for each parameter of the choice, as ns-3 writes them.
/// Throws ConfigError where one is out of range.
void SetPartParameters(const PartKind& kind,
                       const ComponentChoice& choice,
                       const std::function<void(const std::string&, const std::string&)>& set);

} // namespace nadi
