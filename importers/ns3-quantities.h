// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "configuration/config-node.h"

#include <string>

/// \file
/// Quantities in the notation of ns-3. All throw ConfigError at the value.

namespace nadi
{

/// "400Gbps", "50Mb/s", "25GBps", or bits per second without a unit; more than 0.
Bandwidth ReadNs3Rate(const ConfigNode& node);

/// In bits, as rates of networks are: "400 Gb/s", "100 Mb/s"; what is no whole number
/// of Mb/s as elsewhere: "62 GiB/s".
std::string ToNetworkText(Bandwidth rate);

/// "0.0005ms", "500ns", or seconds without a unit; rounded to a picosecond.
SimTime ReadNs3Time(const ConfigNode& node);

/// A number of microseconds, rounded to a picosecond.
SimTime ReadMicroseconds(const ConfigNode& node);

/// A number from 0 to 1.
double ReadProbability(const ConfigNode& node);

} // namespace nadi
