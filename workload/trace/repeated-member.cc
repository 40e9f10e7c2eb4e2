// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/repeated-member.h"

#include <algorithm>

namespace nadi
{

namespace
{

using nlohmann::json;

/// The depth of the items of a list that is a member of the outermost object.
constexpr size_t ITEM_DEPTH = 2;

} // namespace

json::parser_callback_t
RepeatedMemberFinder::Watch()
{
    return [this](int depth, json::parse_event_t event, const json& parsed)
    {
        OnEvent(static_cast<size_t>(depth), event, parsed);
        return true; // keep what was parsed
    };
}

void
RepeatedMemberFinder::OnEvent(size_t depth, json::parse_event_t event, const json& parsed)
{
    switch (event)
    {
    case json::parse_event_t::object_start:
        m_names.resize(std::max(m_names.size(), depth + 1));
        m_names[depth].clear();
        return;
    case json::parse_event_t::key:
        BeginMember(depth - 1, parsed.get_ref<const std::string&>());
        return;
    case json::parse_event_t::array_start:
        return;
    case json::parse_event_t::object_end:
        EndObject(depth, parsed);
        break;
    case json::parse_event_t::array_end:
    case json::parse_event_t::value:
        break;
    }
    m_items += depth == ITEM_DEPTH ? 1 : 0;
}

void
RepeatedMemberFinder::BeginMember(size_t depth, const std::string& name)
{
    m_names[depth].push_back(name);
    if (depth == 0)
    {
        m_openList = name;
        m_items = 0;
    }
}

void
RepeatedMemberFinder::EndObject(size_t depth, const json& object)
{
    std::vector<std::string>& names = m_names[depth];
    if (names.size() == object.size() || !m_name.empty())
    {
        return;
    }
    std::sort(names.begin(), names.end());
    m_name = *std::adjacent_find(names.begin(), names.end());
    if (depth > 0)
    {
        m_list = m_openList;
        m_item = m_items;
    }
}

} // namespace nadi
