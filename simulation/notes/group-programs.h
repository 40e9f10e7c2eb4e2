// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <set>
#include <string>
#include <vector>

namespace nadi
{

/// What a user should know of collectives that ran as one program for their whole group:
/// synthesised ones, and those from files.
struct GroupProgramNotes
{
    std::vector<std::string> sentences;
    std::set<std::string> keys; ///< of `system`, chosen, that a sentence says do not apply
};

GroupProgramNotes FindGroupProgramNotes(const RunInput& input, const RunResults& results);

} // namespace nadi
