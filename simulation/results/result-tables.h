// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"

#include <string>
#include <vector>

namespace nadi
{

/// All tables that a run may leave, in the order of docs/outputs.md.
std::vector<TableDescription> DescribeResultTables();

/// The columns of a table as a table in Markdown: column, unit, meaning; as in docs/outputs.md.
std::string ToMarkdown(const TableDescription& table);

} // namespace nadi
