// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/text-format.h"

#include <fmt/format.h>

namespace nadi
{

/// Requires: the time is not negative.
std::string
NsText(SimTime time)
{
    return fmt::format("{}.{:03}", time.Ps() / 1000, time.Ps() % 1000);
}

/// In integers, so that every decimal is exact.
std::string
GbpsText(Bandwidth bandwidth)
{
    constexpr int64_t bitsPerGigabit = 1'000'000'000;
    const int64_t whole = bandwidth.BitsPerSecond() / bitsPerGigabit;
    const int64_t rest = bandwidth.BitsPerSecond() % bitsPerGigabit;
    if (rest == 0)
    {
        return std::to_string(whole);
    }
    std::string text = fmt::format("{}.{:09}", whole, rest);
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

std::string
RatioText(double value)
{
    return fmt::format("{:.6f}", value);
}

std::string
CsvText(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char letter : text)
    {
        quoted += letter;
        if (letter == '"')
        {
            quoted += '"';
        }
    }
    return quoted + "\"";
}

} // namespace nadi
