// SPDX-License-Identifier: GPL-2.0-only
#include "cli/results/ranks-writer.h"

#include "cli/results/text-format.h"

#include <fmt/format.h>

namespace nadi
{

void
WriteRanks(const RunResults& results, std::ostream& file)
{
    file << "rank,finish_ns,compute_ns,communication_ns,exposed_communication_ns,idle_ns,"
            "bytes_sent,waiting_ns,waited_for_ns\n";
    for (size_t rank = 0; rank < results.ranks.size(); ++rank)
    {
        const RankMetrics& metrics = results.ranks[rank].metrics;
        file << fmt::format("{},{},{},{},{},{},{},{},{}\n",
                            rank,
                            NsText(metrics.finish),
                            NsText(metrics.compute),
                            NsText(metrics.communication),
                            NsText(metrics.exposedCommunication),
                            NsText(metrics.idle),
                            results.ranks[rank].sent.Count(),
                            NsText(metrics.waiting),
                            NsText(metrics.waitedFor));
    }
}

} // namespace nadi
