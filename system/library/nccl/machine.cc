// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/machine.h"

#include "common/error.h"

#include <charconv>
#include <string_view>

namespace nadi::nccl
{

namespace
{

constexpr Release OLDEST{2, 4, 0};

/// Reads a number from the begin of `text` and cuts it off; false where there is none.
bool
TakeNumber(std::string_view& text, uint32_t& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{})
    {
        return false;
    }
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

bool
TakeDot(std::string_view& text)
{
    const bool hasDot = text.starts_with('.');
    text.remove_prefix(hasDot ? 1 : 0);
    return hasDot;
}

} // namespace

std::string
ToText(KernelProtocol protocol)
{
    switch (protocol)
    {
    case KernelProtocol::LL:
        return "LL";
    case KernelProtocol::LL128:
        return "LL128";
    default:
        return "Simple";
    }
}

std::optional<KernelProtocol>
FindProtocol(const std::string& word)
{
    for (const KernelProtocol protocol :
         {KernelProtocol::LL, KernelProtocol::LL128, KernelProtocol::Simple})
    {
        if (word == ToText(protocol))
        {
            return protocol;
        }
    }
    return std::nullopt;
}

std::string
ToText(KernelAlgorithm algorithm)
{
    switch (algorithm)
    {
    case KernelAlgorithm::Ring:
        return "ring";
    case KernelAlgorithm::Tree:
        return "tree";
    case KernelAlgorithm::Nvls:
        return "nvls";
    default:
        return "nvls-tree";
    }
}

Release
ParseRelease(const std::string& text)
{
    std::string_view rest = text;
    Release release;
    const bool isRead = TakeNumber(rest, release.major) && TakeDot(rest) &&
                        TakeNumber(rest, release.minor) &&
                        (!TakeDot(rest) || TakeNumber(rest, release.patch)) && rest.empty();
    if (!isRead || release.major != OLDEST.major || release < OLDEST)
    {
        throw ConfigError("release",
                          "\"" + text + "\" is no release; write one from \"2.4\" on, as \"2.21\"");
    }
    return release;
}

} // namespace nadi::nccl
