// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/golden/peers-model.h"

#include <map>
#include <string>

namespace nadi::test
{

/// What other simulators were given and what they answered: a row of a table in tests/data/peers,
/// column -> text. Fails the test where there is no such row.
std::map<std::string, std::string> PeerRow(const std::string& table, const std::string& name);

/// Nadi's configuration of a case; `packet`: what `network.packet` holds.
std::string PeerConfiguration(const PeerCase& peerCase, const std::string& packet);

} // namespace nadi::test
