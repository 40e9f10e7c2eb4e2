// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/job-calls.h"
#include "simulation/run-input.h"
#include "system/execution/layout-table.h"
#include "system/in-network/tree-table.h"
#include "system/library/installed-library.h"

#include <memory>
#include <optional>

namespace nadi
{

/// Asks the communication library what it decides for calls of the job, as a run does when the
/// members have met. Nothing is simulated.
class CallPrograms
{
  public:
    /// Asks a library of its own. Requires: `input` outlives it.
    explicit CallPrograms(const RunInput& input);

    /// Asks the library of a run. Requires: both outlive it.
    CallPrograms(const RunInput& input, InstalledLibrary& library);

    /// Over what the call runs. Valid as long as this object.
    const CommunicatorLayout& LayoutOf(const JobCall& call);

    /// Throws ConfigError as InstalledLibrary::MakeProgram does.
    CollectiveProgram Make(const JobCall& call);

    const InstalledLibrary& Library() const
    {
        return *m_library;
    }

  private:
    const RunInput& m_input;
    std::optional<TreeTable> m_trees;               // of its own library; none: no switch computes
    std::unique_ptr<InstalledLibrary> m_ownLibrary; // null: that of a run is asked
    InstalledLibrary* m_library;
    LayoutTable m_layouts;
};

} // namespace nadi
