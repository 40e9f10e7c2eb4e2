// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/trace-clock.h"

#include "common/error.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

namespace nadi
{

namespace
{

constexpr double TRACE_PS_PER_SECOND = 1e12;
constexpr double MOST_SECONDS = 9e6; // 104 days: the clock counts picoseconds

/// The number in text[begin, begin + length); -1 where there is none.
int
ReadDigits(std::string_view text, size_t begin, size_t length)
{
    if (begin + length > text.size())
    {
        return -1;
    }
    int value = -1;
    const char* const first = text.data() + begin;
    const auto [end, error] = std::from_chars(first, first + length, value);
    return error == std::errc{} && end == first + length ? value : -1;
}

/// The offset from UTC in seconds of a zone: "Z", "UTC", "+01", "+0130" or "+01:30". Nothing: it is
/// none.
std::optional<int>
ReadZone(std::string_view text)
{
    if (text == "Z" || text == "UTC")
    {
        return 0;
    }
    const bool hasColon = text.size() == 6 && text[3] == ':';
    const bool hasMinutes = hasColon || text.size() == 5;
    const int hours = ReadDigits(text, 1, 2);
    const int minutes = hasMinutes ? ReadDigits(text, text.size() - 2, 2) : 0;
    const bool hasSign = text.starts_with('+') || text.starts_with('-');
    const bool isWhole = hasSign && (hasMinutes || text.size() == 3);
    if (!isWhole || hours < 0 || hours >= 24 || minutes < 0 || minutes >= 60)
    {
        return std::nullopt;
    }
    const int seconds = (hours * 60 + minutes) * 60;
    return text.front() == '-' ? -seconds : seconds;
}

bool
HasSeparators(std::string_view text)
{
    return text.size() > 16 && text[4] == '-' && text[7] == '-' &&
           (text[10] == ' ' || text[10] == 'T') && text[13] == ':' && text[16] == ':';
}

} // namespace

SimTime
TraceClock::At(double seconds, const std::string& where)
{
    // Both are times of the trace, not divided by the speed.
    if (seconds < m_last)
    {
        throw ConfigError(
            where,
            seconds < 0 ? fmt::format("the time {} s is negative; write 0 or more", seconds)
                        : fmt::format("the time {} s is before that of the request before, {} "
                                      "s; sort the requests by time",
                                      seconds,
                                      m_last));
    }
    m_last = seconds;
    return Duration(seconds, where);
}

SimTime
TraceClock::Duration(double seconds, const std::string& where) const
{
    const double scaled = seconds / m_speed;
    // Negated, so that NaN is refused too.
    if (!(scaled >= 0 && scaled <= MOST_SECONDS))
    {
        throw ConfigError(where,
                          fmt::format("the time {} s is not in 0 to {} s; write a larger speed, or "
                                      "cut the trace",
                                      scaled,
                                      MOST_SECONDS));
    }
    return SimTime::FromPs(std::llround(scaled * TRACE_PS_PER_SECOND));
}

TraceDate
ReadDateTime(std::string_view text, const std::string& where)
{
    const int year = ReadDigits(text, 0, 4);
    const int month = ReadDigits(text, 5, 2);
    const int day = ReadDigits(text, 8, 2);
    const int hour = ReadDigits(text, 11, 2);
    const int minute = ReadDigits(text, 14, 2);
    double second = -1;
    std::string_view zone;
    if (HasSeparators(text))
    {
        const char* const last = text.data() + text.size();
        const char* const end =
            std::from_chars(text.data() + 17, last, second, std::chars_format::fixed).ptr;
        zone = {end, last};
        zone.remove_prefix(zone.starts_with(' ') ? 1 : 0);
    }
    const std::optional<int> offset = zone.empty() ? 0 : ReadZone(zone);
    const std::chrono::year_month_day date{std::chrono::year{year},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    const bool isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 &&
                        second < 61; // with a leap second
    if (!offset || year < 0 || month < 0 || day < 0 || !date.ok() || !isTime)
    {
        throw ConfigError(where,
                          fmt::format("\"{}\" is no date and time; write one such as 2023-11-16 "
                                      "18:15:46.680",
                                      text));
    }
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    // A double counts today's seconds since 1970 in steps of 0.24 us, so a difference of two dates
    // is off by no more than that.
    return {.seconds = (double(days) * 24 + hour) * 3600 + minute * 60 + second - *offset,
            .hasZone = !zone.empty()};
}

double
ReadSeconds(std::string_view text, std::string_view column, const std::string& where)
{
    double seconds = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, seconds);
    if (error != std::errc{} || end != last || !std::isfinite(seconds))
    {
        throw ConfigError(where, fmt::format("{}: \"{}\" is no number", column, text));
    }
    return seconds;
}

} // namespace nadi
