// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-draft.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// The window k of `direct<k>` or `oneDirect<k>`: that many sends at a time.
/// Nothing for any other name, as for `ring8`, `direct0` or `direct8x`.
std::optional<uint32_t> FindWindow(const std::string& name);

/// How many sends the `direct` algorithms of all collectives and dimensions have under way at a
/// time. The source has a window for each of them, and Nadi one number for all.
class AstraSimWindows
{
  public:
    /// An algorithm `name`, which is direct, among `members` NPUs; `node` holds it and must outlive
    /// this. Without a window in its name it sends to all others at once.
    void Add(const ConfigNode& node, const std::string& name, uint32_t members);

    /// Sets `system.sends-in-flight` to the largest window, unless Nadi's default does the same.
    /// Each smaller window that would have been a limit gets a line.
    void Map(ImportDraft& draft) const;

  private:
    struct Window
    {
        const ConfigNode* node = nullptr;
        std::string name;
        uint32_t others = 0; ///< whom a member sends to
        bool isGiven = false;
        uint32_t sends = 0; ///< at a time
    };

    std::vector<Window> m_windows;
};

} // namespace nadi
