// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <string>
#include <string_view>

namespace nadi
{

/// Turns the times of a trace into those of a run: divided by a speed, and never going back.
class TraceClock
{
  public:
    explicit TraceClock(double speed)
        : m_speed(speed)
    {
    }

    /// Throws ConfigError at `where` for a time that is negative, before the one asked for last, or
    /// past the clock's range.
    SimTime At(double seconds, const std::string& where);

    /// A time that passes, such as that of a tool. Throws as At.
    SimTime Duration(double seconds, const std::string& where) const;

  private:
    double m_speed;
    double m_last = 0;
};

/// A date and time of a trace.
struct TraceDate
{
    double seconds = 0; ///< from a fixed day
    bool hasZone = false;
};

/// Reads "2023-11-16 18:15:46.6805900", also with "T" in place of the space. Behind it there may be
/// a zone, such as "Z", "UTC" or "+01:00": the seconds are those of UTC then. Throws ConfigError at
/// `where` for any other text.
TraceDate ReadDateTime(std::string_view text, const std::string& where);

/// Throws ConfigError at `where`, with the column's name, for what is no number.
double ReadSeconds(std::string_view text, std::string_view column, const std::string& where);

} // namespace nadi
