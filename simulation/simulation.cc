// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/simulation.h"

#include "common/error.h"
#include "network/backend-kind.h"
#include "simulation/fabric-bounds.h"
#include "simulation/lower-bounds.h"
#include "simulation/notes/mechanism-warnings.h"
#include "simulation/notes/missing-bounds.h"
#include "simulation/notes/rate-waits.h"
#include "simulation/notes/serving-notes.h"
#include "simulation/notes/system-warnings.h"
#include "simulation/notes/table-warnings.h"
#include "simulation/prepare-calls.h"
#include "simulation/surroundings.h"
#include "system/in-network/tree-table.h"
#include "system/library/communication-library.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

std::optional<RemoteMemory>
MakeRemoteMemory(const RunInput& input, const RemoteMemory::Context& context)
{
    // With a formula, the MemoryModel alone times accesses, and nothing is sent.
    const MemoryOptions& options = input.Config().system.memory;
    if (options.through == MemoryOptions::Through::Formula)
    {
        return std::nullopt;
    }
    return std::optional<RemoteMemory>(std::in_place, context);
}

} // namespace

Simulation::Simulation(const RunInput& input, RunProgress& progress)
    : m_input(input)
    , m_loop(input.Config().network.packet.scrambleSeed)
    , m_network(MakeNetwork())
    // Null for the other backends. Only the packet backend has captures, ports whose bytes can be
    // checked, and pauses that may form a deadlock.
    , m_packet(dynamic_cast<PacketBackend*>(m_network.get()))
    , m_memory(
          input.Config().system.memory, input.Workload().RankCount(), input.Topology().Placement())
    , m_jobs({m_loop, input.Workload(), input.Compute(), m_memory})
    , m_trees(MakeTrees(input))
    , m_programs(MakePrograms(input))
    , m_library(InstallLibrary(DescribeSurroundings(input, m_trees ? &*m_trees : nullptr)))
    , m_collectives({m_loop,
                     *m_network,
                     input.Stack(),
                     input.Workload().communicators,
                     input.Config().system.options,
                     *m_library,
                     m_jobs,
                     input.Places(),
                     m_trees ? &*m_trees : nullptr,
                     &m_programs})
    , m_pointToPoint(m_loop,
                     *m_network,
                     m_library->PointToPointProtocol(),
                     input.Workload().RankCount(),
                     m_jobs)
    , m_remoteMemory(MakeRemoteMemory(input,
                                      {m_loop,
                                       *m_network,
                                       input.Topology(),
                                       input.Config().network.memories,
                                       input.Config().system.memory,
                                       m_jobs,
                                       input.Workload().communicators,
                                       m_trees ? &*m_trees : nullptr}))
    , m_deliveries(m_collectives, m_pointToPoint, m_remoteMemory ? &*m_remoteMemory : nullptr)
    , m_recorder(m_loop, m_jobs, m_collectives, progress)
{
    // The layers form circles: the job calls the collectives, which tell the job when a call is
    // complete; the collectives send over the network, which tells them of deliveries. One
    // direction of each circle is a reference of a constructor, the other is set here.
    PrepareCalls(input, *m_library, m_programs, m_trees ? &*m_trees : nullptr);
    m_network->SetListener(m_deliveries);
    m_jobs.SetCommunication(m_collectives, m_pointToPoint);
    m_jobs.SetObserver(m_recorder);
    m_collectives.SetObserver(m_recorder);
    m_pointToPoint.SetObserver(m_recorder);
    if (m_remoteMemory)
    {
        m_jobs.SetRemoteMemory(*m_remoteMemory);
        m_remoteMemory->SetObserver(m_recorder);
    }
    if (input.Serving() != nullptr)
    {
        Serve(*input.Serving(), progress);
    }
    if (input.Config().output.flows)
    {
        m_recorder.KeepFlows();
    }
    if (const std::optional<SimTime> interval = input.Config().output.series)
    {
        m_series.emplace(m_loop, *m_network, input.Topology(), *interval);
    }
    if (input.Config().output.timeline)
    {
        DrawTimeline();
    }
    if (input.Config().output.recording)
    {
        m_times.emplace(input.Workload());
        m_recorder.Record(*m_times);
    }
}

/// A trace of requests is read bit by bit during the run, so nobody knows how many there are.
/// Progress then has a total of 0.
void
Simulation::Serve(const ServingInput& serving, RunProgress& progress)
{
    const ServeOptions& options = *m_input.Config().workload.serve;
    m_requests = MakeRequestSource(options, m_input.Config().seed);
    m_serving.emplace(ServingJob::Context{.loop = m_loop,
                                          .jobs = m_jobs,
                                          .options = options,
                                          .instances = serving.instances,
                                          .names = serving.names,
                                          .requests = *m_requests,
                                          .seed = m_input.Config().seed});
    // A cluster may serve for as long as requests come. So its collectives are kept only on
    // request: their rows may take more memory than the run.
    if (!m_input.Config().output.servedCollectives)
    {
        m_recorder.DropCollectives();
    }
    m_recorder.CountRequests(*m_serving);
    progress.requestsTotal = options.requestTrace ? 0 : options.requests.count;
}

void
Simulation::CheckRequests()
{
    if (m_serving)
    {
        // A source of its own, since requests that were given out do not come again.
        const std::unique_ptr<RequestSource> requests =
            MakeRequestSource(*m_input.Config().workload.serve, m_input.Config().seed);
        m_serving->CheckRequests(*requests);
    }
}

void
Simulation::DrawTimeline()
{
    m_timeline.emplace(m_input.Workload());
    m_recorder.Draw(*m_timeline);
    m_jobs.SetActivityObserver(*m_timeline);
    m_collectives.SetPhaseObserver(*m_timeline);
    if (m_serving)
    {
        DrawServing();
    }
}

void
Simulation::DrawServing()
{
    std::vector<std::string> names;
    for (const ServingInstance& instance : m_input.Serving()->instances)
    {
        names.push_back(instance.Name());
    }
    m_servingTimeline.emplace(std::move(names));
    m_serving->AddObserver(*m_servingTimeline);
    m_serving->SetPassObserver(*m_servingTimeline);
}

/// Called while the members are made, so it may use only the members before m_network: the input
/// and the loop.
std::unique_ptr<NetworkBackend>
Simulation::MakeNetwork()
{
    const NetworkConfig& network = m_input.Config().network;
    PacketOptions packet = network.packet;
    // A sampler looks into the network all the time, and a memo would have to catch up each time.
    packet.memo = packet.memo && !m_input.Config().output.series;
    return Registry<BackendKind>::Instance()
        .Make(network.backend)
        ->Make({m_input.Topology(), m_input.Routing(), packet, m_input.Faults(), m_loop});
}

RunResults
Simulation::Run()
{
    RunResults results;
    results.status = RunLoop();
    const char* const done =
        m_serving ? "every request has its answer" : "every node of every rank is done";
    results.exitReason = results.status == RunStatus::Done ? done : "stopped by a signal";
    // First: what the network did not simulate is counted then.
    results.links = ReadLinks();
    results.ranks = ReadRanks();
    results.finish = FindFinish(results.ranks, results.status);
    results.collectives = TakeCollectives();
    results.ranAlgorithms = m_recorder.TakeRanAlgorithms();
    results.flows = m_recorder.TakeFlows();
    if (m_series)
    {
        results.series = m_series->TakeSamples();
    }
    if (m_timeline)
    {
        results.timeline = m_timeline->Take();
    }
    if (m_times)
    {
        results.recording = m_times->Take();
    }
    if (m_servingTimeline)
    {
        results.servingTimeline = m_servingTimeline->Take();
    }
    results.totals = m_network->ReadTotals();
    results.effects = m_collectives.Effects();
    results.tableUse = m_jobs.KernelTableUse();
    if (m_remoteMemory)
    {
        results.memory = m_remoteMemory->Totals();
    }
    if (m_trees)
    {
        results.inNetwork = m_collectives.InNetwork();
        // Switches also send for the accesses of groups to remote memory.
        results.inNetwork->bytes +=
            m_remoteMemory ? m_remoteMemory->BytesSentBySwitches() : Bytes();
    }
    if (m_serving)
    {
        results.serving = m_serving->Totals();
    }
    results.events = m_loop.EventCount();
    // The digest has the links already: ReadLinks has added them.
    results.digest = m_recorder.Digest().Hex();
    if (results.status == RunStatus::Stuck)
    {
        ExplainStuck(results);
    }
    // The warnings come last, since they judge what stands in the results.
    results.warnings = FindMechanismWarnings(m_input, results);
    for (const std::string& complaint : m_programs.Complaints())
    {
        results.warnings.push_back(complaint);
    }
    for (std::string& warning : FindSystemWarnings(m_input, results))
    {
        results.warnings.push_back(std::move(warning));
    }
    for (std::string& warning : FindTableWarnings(m_input, results))
    {
        results.warnings.push_back(std::move(warning));
    }
    for (std::string& warning : FindServingWarnings(m_input, results))
    {
        results.warnings.push_back(std::move(warning));
    }
    for (std::string& warning : FindRateWaits(m_input, results))
    {
        results.warnings.push_back(std::move(warning));
    }
    for (std::string& warning : FindMissingBounds(m_input, results))
    {
        results.warnings.push_back(std::move(warning));
    }
    return results;
}

/// Done is asked before the stop: a run that was stopped during its last event has a whole result.
RunStatus
Simulation::RunLoop()
{
    bool hasEnded = false;
    try
    {
        m_jobs.Start();
        if (m_serving)
        {
            m_serving->Start();
        }
        hasEnded = m_loop.Run();
    }
    catch (const NetworkFailure& error)
    {
        // A queue pair that gave up may have lost nothing but the acknowledgements of what has
        // arrived. Nobody waits for these.
        if (IsJobFinished())
        {
            return RunStatus::Done;
        }
        m_failure = {StuckBy::Network, error.what()};
        return RunStatus::Stuck;
    }
    catch (const JobError& error)
    {
        // Ranks that call what does not match, such as an all-reduce and a broadcast as the fifth
        // call of one communicator, could never go on. That ends a run as a deadlock does, and the
        // waits of all ranks are reported with it.
        m_failure = {StuckBy::Mismatch, error.what()};
        return RunStatus::Stuck;
    }
    // The loop ends by itself when nothing is left to happen. If the job is not done then, it is
    // stuck. If the loop was stopped from outside, nobody knows whether it would have gone on.
    if (IsJobFinished())
    {
        return RunStatus::Done;
    }
    return hasEnded ? RunStatus::Stuck : RunStatus::Interrupted;
}

/// A cluster that serves has no nodes while no request is there, so the jobs alone seem to be
/// finished between two requests.
bool
Simulation::IsJobFinished() const
{
    return m_jobs.IsFinished() && (!m_serving || m_serving->IsFinished());
}

/// The job's time is the end of its slowest rank, and not the time of the last event:
/// acknowledgements and timers may come after it. A run that did not end has only the time that it
/// came to.
SimTime
Simulation::FindFinish(const std::vector<RankResult>& ranks, RunStatus status) const
{
    if (status != RunStatus::Done)
    {
        return m_loop.Now();
    }
    SimTime finish;
    for (const RankResult& rank : ranks)
    {
        finish = std::max(finish, rank.metrics.finish);
    }
    return finish;
}

std::vector<RankResult>
Simulation::ReadRanks() const
{
    std::vector<RankResult> ranks;
    for (uint32_t rank = 0; rank < m_input.Workload().RankCount(); ++rank)
    {
        const RankId id{rank};
        // What the rank has stored in memories, and what it has passed on for its groups.
        const Bytes stored = m_remoteMemory ? m_remoteMemory->BytesSent(id) : Bytes();
        ranks.push_back({m_jobs.Metrics(id),
                         m_collectives.BytesSent(id) + m_pointToPoint.BytesSent(id) + stored,
                         m_jobs.Communication(id),
                         m_input.Topology().Placement().PlaceOf(id)});
    }
    return ranks;
}

std::vector<CollectiveResult>
Simulation::TakeCollectives()
{
    // Both keep what they have computed, since jobs call the same few collectives many times.
    LowerBounds bounds(m_input);
    FabricBounds fabricBounds(m_input);
    // Where messages do not share links, as with `analytical`, a run may be faster than the whole
    // network allows, so that would be no bound.
    const bool sharesLinks = SharesLinks(m_input.Config().network.backend);
    std::vector<CollectiveResult> results;
    for (CollectiveRecord& record : m_recorder.TakeCollectives())
    {
        // Only when the run is over: the bounds need none of its events, and cost nothing while it
        // runs.
        const SimTime bound = bounds.Find(record);
        const std::optional<SimTime> fabricBound =
            sharesLinks ? fabricBounds.Find(record, bounds) : std::nullopt;
        results.push_back({std::move(record), bound, fabricBound});
    }
    return results;
}

/// Requires: called once, when the run is over, as it also adds the links to the digest.
std::vector<LinkCounters>
Simulation::ReadLinks()
{
    std::vector<LinkCounters> links;
    for (uint32_t link = 0; link < m_input.Topology().LinkCount(); ++link)
    {
        links.push_back(m_network->ReadLink(LinkId{link}));
        m_recorder.Digest().AddLink(LinkId{link}, links.back());
    }
    return links;
}

/// The report lists its causes from the nearest to the farthest, since its first one becomes the
/// exit reason: first what ranks called amiss, or else the circle of paused ports; then what else
/// the network found, such as a link that stays down; last what the job itself found, such as a
/// receive without a send.
void
Simulation::ExplainStuck(RunResults& results) const
{
    WaitReport report = m_jobs.MakeWaitReport(m_failure.by);
    const auto circle = m_packet != nullptr ? m_packet->FindDeadlock() : std::nullopt;
    const std::string deadlock = circle.value_or("");
    const std::string& cause = m_failure.by == StuckBy::Silence ? deadlock : m_failure.text;
    if (m_packet != nullptr)
    {
        const std::vector<std::string> causes = m_packet->FindStuckCauses();
        report.causes.insert(report.causes.begin(), causes.begin(), causes.end());
    }
    if (!cause.empty())
    {
        report.causes.insert(report.causes.begin(), cause);
    }
    results.exitReason =
        report.causes.empty() ? "ranks wait for each other" : report.causes.front();
    results.waits = std::move(report);
}

} // namespace nadi
