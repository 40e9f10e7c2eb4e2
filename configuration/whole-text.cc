// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/whole-text.h"

#include <vector>

namespace nadi
{

std::optional<std::string>
ReadWholeText(std::istream& stream, size_t most)
{
    std::vector<char> chunk(size_t{1} << 16);
    std::string text;
    // Of the buffer, as streams hide why reading failed.
    while (const auto count = static_cast<size_t>(
               stream.rdbuf()->sgetn(chunk.data(), static_cast<std::streamsize>(chunk.size()))))
    {
        if (count > most - text.size())
        {
            return std::nullopt;
        }
        text.append(chunk.data(), count);
    }
    return text;
}

} // namespace nadi
