// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/recording-writer.h"

#include "workload/trace-names.h"

#include <filesystem>
#include <string>

namespace nadi
{

void
WriteRecording(OutputDirectory& directory,
               const RunInput& input,
               const std::vector<NodeTimes>& recording)
{
    const Workload& workload = input.Workload();
    const std::string stem = std::filesystem::path(input.Config().file).stem().string();
    const std::string name = "recording/" + (stem.empty() ? "run" : stem);
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        directory.Write(name + "." + std::to_string(rank) + ".et",
                        FormatRecording(workload.GraphOf(RankId{rank}),
                                        MakeTraceNames(workload, rank),
                                        recording[rank]));
    }
    // The group of all ranks needs no entry: a call without a group means all ranks.
    if (workload.communicators.size() > 1)
    {
        directory.Write("recording/groups.json", FormatTraceGroups(workload));
    }
}

} // namespace nadi
