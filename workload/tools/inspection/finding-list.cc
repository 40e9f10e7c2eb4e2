// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/finding-list.h"

#include <algorithm>
#include <utility>

namespace nadi
{

void
FindingList::SetFile(const std::string& path)
{
    m_file = path;
}

void
FindingList::OnProblem(const TraceProblem& problem)
{
    ++m_problems;
    if (problem.nodes.empty())
    {
        AddFile(Severity::Error, problem.where, problem.text);
    }
    else if (problem.nodes.size() == 1)
    {
        const TraceNodeName& node = problem.nodes.front();
        AddNode(Severity::Error, problem.where, problem.text, node.id, node.name);
    }
    else
    {
        // Several nodes are a cycle: no other problem names more than one.
        Add({.severity = Severity::Error,
             .where = problem.where,
             .ranks = {},
             .text = problem.text,
             .count = problem.nodes.size(),
             .nodes = problem.nodes,
             .isCycle = true});
    }
}

void
FindingList::OnOddity(Severity severity,
                      std::string_view text,
                      uint64_t node,
                      std::string_view name)
{
    AddNode(severity, m_file, text, node, name);
}

void
FindingList::AddFile(Severity severity, const std::string& where, const std::string& text)
{
    Find(severity, where, text);
}

void
FindingList::AddNode(Severity severity,
                     const ExecutionGraph& graph,
                     uint32_t node,
                     std::string_view text)
{
    AddNode(severity, graph.Source(), text, graph.Node(node).id, graph.Name(node));
}

void
FindingList::AddNode(Severity severity,
                     std::string_view where,
                     std::string_view text,
                     uint64_t id,
                     std::string_view name)
{
    Finding& finding = Find(severity, where, text);
    ++finding.count;
    if (finding.nodes.size() < Finding::MOST_NODES)
    {
        finding.nodes.push_back({id, std::string(name)});
    }
}

void
FindingList::Add(Finding finding)
{
    m_findings.push_back(std::move(finding));
}

/// The finding of this text, made where it is new.
Finding&
FindingList::Find(Severity severity, std::string_view where, std::string_view text)
{
    // Hundreds of thousands of nodes may have one finding, mostly one after the other.
    const auto isSame = [&](const Finding& finding)
    { return finding.severity == severity && finding.where == where && finding.text == text; };
    if (m_last < m_findings.size() && isSame(m_findings[m_last]))
    {
        return m_findings[m_last];
    }
    const auto [known, isNew] =
        m_known.try_emplace({std::string(where), std::string(text), severity}, m_findings.size());
    if (isNew)
    {
        m_findings.push_back({.severity = severity,
                              .where = std::string(where),
                              .ranks = {},
                              .text = std::string(text),
                              .count = 0,
                              .nodes = {}});
    }
    m_last = known->second;
    return m_findings[m_last];
}

std::vector<Finding>
FindingList::Take()
{
    // m_known holds places before sorting.
    m_known.clear();
    std::stable_sort(m_findings.begin(),
                     m_findings.end(),
                     [](const Finding& left, const Finding& right)
                     { return left.severity > right.severity; });
    return std::exchange(m_findings, {});
}

} // namespace nadi
