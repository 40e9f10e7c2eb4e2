// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/host-timeline.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// Cuts the events of one thread into segments (see CutHostTimeline). `previous` and `first` count
/// within the thread.
class ThreadCutter
{
  public:
    /// The arguments must outlive it.
    ThreadCutter(const KinetoTrace& trace, const KinetoNesting& nesting, const DevicePlan& plan)
        : m_trace(trace)
        , m_nesting(nesting)
        , m_plan(plan)
    {
    }

    /// `events` are in the order of KinetoNesting, `beginNs` is the begin of the trace.
    std::vector<HostSegment> Cut(const std::vector<size_t>& events, int64_t beginNs);

  private:
    bool IsCut(size_t event) const;
    void Open(size_t event);
    void CloseUntil(int64_t ns);
    void CloseLast();
    void EmitUntil(int64_t ns);
    void Emit(size_t event, int64_t endNs);
    /// When a call that waits for its own copy had launched it.
    int64_t FindLaunched(size_t event) const;

    const KinetoTrace& m_trace;
    const KinetoNesting& m_nesting;
    const DevicePlan& m_plan;
    int64_t m_nowNs = 0;
    std::vector<size_t> m_open;                 // operators, the innermost last
    std::unordered_map<size_t, size_t> m_first; // segments, by event
    std::vector<HostSegment> m_segments;
};

} // namespace nadi
