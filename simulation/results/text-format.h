// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <string>
#include <string_view>

/// \file
/// How single values stand in result files.

namespace nadi
{

/// Nanoseconds with three decimals: exact, since the clock counts picoseconds.
std::string NsText(SimTime time);

/// A bandwidth in 10^9 bits per second, with as many decimals as it needs.
std::string GbpsText(Bandwidth bandwidth);

/// A ratio or a rate, with six decimals.
std::string RatioText(double value);

/// A field of a CSV row (RFC 4180): quoted where it holds a comma, a quote or a line break.
std::string CsvText(std::string_view text);

} // namespace nadi
