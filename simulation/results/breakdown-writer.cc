// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/breakdown-writer.h"

#include "simulation/results/communication-writer.h"
#include "simulation/results/table.h"
#include "simulation/results/text-format.h"

namespace nadi
{

namespace
{

/// A row shows times that were counted once (`inProgressOnce`), so the times of a rank add up.
/// communication.csv has the times that overlap.
struct BreakdownRow
{
    size_t rank;
    const CommunicationTotal& total;
};

const Table<BreakdownRow> BREAKDOWN{
    "breakdown.csv",
    {{"rank",
      ColumnKind::Identity,
      "",
      "the rank whose communication it is",
      [](const BreakdownRow& row) { return std::to_string(row.rank); }},
     {"type",
      ColumnKind::Identity,
      "",
      "`all-reduce`, `all-gather`, ..., or `point-to-point`",
      [](const BreakdownRow& row) { return ToText(row.total.kind); }},
     {"communicator",
      ColumnKind::Identity,
      "",
      "number of the group, as in collectives.csv; empty for point-to-point",
      [](const BreakdownRow& row)
      {
          return row.total.kind.collective ? std::to_string(row.total.kind.communicator.value)
                                           : std::string();
      }},
     {"calls",
      ColumnKind::Quantity,
      "",
      "how many calls the rank made; a receive counts once its send is there",
      [](const BreakdownRow& row) { return std::to_string(row.total.calls); }},
     {"bytes",
      ColumnKind::Quantity,
      "bytes",
      "the sum of the sizes that the calls name",
      [](const BreakdownRow& row) { return std::to_string(row.total.size.Count()); }},
     {"communication_ns",
      ColumnKind::Quantity,
      "ns",
      "time in which a call of this kind was in progress, and no other kind had been in progress "
      "for longer. So it is at most the `communication_ns` of communication.csv, in which "
      "each kind counts for itself",
      [](const BreakdownRow& row) { return NsText(row.total.inProgressOnce); }},
     {"exposed_ns",
      ColumnKind::Quantity,
      "ns",
      "the part of `communication_ns` in which this rank did not compute",
      [](const BreakdownRow& row) { return NsText(row.total.exposedOnce); }}}};

} // namespace

TableDescription
DescribeBreakdownTable()
{
    return BREAKDOWN.Describe();
}

void
WriteBreakdown(const RunResults& results, std::ostream& file)
{
    BREAKDOWN.WriteHeader(file);
    for (size_t rank = 0; rank < results.ranks.size(); ++rank)
    {
        for (const CommunicationTotal& total : results.ranks[rank].communication)
        {
            BREAKDOWN.WriteRow({rank, total}, file);
        }
    }
}

} // namespace nadi
