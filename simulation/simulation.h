// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "network/network-backend.h"
#include "network/packet/packet-backend.h"
#include "simulation/node-times-recorder.h"
#include "simulation/run-input.h"
#include "simulation/run-progress.h"
#include "simulation/run-recorder.h"
#include "simulation/run-results.h"
#include "simulation/series-sampler.h"
#include "simulation/timeline/serving-timeline.h"
#include "simulation/timeline/timeline-recorder.h"
#include "system/collective-engine.h"
#include "system/delivery-switch.h"
#include "system/library/installed-library.h"
#include "system/memory-model.h"
#include "system/message-programs/program-table.h"
#include "system/point-to-point.h"
#include "system/remote-memory/remote-memory.h"
#include "workload/job-engine.h"
#include "workload/serving/request-source.h"
#include "workload/serving/serving-job.h"

#include <memory>
#include <optional>
#include <string>

namespace nadi
{

/// One run: the one place that makes the objects of all layers and connects them. It runs them, and
/// reads off what they leave: when the slowest rank ended, or why none could end.
///
/// No layer makes another; the constructor connects them. The layers above know the network only as
/// NetworkBackend, and tell what happens by interfaces of listeners and observers. So a backend can
/// be exchanged without them, and a layer tested without the program.
///
/// Requires: one at a time in a process (so does ns-3); `input` and `progress` outlive it.
class Simulation
{
  public:
    /// Throws ConfigError for a job that no run could do.
    Simulation(const RunInput& input, RunProgress& progress);

    /// Writes what a capture at the sending end of `link` sees to `file`, which is complete once
    /// the simulation is gone. Requires: called before Run.
    /// Requires: the backend is `packet`.
    void Capture(LinkId link, const std::string& file)
    {
        NADI_CHECK(m_packet != nullptr);
        m_packet->Capture(link, file);
    }

    /// Tells of requests that have their answers. Requires: called before Run.
    void ObserveRequests(RequestObserver& observer)
    {
        if (m_serving)
        {
            m_serving->AddObserver(observer);
        }
    }

    /// Throws ConfigError for a request that an instance has too little memory for, which Run would
    /// find when the request comes. Looks at all requests.
    void CheckRequests();

    /// Runs to the end: until nothing is left to happen, acknowledgements included, or until Loop()
    /// is stopped. To be called once.
    RunResults Run();

    /// Stops the program unless every port accounts for every byte; for the backend `packet`.
    void CheckConservation() const
    {
        if (m_packet != nullptr)
        {
            m_packet->CheckConservation();
        }
    }

    /// Its Stop() ends the run after the present event, also from a signal handler.
    EventLoop& Loop()
    {
        return m_loop;
    }

  private:
    /// What ended the run before its end.
    struct Failure
    {
        StuckBy by = StuckBy::Silence; ///< nothing has
        std::string text;
    };

    std::unique_ptr<NetworkBackend> MakeNetwork();
    void DrawTimeline();
    void DrawServing();
    void Serve(const ServingInput& serving, RunProgress& progress);
    bool IsJobFinished() const;
    RunStatus RunLoop();
    SimTime FindFinish(const std::vector<RankResult>& ranks, RunStatus status) const;
    std::vector<RankResult> ReadRanks() const;
    std::vector<CollectiveResult> TakeCollectives();
    std::vector<LinkCounters> ReadLinks();
    void ExplainStuck(RunResults& results) const;

    // The order of the members is the order in which they are made, and the reverse is that in
    // which they go. The loop comes first: all others hold references to it and may have events in
    // it. Each layer comes after those that it holds a reference to; the recorder and what draws
    // come last, as observers.
    const RunInput& m_input;
    Ns3EventLoop m_loop;
    std::unique_ptr<NetworkBackend> m_network;
    PacketBackend* m_packet; // what m_network is, if it is that
    MemoryModel m_memory;
    JobEngine m_jobs;
    std::optional<TreeTable> m_trees; // none: no switch computes
    ProgramTable m_programs;
    std::unique_ptr<InstalledLibrary> m_library;
    CollectiveEngine m_collectives;
    PointToPoint m_pointToPoint;
    std::optional<RemoteMemory> m_remoteMemory; // none: no access goes through the network
    DeliverySwitch m_deliveries;
    RunRecorder m_recorder;
    std::unique_ptr<RequestSource> m_requests;                // with workload.serve
    std::optional<ServingJob> m_serving;                      // likewise
    std::optional<SeriesSampler> m_series;                    // with output.series
    std::optional<TimelineRecorder> m_timeline;               // with output.timeline
    std::optional<NodeTimesRecorder> m_times;                 // with output.recording
    std::optional<ServingTimelineRecorder> m_servingTimeline; // likewise, where requests are served
    Failure m_failure;
};

} // namespace nadi
