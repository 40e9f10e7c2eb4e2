// SPDX-License-Identifier: GPL-2.0-only
// What events of a Kineto trace tell of collectives.
#include "workload/tools/conversion/kineto-event.h"
#include "workload/tools/conversion/kineto-values.h"

#include <limits>

namespace nadi
{

namespace
{

using kineto::FindMember;
using kineto::TextOf;
using kineto::ToCount;
using kineto::ToList;
using kineto::ToSmallCount;
using nlohmann::json;

/// The ranks of a group that are evenly spaced, where the list itself is too long for the trace.
std::vector<uint32_t>
ReadSpacedRanks(const json& arguments, std::optional<uint32_t> size)
{
    const auto start = ToSmallCount(FindMember(arguments, "Global rank start"));
    const auto stride = ToSmallCount(FindMember(arguments, "Global rank stride"));
    std::vector<uint32_t> ranks;
    // No job has more ranks (PytorchConverter). The bound keeps a damaged size from filling the
    // memory.
    constexpr uint32_t most = 1U << 24;
    const bool isKnown = start && stride && size && *stride > 0 && *size <= most;
    for (uint64_t place = 0; isKnown && place < *size; ++place)
    {
        const uint64_t rank = *start + place * *stride;
        if (rank > most)
        {
            return {};
        }
        ranks.push_back(static_cast<uint32_t>(rank));
    }
    return ranks;
}

/// Absent where a factor is, or where the product passes 63 bits. Requires: `bytes` is not 0.
std::optional<uint64_t>
MultiplyKnown(std::optional<uint64_t> count, std::optional<uint64_t> bytes)
{
    const bool fits = count && bytes && *count <= std::numeric_limits<int64_t>::max() / *bytes;
    return fits ? std::optional(*count * *bytes) : std::nullopt;
}

void
ReadPartner(const json& arguments, PytorchCall& call)
{
    const bool isSend = call.kind == PytorchCall::Kind::Send;
    const bool isReceive = call.kind == PytorchCall::Kind::Receive;
    if (isSend || isReceive)
    {
        call.partnerRank = ToSmallCount(FindMember(arguments, isSend ? "Dst Rank" : "Src Rank"));
    }
    // The place of the root or of the other side. Of other collectives it is the rank itself.
    if (isSend || isReceive || (call.type && HasRoot(*call.type)))
    {
        call.partnerPlace = ToSmallCount(FindMember(arguments, "Rank"));
    }
}

} // namespace

std::vector<uint32_t>
ReadRankList(const json& value)
{
    return ToList<uint32_t>(&value);
}

std::optional<PytorchCall>
ReadKinetoCall(const json& arguments)
{
    const std::string name = TextOf(FindMember(arguments, "Collective name"));
    if (name.empty())
    {
        return std::nullopt;
    }
    PytorchCall call = ParseCallName(name);
    const auto elementBytes = FindElementBytes(TextOf(FindMember(arguments, "dtype")));
    call.inputBytes = MultiplyKnown(ToCount(FindMember(arguments, "In msg nelems")), elementBytes);
    call.outputBytes =
        MultiplyKnown(ToCount(FindMember(arguments, "Out msg nelems")), elementBytes);
    call.inputSplits = ToList<int64_t>(FindMember(arguments, "In split size"));
    call.outputSplits = ToList<int64_t>(FindMember(arguments, "Out split size"));
    const std::string group = TextOf(FindMember(arguments, "Process Group Name"));
    call.group = group.empty() ? std::nullopt : std::optional(group);
    call.groupSize = ToSmallCount(FindMember(arguments, "Group size"));
    call.ranks = ToList<uint32_t>(FindMember(arguments, "Process Group Ranks"));
    if (call.ranks.empty())
    {
        call.ranks = ReadSpacedRanks(arguments, call.groupSize);
    }
    ReadPartner(arguments, call);
    return call;
}

/// The size is known where the range has a single input, a tensor. Of several inputs nothing says
/// which of them the rank puts in.
std::optional<PytorchCall>
ReadKinetoRange(const std::string& name, const json& arguments)
{
    if (!IsCommunicationKernel(name))
    {
        return std::nullopt;
    }
    PytorchCall call = ParseCallName(name);
    const json* const shapes = FindMember(arguments, "Input Dims");
    const json* const types = FindMember(arguments, "Input type");
    if (shapes == nullptr || types == nullptr || !shapes->is_array() || !types->is_array() ||
        shapes->size() != 1 || types->size() != 1)
    {
        return call;
    }
    std::optional<uint64_t> elements = 1;
    for (const uint64_t size : ToList<uint64_t>(&shapes->front()))
    {
        elements = size == 0 ? 0 : MultiplyKnown(elements, size);
    }
    // Numbers have an empty shape.
    const bool isTensor = shapes->front().is_array() && !shapes->front().empty();
    call.inputBytes = isTensor ? MultiplyKnown(elements, FindElementBytes(TextOf(&types->front())))
                               : std::nullopt;
    return call;
}

} // namespace nadi
