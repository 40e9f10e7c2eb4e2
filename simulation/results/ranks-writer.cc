// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/ranks-writer.h"

#include "simulation/results/table.h"
#include "simulation/results/text-format.h"

namespace nadi
{

namespace
{

struct RankRow
{
    size_t rank;
    const RankResult& result;
};

const Table<RankRow> RANKS{
    "ranks.csv",
    {{"rank",
      ColumnKind::Identity,
      "",
      "number of the rank, from 0",
      [](const RankRow& row) { return std::to_string(row.rank); }},
     {"finish_ns",
      ColumnKind::Quantity,
      "ns",
      "when its last node was completed; if nodes are left (stuck, interrupted), the simulated "
      "time at the end",
      [](const RankRow& row) { return NsText(row.result.metrics.finish); }},
     {"compute_ns",
      ColumnKind::Quantity,
      "ns",
      "time in which it ran compute or memory nodes",
      [](const RankRow& row) { return NsText(row.result.metrics.compute); }},
     {"communication_ns",
      ColumnKind::Quantity,
      "ns",
      "time in which it had communication in progress: a collective from this rank's call to its "
      "completion here; a send from its issue; a receive from the later of its issue and the issue "
      "of its send",
      [](const RankRow& row) { return NsText(row.result.metrics.communication); }},
     {"exposed_communication_ns",
      ColumnKind::Quantity,
      "ns",
      "the part of `communication_ns` in which this rank did not compute",
      [](const RankRow& row) { return NsText(row.result.metrics.exposedCommunication); }},
     {"idle_ns",
      ColumnKind::Quantity,
      "ns",
      "`finish_ns` - `compute_ns` - `exposed_communication_ns`",
      [](const RankRow& row) { return NsText(row.result.metrics.idle); }},
     {"bytes_sent",
      ColumnKind::Quantity,
      "bytes",
      "payload that it sent, first transmissions only",
      [](const RankRow& row) { return std::to_string(row.result.sent.Count()); }},
     {"waiting_ns",
      ColumnKind::Quantity,
      "ns",
      "the part of `exposed_communication_ns` in which a collective that this rank has called "
      "waits for members that have not called it, be it that they compute, or that other messages "
      "delay them",
      [](const RankRow& row) { return NsText(row.result.metrics.waiting); }},
     {"waited_for_ns",
      ColumnKind::Quantity,
      "ns",
      "how long another rank of the job waited for this rank, in the mean over the other ranks. It "
      "counts the part of their `waiting_ns` in collectives that this rank was the last to call. A "
      "straggler has the largest value. Ranks that a straggler has delayed come late to their "
      "other "
      "collectives, so they have the next largest values. If several ranks call last at the same "
      "instant, the wait counts for the one with the lowest number. If a rank waits in several "
      "collectives at once, the moment counts for the collective that it called first",
      [](const RankRow& row) { return NsText(row.result.metrics.waitedFor); }},
     {"npu",
      ColumnKind::Identity,
      "",
      "number of the NPU that hosts the rank: the rank runs on `npu<number>` "
      "(`workload.placement`)",
      [](const RankRow& row) { return std::to_string(row.result.npu); }}}};

} // namespace

TableDescription
DescribeRanksTable()
{
    return RANKS.Describe();
}

void
WriteRanks(const RunResults& results, std::ostream& file)
{
    RANKS.WriteHeader(file);
    for (size_t rank = 0; rank < results.ranks.size(); ++rank)
    {
        RANKS.WriteRow({rank, results.ranks[rank]}, file);
    }
}

} // namespace nadi
