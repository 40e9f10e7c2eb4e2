// SPDX-License-Identifier: GPL-2.0-only
#include "cli/results/communication-writer.h"

#include "cli/results/text-format.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// Communicator and its number of ranks; neither where single ranks send and receive.
std::string
GroupText(const CommunicationKind& kind, const Workload& workload)
{
    if (!kind.collective)
    {
        return ",";
    }
    return fmt::format("{},{}",
                       kind.communicator.value,
                       workload.communicators[kind.communicator.value].ranks.size());
}

} // namespace

std::string
ToText(const CommunicationKind& kind)
{
    return kind.collective ? std::string(ToText(*kind.collective)) : "point-to-point";
}

void
WriteCommunication(const RunResults& results, const Workload& workload, std::ostream& file)
{
    file << "rank,type,communicator,ranks,calls,size_bytes,communication_ns,"
            "exposed_communication_ns\n";
    for (size_t rank = 0; rank < results.ranks.size(); ++rank)
    {
        for (const CommunicationTotal& total : results.ranks[rank].communication)
        {
            file << fmt::format("{},{},{},{},{},{},{}\n",
                                rank,
                                ToText(total.kind),
                                GroupText(total.kind, workload),
                                total.calls,
                                total.size.Count(),
                                NsText(total.inProgress),
                                NsText(total.exposed));
        }
    }
}

} // namespace nadi
