// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/instances-writer.h"

#include "simulation/results/text-format.h"

namespace nadi
{

namespace
{

const Table<InstanceTotals> INSTANCES{
    "instances.csv",
    {{"instance",
      ColumnKind::Identity,
      "",
      "its role, and its number among all instances",
      [](const InstanceTotals& row) { return CsvText(row.name); }},
     {"role",
      ColumnKind::Identity,
      "",
      "what it does of a request: `both`, `prefill` or `decode`; `ffn`: it has the experts of an "
      "attention instance. An attention instance has the role of its `phase`, and `attention` in "
      "its name",
      [](const InstanceTotals& row) { return CsvText(row.role); }},
     {"iterations",
      ColumnKind::Quantity,
      "",
      "forward passes of batches. In this column and the next two, an `ffn` instance has the "
      "numbers of its attention instance, in whose passes it takes part",
      [](const InstanceTotals& row) { return std::to_string(row.iterations); }},
     {"busy_ns",
      ColumnKind::Quantity,
      "ns",
      "time in which an iteration was under way",
      [](const InstanceTotals& row) { return NsText(row.busy); }},
     {"tokens",
      ColumnKind::Quantity,
      "",
      "tokens that it computed, of prompts and of answers; those computed again count again",
      [](const InstanceTotals& row) { return std::to_string(row.tokens); }},
     {"kv_peak_bytes",
      ColumnKind::Quantity,
      "bytes",
      "the most that keys and values took in one of its replicas, over all ranks of it",
      [](const InstanceTotals& row) { return std::to_string(row.kvPeakBytes); }}}};

} // namespace

TableDescription
DescribeInstancesTable()
{
    return INSTANCES.Describe();
}

void
WriteInstances(const ServingTotals& serving, std::ostream& file)
{
    INSTANCES.WriteHeader(file);
    for (const InstanceTotals& instance : serving.instances)
    {
        INSTANCES.WriteRow(instance, file);
    }
}

} // namespace nadi
