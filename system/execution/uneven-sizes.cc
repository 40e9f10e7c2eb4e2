// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/uneven-sizes.h"

#include "common/check.h"

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

uint64_t
UnevenSizes::ChunkOf(uint32_t member, uint32_t chunk) const
{
    return PartOf({0, m_elements[member]}, chunk, m_chunks).Length();
}

} // namespace nadi
