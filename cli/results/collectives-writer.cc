// SPDX-License-Identifier: GPL-2.0-only
#include "cli/results/collectives-writer.h"

#include "cli/results/text-format.h"
#include "system/collective-bounds.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

std::string
WriteRow(size_t id, const CollectiveResult& result)
{
    const CollectiveRecord& record = result.record;
    const CollectiveExtent extent{record.type, record.size, record.ranks};
    const SimTime duration = record.end - record.start;
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.6f},{:.6f},{},{},{},{}\n",
                       id,
                       CsvText(record.name),
                       ToText(record.type),
                       CsvText(record.algorithm),
                       record.communicator.value,
                       record.ranks,
                       record.size.Count(),
                       ComputeNcclSize(extent).Count(),
                       NsText(record.start),
                       NsText(record.end),
                       NsText(duration),
                       AlgorithmBandwidthGBps(extent, duration),
                       BusBandwidthGBps(extent, duration),
                       NsText(result.lowerBound),
                       NsText(record.called),
                       NsText(record.begin),
                       record.lastRank.value);
}

} // namespace

void
WriteCollectives(const RunResults& results, std::ostream& file)
{
    file << "id,name,type,algorithm,communicator,ranks,size_bytes,nccl_size_bytes,start_ns,end_ns,"
            "duration_ns,algbw_GBps,busbw_GBps,lower_bound_ns,called_ns,begin_ns,last_rank\n";
    for (size_t id = 0; id < results.collectives.size(); ++id)
    {
        file << WriteRow(id, results.collectives[id]);
    }
}

} // namespace nadi
