// SPDX-License-Identifier: GPL-2.0-only
#include "network/message-kind.h"

#include <algorithm>

namespace nadi
{

std::string_view
ToText(MessageKind kind)
{
    static constexpr std::array<std::string_view, MESSAGE_KINDS.size()> names{
        "pipeline", "kv", "dispatch", "combine", "memory"};
    return names[static_cast<size_t>(kind)];
}

std::optional<MessageKind>
FindMessageKind(std::string_view name)
{
    const auto found =
        std::ranges::find_if(MESSAGE_KINDS, [&](MessageKind kind) { return ToText(kind) == name; });
    return found == MESSAGE_KINDS.end() ? std::nullopt : std::optional(*found);
}

} // namespace nadi
