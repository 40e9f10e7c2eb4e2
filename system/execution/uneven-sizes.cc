// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/uneven-sizes.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi
{

UnevenSizes::UnevenSizes(CollectiveType type, std::vector<uint64_t> elements, uint32_t chunks)
    : m_type(type)
    , m_elements(std::move(elements))
    , m_chunks(chunks)
{
    NADI_CHECK(type == CollectiveType::AllToAll || type == CollectiveType::Gather ||
               type == CollectiveType::Scatter);
}

uint64_t
UnevenSizes::ElementsOf(uint32_t chunk, const Transfer& transfer) const
{
    const auto parts = static_cast<uint32_t>(m_elements.size());
    const bool isRow = m_type == CollectiveType::AllToAll;
    const Interval row{0, isRow ? ChunkOf(transfer.origin, chunk) : 0};
    uint64_t elements = 0;
    for (uint64_t unit = transfer.range.begin; unit < transfer.range.end; ++unit)
    {
        const auto part = static_cast<uint32_t>(unit);
        elements += isRow ? PartOf(row, part, parts).Length() : ChunkOf(part, chunk);
    }
    return elements;
}

double
UnevenSizes::ShareOfLargest(uint32_t root) const
{
    const uint64_t largest = *std::max_element(m_elements.begin(), m_elements.end());
    const bool hasRoot = HasRoot(m_type); // whose own part is not sent
    double sent = 0;
    for (uint32_t member = 0; member < m_elements.size(); ++member)
    {
        sent += hasRoot && member == root ? 0 : static_cast<double>(m_elements[member]);
    }
    const auto senders = static_cast<double>(m_elements.size() - (hasRoot ? 1 : 0));
    return largest == 0 ? 0 : sent / (senders * static_cast<double>(largest));
}

uint64_t
UnevenSizes::ChunkOf(uint32_t member, uint32_t chunk) const
{
    return PartOf({0, m_elements[member]}, chunk, m_chunks).Length();
}

} // namespace nadi
