// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <string>
#include <vector>

namespace nadi
{

/// The rates of one sentence, exact and in one unit, so that a reader can compare them: "50 GB/s"
/// and "450 GB/s", though 3.6 Tb/s is shorter. Of the units, the one with the shortest texts, with
/// whole numbers where that is open. One rate alone has the text of ToText.
/// Requires: none is negative.
std::vector<std::string> ToTextsInOneUnit(const std::vector<Bandwidth>& rates);

} // namespace nadi
