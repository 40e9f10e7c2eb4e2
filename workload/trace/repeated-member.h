// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nadi
{

/// A member that an object of a JSON text has twice.
struct RepeatedMember
{
    std::string name;
    /// The member of the text's outermost object that it is in, and the item of that list. Empty
    /// where the outermost object itself has the member twice.
    std::string list;
    size_t item = 0;
};

/// The first one in a text. Of two, json::parse keeps the last and says nothing; so this reads the
/// text once more, in time linear in it.
///
/// Requires: the text is one JSON value.
std::optional<RepeatedMember> FindRepeatedMember(std::string_view text);

} // namespace nadi
