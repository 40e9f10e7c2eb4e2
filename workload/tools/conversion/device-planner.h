// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/device-plan.h"
#include "workload/tools/conversion/device-runtime.h"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// Walks through the calls of the runtime in the order of time and notes what waits for what. See
/// PlanDeviceWork for the rules.
class DevicePlanner
{
  public:
    /// The arguments must outlive it.
    DevicePlanner(const KinetoTrace& trace, const PytorchCalls& calls);

    DevicePlan Plan();

  private:
    /// What a thread of the host did last.
    struct Thread
    {
        std::map<uint32_t, size_t> lastCompute; ///< by stream: the work launched last
        std::map<uint32_t, size_t> pending;     ///< by stream: what the next work waits for
        size_t lastWork = DeviceWork::NONE;
        int64_t lastCommunicationNs = INT64_MIN;
    };

    void CollectWorks();
    void CollectCalls();
    DeviceWork MakeWork(size_t event) const;
    void CollectSynchronizations();
    void CollectLaunchesOfCalls();
    std::vector<size_t> ListMoments() const;

    void OnWork(size_t work);
    void OnCall(size_t event);
    void OnStreamWait(size_t event);
    void OnSynchronization(size_t event, RuntimeWait wait);
    void OnCollectiveWait(size_t event);

    void AwaitCompute(Thread& thread, DeviceWork& work);
    void AwaitPending(Thread& thread, DeviceWork& work);
    void AwaitExactly(DeviceWork& work);
    void TellCalls(Thread& thread, DeviceWork& work);
    void NoteLaunch(Thread& thread, size_t work);
    void NoteOwnWait(const DeviceWork& work, size_t index);

    /// The collective that the operator waits for, which is then no longer unawaited; NONE.
    size_t TakeAwaited(size_t waitingOperator);
    /// The last work of a stream that was launched before a time; NONE.
    size_t FindLast(uint32_t stream, int64_t beforeNs) const;
    /// The last work of the stream that had ended by a time; NONE.
    size_t FindEnded(uint32_t stream, int64_t byNs) const;
    std::vector<size_t> FindAwaitedByHost(size_t event, RuntimeWait wait) const;
    std::vector<size_t> FindExactlyAwaited(const KinetoEvent& synchronization,
                                           int64_t callNs) const;
    bool HasEnded(size_t work, int64_t byNs) const;
    const KinetoEvent& EventOf(size_t work) const;
    Thread& ThreadOf(const DeviceWork& work);

    const KinetoTrace& m_trace;
    const PytorchCalls& m_calls;
    DevicePlan m_plan;
    bool m_hasStreamWaits = false;
    std::map<int64_t, Thread> m_threads;
    std::map<uint32_t, std::vector<size_t>> m_streams; // works by stream, in the order of launch
    std::map<uint32_t, size_t> m_lastCompute;          // by stream, of any thread
    std::map<uint32_t, std::vector<size_t>> m_exact;   // by stream: what its next work waits for
    std::deque<size_t> m_unawaited;                    // communication, in the order of launch
    std::unordered_map<uint64_t, size_t> m_synchronizations;          // events, by correlation
    std::unordered_map<uint64_t, size_t> m_callOfCorrelation;         // events
    std::unordered_map<size_t, std::vector<size_t>> m_launchesOfCall; // works, by operator
    std::set<size_t> m_recordsWithKernel; // operators record_param_comms
    std::set<size_t> m_joined; // operators whose library has joined its streams after the launch
};

} // namespace nadi
