// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/frame-reader.h"

#include <fmt/format.h>

#include <limits>

namespace nadi
{

bool
FrameReader::Next(std::string_view& frame)
{
    if (m_file.IsAtEnd())
    {
        return false;
    }
    const char* const start = m_file.At();
    const uint64_t length = m_file.ReadVarint();
    // Writers count a length in 32 bits, so a larger one shows that no frame begins here.
    if (length > std::numeric_limits<uint32_t>::max())
    {
        throw WireError(start, fmt::format("{} cannot be the length of a node", length));
    }
    frame = m_file.ReadBytes(length);
    return true;
}

} // namespace nadi
