// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/finding-list.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace nadi
{

/// Errors of one kind between the same ranks, of which the first is told in full and the others are
/// counted: what is wrong once is mostly wrong in every step of a job.
class RepeatedFindings
{
  public:
    /// What is one finding.
    struct Mistake
    {
        uint32_t kind = 0; ///< as the caller numbers them
        uint32_t rank = 0; ///< whose node is wrong
        uint32_t peer = 0; ///< what it does not fit; 0 where that is no single rank

        auto operator<=>(const Mistake&) const = default;
    };

    /// A node that is wrong.
    struct Place
    {
        Severity severity = Severity::Error;
        const std::string& file;
        TraceNodeName node;
    };

    void Add(const Mistake& mistake, const Place& place, const std::string& text);

    /// Gives the findings to a list; empty afterwards.
    void MoveTo(FindingList& findings);

  private:
    std::map<Mistake, Finding> m_findings;
};

} // namespace nadi
