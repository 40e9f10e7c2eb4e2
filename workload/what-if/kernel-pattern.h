// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/name-pattern.h"

#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// Kernels by the regular expression of an edit (NamePattern). Operators of the host are none.
class KernelPattern
{
  public:
    /// Throws ConfigError for a pattern that is none; `edit` is its key.
    KernelPattern(const std::string& edit, const std::string& pattern);

    /// Which nodes fit, by index.
    std::vector<bool> FindIn(const ExecutionGraph& graph);

    /// Throws ConfigError where no kernel of any graph was found, with the names of a few.
    void CheckFit() const;

  private:
    void NoteExample(std::string_view name);

    std::string m_edit;
    std::string m_pattern;
    NamePattern m_names;
    bool m_hasFit = false;
    bool m_fitsHost = false; ///< the name of an operator of the host, as far as no kernel fitted
    std::vector<std::string> m_examples; ///< quoted
};

} // namespace nadi
