// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command.h"
#include "workload/tools/structure/rank-analysis.h"

#include <string>

namespace nadi
{

/// What the user knows of the structure of traces, as commands take it.
struct HintArguments
{
    std::string layerPattern;
    std::string degrees; ///< "tp=8,pp=2"

    /// `--layer-pattern` and `--degrees`. Requires: this outlives them.
    CommandOption PatternOption();
    CommandOption DegreesOption();

    /// Throws UsageError for degrees that are none.
    StructureHints Parse() const;
};

} // namespace nadi
