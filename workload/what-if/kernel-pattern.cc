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

namespace
{

/// The begin of a long name, such as one with template arguments, up to a whole character of UTF-8.
std::string
CutName(std::string_view name)
{
    constexpr size_t most = 60;
    if (name.size() <= most)
    {
        return std::string(name);
    }
    const auto goesOn = [name](size_t at)
    { return (static_cast<unsigned char>(name[at]) & 0xC0U) == 0x80U; };
    size_t end = most;
    while (end > 0 && goesOn(end))
    {
        --end;
    }
    return std::string(name.substr(0, end)) + "...";
}

} // namespace

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
        const ExecutionNode& task = graph.Node(node);
        if (task.type == NodeType::Compute && !task.isCpu)
        {
            fits[node] = m_names.Fits(graph.Name(node));
            m_hasFit = m_hasFit || fits[node];
            NoteExample(graph.Name(node));
        }
        // Names of operators matter only for the message that no kernel fits.
        else if (!m_hasFit && task.isCpu)
        {
            m_fitsHost = m_fitsHost || m_names.Fits(graph.Name(node));
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
    std::string quoted = fmt::format("\"{}\"", CutName(name));
    if (std::ranges::find(m_examples, quoted) == m_examples.end())
    {
        m_examples.push_back(std::move(quoted));
    }
}

void
KernelPattern::CheckFit() const
{
    if (m_hasFit)
    {
        return;
    }
    const std::string examples =
        m_examples.empty() ? "the traces have no kernels"
                           : fmt::format("the first ones are {}", fmt::join(m_examples, ", "));
    throw ConfigError("what-if: " + m_edit,
                      fmt::format("the name of no kernel fits \"{}\"{}; {}",
                                  m_pattern,
                                  m_fitsHost ? ", only those of operators of the host" : "",
                                  examples));
}

} // namespace nadi
