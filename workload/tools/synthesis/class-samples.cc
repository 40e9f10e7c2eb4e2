// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/class-samples.h"

namespace nadi
{

/// Durations of traces are whole nanoseconds, so nothing is cut off.
NodeQuantities
QuantitiesOf(const ExecutionNode& node)
{
    constexpr int64_t psPerNs = 1000;
    return {static_cast<uint64_t>(node.durationPs / psPerNs), node.size, node.operations};
}

void
ClassSamples::Add(const NodeQuantities& quantities)
{
    for (size_t index = 0; index < quantities.size(); ++index)
    {
        m_values[index].push_back(quantities[index]);
    }
}

std::vector<std::span<const uint64_t>>
ClassSamples::Sequences(NodeQuantity quantity) const
{
    const std::span<const uint64_t> values = Values(quantity);
    std::vector<std::span<const uint64_t>> sequences;
    for (size_t index = 0; index < m_starts.size(); ++index)
    {
        const size_t end = index + 1 < m_starts.size() ? m_starts[index + 1] : values.size();
        sequences.push_back(values.subspan(m_starts[index], end - m_starts[index]));
    }
    return sequences;
}

} // namespace nadi
