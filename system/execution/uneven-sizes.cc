// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/uneven-sizes.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi
{

UnevenSizes::UnevenSizes(CollectiveType type, std::vector<MemberSizes> members, uint32_t chunks)
    : m_type(type)
    , m_members(std::move(members))
    , m_chunks(chunks)
{
    NADI_CHECK(type == CollectiveType::AllToAll || type == CollectiveType::Gather ||
               type == CollectiveType::Scatter);
    for (const MemberSizes& member : m_members)
    {
        NADI_CHECK(member.splits == nullptr || (type == CollectiveType::AllToAll &&
                                                member.splits->sends.size() == m_members.size()));
    }
}

uint64_t
UnevenSizes::ElementsOf(uint32_t chunk, const Transfer& transfer) const
{
    const bool isRow = m_type == CollectiveType::AllToAll;
    uint64_t elements = 0;
    for (uint64_t unit = transfer.range.begin; unit < transfer.range.end; ++unit)
    {
        // Plans of uneven sizes have one element for each member's part, so a unit of the range is
        // a member's index.
        const auto part = static_cast<uint32_t>(unit);
        elements += isRow ? PairElements(transfer.origin, part, chunk) : ChunkOf(part, chunk);
    }
    return elements;
}

bool
UnevenSizes::IsLeftOut(uint32_t chunk, const Transfer& transfer) const
{
    // Without splits an empty part is sent all the same, as an empty message.
    return m_type == CollectiveType::AllToAll && m_members[transfer.origin].splits != nullptr &&
           ElementsOf(chunk, transfer) == 0;
}

bool
UnevenSizes::HasSplits() const
{
    return std::ranges::any_of(m_members,
                               [](const MemberSizes& member) { return member.splits != nullptr; });
}

std::vector<uint64_t>
UnevenSizes::SentElements() const
{
    std::vector<uint64_t> sent(m_members.size());
    for (uint32_t from = 0; from < m_members.size(); ++from)
    {
        for (uint32_t to = 0; to < m_members.size(); ++to)
        {
            sent[from] += from == to ? 0 : WholePair(from, to);
        }
    }
    return sent;
}

std::vector<uint64_t>
UnevenSizes::ReceivedElements() const
{
    std::vector<uint64_t> received(m_members.size());
    for (uint32_t from = 0; from < m_members.size(); ++from)
    {
        for (uint32_t to = 0; to < m_members.size(); ++to)
        {
            received[to] += from == to ? 0 : WholePair(from, to);
        }
    }
    return received;
}

double
UnevenSizes::ShareOfLargest(uint32_t root) const
{
    if (HasSplits())
    {
        return ShareOfExchange();
    }
    const uint64_t largest = LargestElements();
    const bool hasRoot = HasRoot(m_type); // whose own part is not sent
    double sent = 0;
    for (uint32_t member = 0; member < m_members.size(); ++member)
    {
        sent += hasRoot && member == root ? 0 : static_cast<double>(m_members[member].elements);
    }
    // In an all-to-all every member keeps the same share of what it brings, so that share cancels
    // out.
    const auto senders = static_cast<double>(m_members.size() - (hasRoot ? 1 : 0));
    return largest == 0 ? 0 : sent / (senders * static_cast<double>(largest));
}

/// With the largest size S each of the p members would send S (p - 1) / p.
double
UnevenSizes::ShareOfExchange() const
{
    double sent = 0;
    for (const uint64_t elements : SentElements())
    {
        sent += static_cast<double>(elements);
    }
    const auto others = static_cast<double>(m_members.size() - 1);
    const double ofLargest = static_cast<double>(LargestElements()) * others;
    return ofLargest == 0 ? 0 : sent / ofLargest;
}

uint64_t
UnevenSizes::LargestElements() const
{
    uint64_t largest = 0;
    for (const MemberSizes& member : m_members)
    {
        largest = std::max(largest, member.elements);
    }
    return largest;
}

uint64_t
UnevenSizes::ChunkOf(uint32_t member, uint32_t chunk) const
{
    return PartOf({0, m_members[member].elements}, chunk, m_chunks).Length();
}

/// Of one chunk of an all-to-all.
uint64_t
UnevenSizes::PairElements(uint32_t origin, uint32_t destination, uint32_t chunk) const
{
    if (const SharedSplits& splits = m_members[origin].splits)
    {
        // A split is cut into chunks. Without splits the whole row is cut into chunks, and each
        // chunk into parts for the members (docs/semantics.md 3).
        return PartOf({0, splits->sends[destination]}, chunk, m_chunks).Length();
    }
    const auto parts = static_cast<uint32_t>(m_members.size());
    return PartOf({0, ChunkOf(origin, chunk)}, destination, parts).Length();
}

/// Of all chunks; without splits, but for the rounding of chunks.
uint64_t
UnevenSizes::WholePair(uint32_t origin, uint32_t destination) const
{
    if (const SharedSplits& splits = m_members[origin].splits)
    {
        return splits->sends[destination];
    }
    const auto parts = static_cast<uint32_t>(m_members.size());
    return PartOf({0, m_members[origin].elements}, destination, parts).Length();
}

} // namespace nadi
