// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command.h"

#include <string>
#include <vector>

namespace nadi
{

/// A command line that the parser refused.
struct RefusedLine
{
    std::vector<std::string> words; ///< all of it, but the name of the program
    /// The commands that it names, the outermost first: `trace`, `convert`. Empty: none.
    std::vector<const Command*> named;
    std::vector<std::string> unknown; ///< words that the last of these does not take, in order
    std::string problem;              ///< what the parser says is wrong
};

/// What is wrong with the line, what would be right, and which page of help says more: that of the
/// command that it names. `all` are the commands of the program.
///
/// A word that is not known is named first, as what else is wrong may follow from it.
std::string DescribeRefusal(const RefusedLine& line, const std::vector<Command>& all);

} // namespace nadi
