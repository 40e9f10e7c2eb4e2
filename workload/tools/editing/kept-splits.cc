// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/kept-splits.h"

#include "workload/document/node-attributes.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

namespace nadi
{

namespace
{

int64_t
AddParts(const std::vector<int64_t>& parts)
{
    return std::accumulate(parts.begin(), parts.end(), int64_t{0});
}

/// Requires: as many numbers as members.
std::vector<int64_t>
KeepParts(const std::vector<int64_t>& parts, const std::vector<bool>& stays)
{
    std::vector<int64_t> kept;
    for (size_t member = 0; member < parts.size(); ++member)
    {
        if (stays[member])
        {
            kept.push_back(parts[member]);
        }
    }
    return kept;
}

} // namespace

bool
KeepSplits(ChakraProtoMsg::Node& node, const std::vector<bool>& stays)
{
    const std::vector<int64_t> sends = GetSplits(node, SplitList::In).numbers;
    const std::vector<int64_t> receives = GetSplits(node, SplitList::Out).numbers;
    const NodeAttribute sizeAttribute = FindSizeAttribute(node);
    const std::optional<int64_t> size = ToInteger(GetAttribute(node, sizeAttribute));
    if (!size || sends.size() != stays.size())
    {
        return false;
    }
    const std::vector<int64_t> kept = KeepParts(sends, stays);
    const int64_t sum = AddParts(sends);
    SetNumber(node, sizeAttribute, sum == 0 ? 0 : *size / sum * AddParts(kept));
    SetSplits(node, SplitList::In, kept);
    if (receives.size() == stays.size())
    {
        SetSplits(node, SplitList::Out, KeepParts(receives, stays));
    }
    return true;
}

} // namespace nadi
