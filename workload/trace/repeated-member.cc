// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/repeated-member.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace nadi
{

namespace
{

using nlohmann::json;

/// Told about each part of a text in turn; ends the reading at the first member that is there
/// twice.
///
/// Not json::parse with a callback: after each item of a list, that looks at all items before it.
class RepeatedMemberFinder : public json::json_sax_t
{
  public:
    std::optional<RepeatedMember> Take()
    {
        return std::move(m_found);
    }

    bool null() override
    {
        return EndValue();
    }

    bool boolean(bool) override
    {
        return EndValue();
    }

    bool number_integer(number_integer_t) override
    {
        return EndValue();
    }

    bool number_unsigned(number_unsigned_t) override
    {
        return EndValue();
    }

    bool number_float(number_float_t, const string_t&) override
    {
        return EndValue();
    }

    bool string(string_t&) override
    {
        return EndValue();
    }

    bool binary(binary_t&) override
    {
        return EndValue();
    }

    bool start_object(std::size_t) override
    {
        return Open();
    }

    bool key(string_t& name) override
    {
        // Kept for the place of an error: which item of which list of the outermost object is read.
        if (m_depth == 1)
        {
            m_list = name;
            m_items = 0;
        }
        m_names[m_depth - 1].push_back(std::move(name));
        return true;
    }

    bool end_object() override
    {
        --m_depth;
        std::vector<std::string>& names = m_names[m_depth];
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        if (twice != names.end())
        {
            // The outermost object is an item of no list.
            m_found = m_depth == 0 ? RepeatedMember{.name = *twice, .list = {}}
                                   : RepeatedMember{*twice, m_list, m_items};
            return false;
        }
        return EndValue();
    }

    bool start_array(std::size_t) override
    {
        return Open();
    }

    bool end_array() override
    {
        --m_depth;
        return EndValue();
    }

    bool parse_error(std::size_t, const std::string&, const json::exception&) override
    {
        // The text is JSON (FindRepeatedMember requires it), so this is not called.
        return false;
    }

  private:
    bool Open()
    {
        // A list has an entry too, which stays empty, so that depths are indices.
        m_names.resize(std::max(m_names.size(), m_depth + 1));
        m_names[m_depth].clear();
        ++m_depth;
        return true;
    }

    bool EndValue()
    {
        m_items += m_depth == 2 ? 1 : 0; // a list in the outermost object
        return true;
    }

    size_t m_depth = 0;                            // of objects and lists that are open
    std::vector<std::vector<std::string>> m_names; // by depth: members of the object there
    std::string m_list;                            // the outermost object's member that is read
    size_t m_items = 0;                            // of it, read so far
    std::optional<RepeatedMember> m_found;
};

} // namespace

std::optional<RepeatedMember>
FindRepeatedMember(std::string_view text)
{
    RepeatedMemberFinder finder;
    json::sax_parse(text, &finder);
    return finder.Take();
}

} // namespace nadi
