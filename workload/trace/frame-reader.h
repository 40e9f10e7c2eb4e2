// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/wire-reader.h"

#include <string_view>

namespace nadi
{

/// Walks the frames of a binary trace: each a varint32 length and so many bytes; no magic, no
/// count, no end mark. Empty frames are frames.
class FrameReader
{
  public:
    explicit FrameReader(std::string_view file)
        : m_file(file)
    {
    }

    /// The next frame, or false at the end of the file. Throws WireError when it is cut off or
    /// its length cannot be one.
    bool Next(std::string_view& frame);

  private:
    WireReader m_file;
};

} // namespace nadi
