// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/size-sightings.h"

#include "common/error.h"

#include <fmt/format.h>

namespace nadi
{

void
SizeSightings::Note(uint64_t ShapeSizes::*field, uint64_t value, uint32_t node)
{
    uint64_t& seen = m_seen.*field;
    // 0 stands for a size that no task shows (ShapeSizes).
    if (value == 0)
    {
        Refuse(node, "has a size of 0 where layers have none");
    }
    if (seen != 0 && seen != value)
    {
        Refuse(node,
               fmt::format("has {} where other tasks in its place have {}, and one model has one "
                           "size there",
                           value,
                           seen));
    }
    seen = value;
}

void
SizeSightings::Refuse(uint32_t node, const std::string& why) const
{
    throw ConfigError(
        m_wish,
        fmt::format("{}: task {} (\"{}\") {}", m_graph.Source(), node, m_graph.Name(node), why));
}

} // namespace nadi
