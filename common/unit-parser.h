// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <stdexcept>
#include <string>
#include <string_view>

/// \file
/// All parsing and printing of quantities. Every quantity has a unit: a bare number is an error.
///
/// Units: B, KB..TB (powers of 1000), KiB..TiB (of 1024); b/s, Kb/s..Tb/s, B/s, KB/s..TB/s,
/// KiB/s..TiB/s; ps, ns, us, ms, s; FLOP/s, KFLOP/s..PFLOP/s. A decimal fraction of up to 18 digits
/// is allowed ("37.5 GB/s"); the result is worked in integers and rounded once, to the nearest unit
/// of the type (half up); a size must come to whole bytes. The space between number and unit may be
/// absent. Negative numbers, exponents, infinities and results past 63 bits are errors.

namespace nadi
{

/// What is wrong with a quantity's text and what would be right, without the place:
/// `"62" has no unit; write "62 GB/s" or "62 Gb/s"`.
class UnitError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Throws UnitError.
Bytes ParseBytes(std::string_view text);
/// Throws UnitError; zero is an error too, since nothing would ever arrive.
Bandwidth ParseBandwidth(std::string_view text);
/// Throws UnitError.
SimTime ParseTime(std::string_view text);
/// Throws UnitError; zero is an error too.
FlopRate ParseFlopRate(std::string_view text);

/// The shortest exact text that parses back to the same value: "62 GB/s", "500 ns", "4 MiB". Of
/// equally short ones that in the largest unit whose number is at least 1. Requires: not negative.
std::string ToText(Bytes size);
std::string ToText(Bandwidth rate);
std::string ToText(SimTime time);
std::string ToText(FlopRate rate);

/// For people: three significant digits without needless zeros, sizes in powers of 1024 and rates
/// in bits: "1.24 ms", "496 Gb/s", "64 MiB". Requires: not negative.
std::string ToRoundedText(Bytes size);
std::string ToRoundedText(Bandwidth rate);
std::string ToRoundedText(SimTime time);

} // namespace nadi
