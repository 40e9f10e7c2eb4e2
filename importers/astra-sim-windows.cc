// SPDX-License-Identifier: GPL-2.0-only
#include "importers/astra-sim-windows.h"

#include "system/system-options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>
#include <utility>

namespace nadi
{

std::optional<uint32_t>
FindWindow(const std::string& name)
{
    const size_t digits = name.find_first_of("0123456789");
    const std::string word = name.substr(0, digits);
    if (digits == std::string::npos || (word != "direct" && word != "oneDirect"))
    {
        return std::nullopt;
    }
    uint32_t window = 0;
    const char* const last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data() + digits, last, window);
    return error == std::errc{} && end == last && window > 0 ? std::optional(window) : std::nullopt;
}

void
AstraSimWindows::Add(const ConfigNode& node, const std::string& name, uint32_t members)
{
    const std::optional<uint32_t> given = FindWindow(name);
    const uint32_t others = members - 1;
    m_windows.push_back({.node = &node,
                         .name = name,
                         .others = others,
                         .isGiven = given.has_value(),
                         .sends = given.value_or(others)});
}

void
AstraSimWindows::Map(ImportDraft& draft) const
{
    const auto largest = std::ranges::max_element(m_windows, {}, &Window::sends);
    if (largest == m_windows.end())
    {
        return;
    }
    const bool isDefaultEnough = largest->sends <= SystemOptions().sendsInFlight;
    if (isDefaultEnough && std::ranges::none_of(m_windows, &Window::isGiven))
    {
        return;
    }
    draft.Map(*largest->node, "system.sends-in-flight", largest->sends);
    std::set<std::pair<const ConfigNode*, std::string>> told;
    for (const Window& window : m_windows)
    {
        const bool isLimit = window.sends < window.others;
        if (isLimit && window.sends < largest->sends &&
            told.emplace(window.node, window.name).second)
        {
            draft.Drop(*window.node,
                       fmt::format("the window of {}: one number holds for all collectives and "
                                   "dimensions here, and the largest is {}",
                                   window.name,
                                   largest->sends));
        }
    }
}

} // namespace nadi
