// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-pattern.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace nadi
{

KernelPattern::KernelPattern(const std::string& edit, const std::string& pattern)
    : m_edit(edit)
    , m_pattern(pattern)
    , m_names("what-if: " + edit, pattern)
{
}

std::vector<bool>
KernelPattern::FindIn(const ExecutionGraph& graph)
{
    std::vector<bool> fits(graph.NodeCount(), false);
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        if (graph.Node(node).type == NodeType::Compute)
        {
            fits[node] = m_names.Fits(graph.Name(node));
            m_hasFit = m_hasFit || fits[node];
            NoteExample(graph.Name(node));
        }
    }
    return fits;
}

/// The first few names tell how kernels of this job are called.
void
KernelPattern::NoteExample(std::string_view name)
{
    constexpr size_t most = 3;
    if (m_hasFit || m_examples.size() == most)
    {
        return;
    }
    std::string quoted = fmt::format("\"{}\"", name);
    if (std::ranges::find(m_examples, quoted) == m_examples.end())
    {
        m_examples.push_back(std::move(quoted));
    }
}

void
KernelPattern::CheckFit() const
{
    if (!m_hasFit)
    {
        throw ConfigError(
            "what-if: " + m_edit,
            fmt::format("the name of no kernel fits \"{}\"; {}",
                        m_pattern,
                        m_examples.empty()
                            ? "the traces have no kernels"
                            : fmt::format("the first ones are {}", fmt::join(m_examples, ", "))));
    }
}

} // namespace nadi
