// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/node-types.h"
#include "workload/tools/editing/slice-selection.h"

#include <string>
#include <vector>

/// \file
/// Lists and factors as the commands of `nadi trace` take them. All throw UsageError, naming the
/// option, for a text of another form.

namespace nadi
{

/// "1-5,9", ascending or not.
std::vector<WholeRange> ParseRanges(const std::string& option, const std::string& text);

/// "1-2", or "3" for one.
WholeRange ParseRange(const std::string& option, const std::string& text);

/// The numbers of ranges, ascending, each once. Throws for more than 2^24 of them.
std::vector<uint32_t> ParseNumbers(const std::string& option, const std::string& text);

/// "COMP_NODE,COMM_COLL_NODE", by the names of the schema.
SchemaNodeTypes ParseNodeTypes(const std::string& option, const std::string& text);

/// "2x" or "0.5x": at least 0.
double ParseFactor(const std::string& option, const std::string& text);

/// The parts of a text between commas. Throws where one of them is empty.
std::vector<std::string> ParseWords(const std::string& option, const std::string& text);

} // namespace nadi
