// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/inspection/finding.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace nadi
{

/// Collects findings: those of the readers, which it listens to, and those of the checks.
class FindingList : public TraceListener
{
  public:
    /// The file that OnOddity is about from now on.
    void SetFile(const std::string& path);

    void OnProblem(const TraceProblem& problem) override;
    void OnOddity(Severity severity,
                  std::string_view text,
                  uint64_t node,
                  std::string_view name) override;

    /// How often OnProblem was called.
    uint64_t ProblemCount() const
    {
        return m_problems;
    }

    /// Adds a finding about a file.
    void AddFile(Severity severity, const std::string& where, const std::string& text);

    /// Adds a node to the finding of this text, or makes it.
    void
    AddNode(Severity severity, const ExecutionGraph& graph, uint32_t node, std::string_view text);

    void Add(Finding finding);

    /// Gives the findings away: errors first, else in the order in which they were made.
    std::vector<Finding> Take();

  private:
    Finding& Find(Severity severity, std::string_view where, std::string_view text);
    void AddNode(Severity severity,
                 std::string_view where,
                 std::string_view text,
                 uint64_t id,
                 std::string_view name);

    std::string m_file;
    std::vector<Finding> m_findings;
    /// By file, text and severity: the place in m_findings.
    std::map<std::tuple<std::string, std::string, Severity>, size_t> m_known;
    size_t m_last = 0; // of the finding that was found last
    uint64_t m_problems = 0;
};

} // namespace nadi
