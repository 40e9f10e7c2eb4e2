// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/collectives-writer.h"

#include "simulation/results/table.h"
#include "simulation/results/text-format.h"
#include "system/collective-bounds.h"

namespace nadi
{

namespace
{

struct CollectiveRow
{
    size_t id;
    const CollectiveResult& result;

    const CollectiveRecord& Record() const
    {
        return result.record;
    }

    CollectiveExtent Extent() const
    {
        return {Record().type, Record().size, Record().ranks};
    }

    SimTime Duration() const
    {
        return Record().end - Record().start;
    }

    /// Empty where ranks bring different sizes: no one of them says how many bytes moved.
    std::string BandwidthText(double (*compute)(const CollectiveExtent&, SimTime)) const
    {
        const bool isOneSize = Record().size == Record().smallestSize;
        return isOneSize ? RatioText(compute(Extent(), Duration())) : "";
    }
};

/// Empty where no program from a file or from synthesis ran.
std::string
ProofText(ProgramProof proof)
{
    switch (proof)
    {
    case ProgramProof::Proven:
        return "proven";
    case ProgramProof::Matched:
        return "matched";
    default:
        return "";
    }
}

const Table<CollectiveRow> COLLECTIVES{
    "collectives.csv",
    {{"id",
      ColumnKind::Identity,
      "",
      "number of the row, from 0",
      [](const CollectiveRow& row) { return std::to_string(row.id); }},
     {"name",
      ColumnKind::Identity,
      "",
      "name of the node that called it on its lowest rank",
      [](const CollectiveRow& row) { return CsvText(row.Record().name); }},
     {"type",
      ColumnKind::Identity,
      "",
      "`all-reduce`, `all-gather`, ...",
      [](const CollectiveRow& row) { return std::string(ToText(row.Record().type)); }},
     {"algorithm",
      ColumnKind::Identity,
      "",
      "the algorithm that ran; names are joined with `+` where dimensions differ",
      [](const CollectiveRow& row) { return CsvText(row.Record().decision.algorithm); }},
     {"communicator",
      ColumnKind::Identity,
      "",
      "number of the group; 0 is the group of all ranks",
      [](const CollectiveRow& row) { return std::to_string(row.Record().communicator.value); }},
     {"ranks",
      ColumnKind::Quantity,
      "",
      "number of its members",
      [](const CollectiveRow& row) { return std::to_string(row.Record().ranks); }},
     {"size_bytes",
      ColumnKind::Quantity,
      "bytes",
      "size of the call: the buffer of one rank, or its shard for all-gather, gather and scatter; "
      "where ranks differ, the largest",
      [](const CollectiveRow& row) { return std::to_string(row.Record().size.Count()); }},
     {"nccl_size_bytes",
      ColumnKind::Quantity,
      "bytes",
      "size as nccl-tests counts it: ranks x size for all-gather, gather and scatter, otherwise "
      "the "
      "size",
      [](const CollectiveRow& row)
      { return std::to_string(ComputeNcclSize(row.Extent()).Count()); }},
     {"start_ns",
      ColumnKind::Quantity,
      "ns",
      "earliest call of a member",
      [](const CollectiveRow& row) { return NsText(row.Record().start); }},
     {"end_ns",
      ColumnKind::Quantity,
      "ns",
      "latest completion of a member",
      [](const CollectiveRow& row) { return NsText(row.Record().end); }},
     {"duration_ns",
      ColumnKind::Quantity,
      "ns",
      "`end_ns` - `start_ns`; it contains the wait for the last member to call, and for a slot",
      [](const CollectiveRow& row) { return NsText(row.Duration()); }},
     {"algbw_GBps",
      ColumnKind::Quantity,
      "GB/s",
      "`nccl_size_bytes` / `duration_ns`; empty where ranks bring different sizes",
      [](const CollectiveRow& row) { return row.BandwidthText(&AlgorithmBandwidthGBps); }},
     {"busbw_GBps",
      ColumnKind::Quantity,
      "GB/s",
      "bus bandwidth: algbw x 2(p-1)/p for all-reduce; x (p-1)/p for all-gather, reduce-scatter, "
      "all-to-all, gather, scatter; x 1 for broadcast and reduce. Where switches reduce, it may "
      "exceed the rate of the links. Empty where algbw is",
      [](const CollectiveRow& row) { return row.BandwidthText(&BusBandwidthGBps); }},
     {"lower_bound_ns",
      ColumnKind::Quantity,
      "ns",
      "a time that no algorithm and no protocol can beat on this topology: the longest time that "
      "an NPU needs to send or receive its mandatory payload over all its links at once, plus the "
      "latency between the nearest two members. In a collective in which no switch helps, all "
      "NPUs together also need the time for the least number of messages over all their links. "
      "Where ranks differ in size, it is computed as if all had the smallest size; where "
      "`network.faults` raises the rate of a link, as if the link always had it",
      [](const CollectiveRow& row) { return NsText(row.result.lowerBound); }},
     {"called_ns",
      ColumnKind::Quantity,
      "ns",
      "latest call of a member; until then the others wait",
      [](const CollectiveRow& row) { return NsText(row.Record().called); }},
     {"begin_ns",
      ColumnKind::Quantity,
      "ns",
      "when it began to run: all members had called it, and each had a free slot "
      "(`system.concurrent-collectives`). `end_ns` - `begin_ns` is how long it ran; the summary on "
      "the terminal compares this time with the bound",
      [](const CollectiveRow& row) { return NsText(row.Record().begin); }},
     {"last_rank",
      ColumnKind::Identity,
      "",
      "the member that called last; of several, the lowest",
      [](const CollectiveRow& row) { return std::to_string(row.Record().lastRank.value); }},
     {"protocol",
      ColumnKind::Identity,
      "",
      "how the library's kernels passed data on: LL, LL128 or Simple; empty where the library has "
      "only one way",
      [](const CollectiveRow& row) { return row.Record().decision.protocol; }},
     {"channels",
      ColumnKind::Quantity,
      "",
      "ways through the network that the library used side by side; of an all-to-all, a gather or "
      "a scatter those of each send inside a node; empty where `protocol` is",
      [](const CollectiveRow& row)
      {
          const LibraryDecision& decision = row.Record().decision;
          return decision.protocol.empty() ? "" : std::to_string(decision.channels);
      }},
     {"chosen_by",
      ColumnKind::Identity,
      "",
      "who chose algorithm and protocol: the user, where one of them is what the configuration "
      "asks for; the estimate of the library; \"only one\" where there was no choice; `prediction` "
      "where a built-in algorithm is predicted to be faster than what was synthesised; empty where "
      "nobody says",
      [](const CollectiveRow& row) { return row.Record().decision.chosenBy; }},
     {"recorded_ns",
      ColumnKind::Quantity,
      "ns",
      "how long the recorded collective moved data: where the traces say how long each member "
      "waited, the longest time of a member without its wait; else the shortest time that one of "
      "its members recorded, since the others also waited; empty where the trace has no times. "
      "With "
      "`workload.communication: recorded` it is how long the collective ran",
      [](const CollectiveRow& row)
      { return row.Record().recorded > SimTime() ? NsText(row.Record().recorded) : ""; }},
     {"fabric_bound_ns",
      ColumnKind::Quantity,
      "ns",
      "a time that no algorithm and no protocol can beat either: as `lower_bound_ns`, but with "
      "every "
      "cut of the network, and not only those around single NPUs; so it is never below it. For an "
      "all-to-all only some cuts are tried, and the lengths of ways (semantics.md, section 8). "
      "Empty "
      "for barriers, groups of one, all-to-alls of more than 64 ranks, with the backend "
      "`analytical`, "
      "and where it would take too long to compute",
      [](const CollectiveRow& row)
      { return row.result.fabricBound ? NsText(*row.result.fabricBound) : ""; }},
     {"proof",
      ColumnKind::Identity,
      "",
      "of collectives that are synthesised or from files: `proven` where the program was shown to "
      "keep the promise of the collective, `matched` where only its messages are known to meet; "
      "else empty",
      [](const CollectiveRow& row) { return ProofText(row.Record().decision.proof); }}}};

} // namespace

TableDescription
DescribeCollectivesTable()
{
    return COLLECTIVES.Describe();
}

void
WriteCollectives(const RunResults& results, std::ostream& file)
{
    COLLECTIVES.WriteHeader(file);
    for (size_t id = 0; id < results.collectives.size(); ++id)
    {
        COLLECTIVES.WriteRow({id, results.collectives[id]}, file);
    }
}

} // namespace nadi
