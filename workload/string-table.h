// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// Strings, each kept once and named by its index, in the order of first use. The nodes of a trace
/// have far fewer names than there are nodes, so they hold indices.
class StringTable
{
  public:
    StringTable();

    /// The index of `text`, adding it when it is new. Requires: fewer than 2^32 - 1 strings.
    uint32_t Intern(std::string_view text);

    /// Requires: `index` was given by Intern. Valid until the next one.
    std::string_view At(uint32_t index) const
    {
        return m_strings[index];
    }

    /// Gives the strings away; the table is empty afterwards.
    std::vector<std::string> Take();

  private:
    void Grow();
    size_t FindSlot(std::string_view text, uint32_t hash) const;

    struct Slot
    {
        uint32_t hash = 0;
        uint32_t indexPlusOne = 0; // 0 = free
    };

    std::vector<std::string> m_strings;
    std::vector<Slot> m_slots; // open addressing, a power of two, at most half full
};

} // namespace nadi
