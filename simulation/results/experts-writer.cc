// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/experts-writer.h"

namespace nadi
{

namespace
{

const Table<ExpertTokens> EXPERTS{
    "experts.csv",
    {{"layer",
      ColumnKind::Identity,
      "",
      "number of the layer among all layers of the model, from 0; in a file of `experts.routing` "
      "only layers with experts count",
      [](const ExpertTokens& row) { return std::to_string(row.layer); }},
     {"rank",
      ColumnKind::Identity,
      "",
      "number of the rank",
      [](const ExpertTokens& row) { return std::to_string(row.rank.value); }},
     {"tokens",
      ColumnKind::Quantity,
      "",
      "tokens that its experts computed in that layer, once for each expert that they went to",
      [](const ExpertTokens& row) { return std::to_string(row.tokens); }}}};

} // namespace

TableDescription
DescribeExpertsTable()
{
    return EXPERTS.Describe();
}

void
WriteExperts(const ExpertCounts& experts, std::ostream& file)
{
    EXPERTS.WriteHeader(file);
    for (const ExpertTokens& row : experts.ByRank())
    {
        EXPERTS.WriteRow(row, file);
    }
}

} // namespace nadi
