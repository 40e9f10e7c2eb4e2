// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/result-tables.h"

#include "simulation/results/breakdown-writer.h"
#include "simulation/results/collectives-writer.h"
#include "simulation/results/communication-writer.h"
#include "simulation/results/experts-writer.h"
#include "simulation/results/flows-writer.h"
#include "simulation/results/instances-writer.h"
#include "simulation/results/links-writer.h"
#include "simulation/results/ranks-writer.h"
#include "simulation/results/requests-writer.h"
#include "simulation/results/series-writer.h"

#include <fmt/format.h>

namespace nadi
{

std::vector<TableDescription>
DescribeResultTables()
{
    return {DescribeRanksTable(),
            DescribeCommunicationTable(),
            DescribeBreakdownTable(),
            DescribeCollectivesTable(),
            DescribeLinksTable(),
            DescribeFlowsTable(),
            DescribeSeriesTable(),
            DescribeRequestsTable(),
            DescribeInstancesTable(),
            DescribeExpertsTable()};
}

std::string
ToMarkdown(const TableDescription& table)
{
    std::string text = "| column | unit | meaning |\n|---|---|---|\n";
    for (const ColumnDescription& column : table.columns)
    {
        const std::string unit = column.unit.empty() ? " " : fmt::format(" {} ", column.unit);
        text += fmt::format("| `{}` |{}| {} |\n", column.name, unit, column.meaning);
    }
    return text;
}

} // namespace nadi
