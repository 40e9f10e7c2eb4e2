// SPDX-License-Identifier: GPL-2.0-only
// A run that is recorded, and what its recording takes when it is run again.
#pragma once

#include "cli/trace/trace-inputs.h"
#include "simulation/results/recording-writer.h"
#include "simulation/simulate.h"
#include "tests/support/scratch-directory.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/task-order.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nadi::test
{

inline const std::string FOUR_NPUS =
    "network: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}\n"
    "output: {recording: on}\n";

/// A run, and its recording as the trace bench reads it.
struct RecordedRun
{
    RunResults results;
    std::string directory;
    TraceJob job;
    std::vector<RecordedOrder> orders;
};

inline RecordedRun
Record(const ScratchDirectory& scratch, const std::string& yaml)
{
    const RunInput input(scratch.Write("job.yaml", yaml), {});
    RecordedRun run{Simulate(input), (scratch.Path() / "results").string(), {}, {}};
    OutputDirectory output(run.directory, MayReplace::Nothing);
    WriteRecording(output, input, run.results.recording.value());
    output.Publish();
    const std::vector<std::string> traces{run.directory + "/recording"};
    run.job = ReadTraceJob(FindTraceInputs(traces).files, FindInputGroups(traces, ""));
    for (uint32_t rank = 0; rank < run.job.RankCount(); ++rank)
    {
        run.orders.push_back(ReadRecordedOrder(run.job.ReadRank(rank), run.job.GraphOf(rank)));
    }
    return run;
}

/// What the recording takes when it is simulated again.
inline SimTime
Replay(const ScratchDirectory& scratch,
       const RecordedRun& run,
       const std::string& network,
       const std::string& communication = "simulated")
{
    const std::string groups = run.directory + "/recording/groups.json";
    return Simulate(scratch.Write(
                        "replay.yaml",
                        "workload: {trace: \"" + run.directory +
                            "/recording/job.{rank}.et\", communication: " + communication +
                            (std::filesystem::exists(groups) ? ", groups: \"" + groups + "\"}\n"
                                                             : "}\n") +
                            network))
        .finish;
}

} // namespace nadi::test
