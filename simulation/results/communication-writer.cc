// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/communication-writer.h"

#include "simulation/results/table.h"
#include "simulation/results/text-format.h"

namespace nadi
{

namespace
{

struct CommunicationRow
{
    size_t rank;
    const CommunicationTotal& total;
    const Workload& workload;

    /// Single ranks that send and receive have no communicator.
    bool HasCommunicator() const
    {
        return total.kind.collective.has_value();
    }
};

const Table<CommunicationRow> COMMUNICATION{
    "communication.csv",
    {{"rank",
      ColumnKind::Identity,
      "",
      "the rank whose communication it is",
      [](const CommunicationRow& row) { return std::to_string(row.rank); }},
     {"type",
      ColumnKind::Identity,
      "",
      "`all-reduce`, `all-gather`, ..., or `point-to-point`",
      [](const CommunicationRow& row) { return ToText(row.total.kind); }},
     {"communicator",
      ColumnKind::Identity,
      "",
      "number of the group, as in collectives.csv; empty for point-to-point",
      [](const CommunicationRow& row)
      {
          return row.HasCommunicator() ? std::to_string(row.total.kind.communicator.value)
                                       : std::string();
      }},
     {"ranks",
      ColumnKind::Identity,
      "",
      "number of members of the communicator; empty for point-to-point",
      [](const CommunicationRow& row)
      {
          const auto& communicators = row.workload.communicators;
          return row.HasCommunicator()
                     ? std::to_string(communicators[row.total.kind.communicator.value].ranks.size())
                     : std::string();
      }},
     {"calls",
      ColumnKind::Quantity,
      "",
      "how many calls the rank made; a receive counts once its send is there",
      [](const CommunicationRow& row) { return std::to_string(row.total.calls); }},
     {"size_bytes",
      ColumnKind::Quantity,
      "bytes",
      "the sum of the sizes that the calls name",
      [](const CommunicationRow& row) { return std::to_string(row.total.size.Count()); }},
     {"communication_ns",
      ColumnKind::Quantity,
      "ns",
      "time in which at least one of these calls was in progress; calls that overlap count once. "
      "Other kinds that are in progress meanwhile count beside it, unlike in the "
      "`communication_ns` of breakdown.csv",
      [](const CommunicationRow& row) { return NsText(row.total.inProgress); }},
     {"exposed_communication_ns",
      ColumnKind::Quantity,
      "ns",
      "the part of `communication_ns` in which this rank did not compute; divided by "
      "`communication_ns`, it is the exposed share. A moment in which several kinds are in "
      "progress "
      "counts for each of them",
      [](const CommunicationRow& row) { return NsText(row.total.exposed); }}}};

} // namespace

std::string
ToText(const CommunicationKind& kind)
{
    return kind.collective ? std::string(ToText(*kind.collective)) : "point-to-point";
}

TableDescription
DescribeCommunicationTable()
{
    return COMMUNICATION.Describe();
}

void
WriteCommunication(const RunResults& results, const Workload& workload, std::ostream& file)
{
    COMMUNICATION.WriteHeader(file);
    for (size_t rank = 0; rank < results.ranks.size(); ++rank)
    {
        for (const CommunicationTotal& total : results.ranks[rank].communication)
        {
            COMMUNICATION.WriteRow({rank, total, workload}, file);
        }
    }
}

} // namespace nadi
