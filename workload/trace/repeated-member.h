// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace nadi
{

/// Finds a member that an object of a JSON text has twice. Of two, json::parse keeps the last and
/// says nothing.
///
/// It watches while a text is parsed: `json::parse(text, finder.Watch())`.
class RepeatedMemberFinder
{
  public:
    /// Requires: *this outlives the parsing, and watches one text only.
    nlohmann::json::parser_callback_t Watch();

    /// The name of the first one found; empty where there is none.
    const std::string& Name() const
    {
        return m_name;
    }

    /// The member of the text's outermost object that it is in, and the item of that list. Empty
    /// where the outermost object itself has the member twice.
    const std::string& List() const
    {
        return m_list;
    }

    size_t Item() const
    {
        return m_item;
    }

  private:
    void OnEvent(size_t depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed);
    void BeginMember(size_t depth, const std::string& name);
    void EndObject(size_t depth, const nlohmann::json& object);

    std::vector<std::vector<std::string>> m_names; // by depth: members of the object that is open
    std::string m_openList;                        // the outermost object's member that is read
    size_t m_items = 0;                            // of that list, read so far
    std::string m_name;
    std::string m_list;
    size_t m_item = 0;
};

} // namespace nadi
