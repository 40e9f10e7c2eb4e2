// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/unit-table.h"

#include <string>
#include <string_view>

/// \file
/// What is said to a user whose quantity cannot be read. Each text quotes what was given and shows
/// what would be right.

namespace nadi::detail
{

/// The text of a quantity, cut where its number ends.
struct QuantityText
{
    std::string_view whole;  ///< trimmed
    std::string_view number; ///< digits and points
    std::string_view unit;   ///< what follows, trimmed
};

/// `"62" has no unit; write "62 GB/s" or "62 Gb/s"`, with `problem` = "has no unit".
/// Throws UnitError, always. `number` is what the advice is shown with.
[[noreturn]] void ThrowUnfit(const QuantityText& text,
                             const Quantity& quantity,
                             std::string_view problem,
                             std::string_view number);

/// The unit is none of the quantity's: says so when it belongs to another quantity, else names
/// the units that were probably meant, else all that are known. Throws UnitError, always.
[[noreturn]] void ThrowUnknownUnit(const QuantityText& text, const Quantity& quantity);

/// The unit of `quantity` with exactly this name, or nullptr.
const Unit* FindUnit(const Quantity& quantity, std::string_view name);

/// The text in double quotes.
std::string Quote(std::string_view text);

} // namespace nadi::detail
