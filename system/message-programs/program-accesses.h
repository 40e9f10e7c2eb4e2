// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"
#include "system/message-programs/program-contents.h"
#include "system/message-programs/program-order.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Shows that the steps that use one place have an order where it matters: reads have none among
/// each other, nor have additions, but reads, additions and writes have.
///
/// The accesses of a place so form *levels*: a write is one; reads in a row are one; additions in a
/// row are one. All of a level must come after all of the level before it, and so after all earlier
/// ones.
class ProgramAccesses
{
  public:
    /// The references outlive it.
    ProgramAccesses(const MessageProgram& program,
                    const ProgramOrder& order,
                    const ProgramContents& contents);

    /// Takes in what the step reads and writes; or says which earlier step has no order with it.
    /// Requires: `order` and `contents` have the step, and all before it.
    std::optional<std::string> Apply(const ProgramStepId& id, const ProgramStep& step);

  private:
    enum class Kind : uint8_t
    {
        Received, ///< overwritten by what a message brought
        Copied,   ///< overwritten by what this rank has
        Read,
        Addition,
    };

    static constexpr uint32_t NONE = UINT32_MAX;

    /// A step in the list of a level.
    struct Entry
    {
        uint32_t step; // by its number through the lanes of its rank
        uint32_t next;
    };

    struct Place
    {
        uint32_t current = NONE;  // the first entry of the last level
        uint32_t previous = NONE; // of the level before it
        Kind kind = Kind::Copied; // of the last level
        uint8_t changes = 0;      // writes and additions to come; at most 255, which never ends
    };

    void CountChanges();

    /// Requires: the step receives or is local.
    static Kind ChangeBy(const ProgramStep& step);

    std::optional<std::string> Use(const ProgramStepId& id, uint32_t place, Kind kind);
    std::optional<std::string>
    Check(const ProgramStepId& id, uint32_t place, uint32_t level, Kind kind) const;
    void Open(Place& place, Kind kind);
    void Enter(Place& place, uint32_t step);
    void Drop(uint32_t& level);

    Place& PlaceAt(uint32_t rank, uint32_t place)
    {
        return m_places[size_t{rank} * m_program.Buffers().Places() + place];
    }

    const MessageProgram& m_program;
    const ProgramOrder& m_order;
    const ProgramContents& m_contents;
    std::vector<Place> m_places; // by rank and place
    std::vector<Entry> m_entries;
    uint32_t m_free = NONE; // the first entry that nobody uses
};

} // namespace nadi
