// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// What a conversion took otherwise than it stands in the recording, counted over all files.
class ConversionNotes
{
  public:
    /// Counts `count` occurrences of what `text` says. Nothing is noted for a count of 0.
    void Count(const std::string& text, uint64_t count = 1);

    /// Notes a sentence that needs no count, once.
    void Say(const std::string& text);

    /// "12 kernels have no launching call: ...", in the order of their texts.
    std::vector<std::string> ToLines() const;

  private:
    std::map<std::string, uint64_t> m_counts; // 0: a sentence without a count
};

} // namespace nadi
