// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/kineto-nesting.h"
#include "workload/tools/conversion/kineto-trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// The scopes of the host around its events: modules of the network ("nn.Module: Block_3", of
/// recordings with modules or stacks), ranges that the program marks ("## forward ##"), and steps
/// of the engine of the backward pass.
///
/// An operator of the backward pass runs in no module. It has the sequence number of the operator
/// of the forward pass whose gradient it computes, so the scopes of that one follow its own.
///
/// Steps of the profiler ("ProfilerStep#3") and ranges of communication ("nccl:all_reduce") are no
/// scopes: others tell of both.
class KernelScopes
{
  public:
    /// The arguments must outlive it.
    KernelScopes(const KinetoTrace& trace, const KinetoNesting& nesting);

    /// The scopes around an event of the host, the outermost first.
    std::vector<std::string> Of(size_t event) const;

  private:
    static constexpr size_t NONE = SIZE_MAX;

    /// The modules of a thread by their start, each with the one around it.
    struct ThreadModules
    {
        std::vector<size_t> modules; ///< indices into KinetoTrace::modules
        std::vector<size_t> parent;  ///< places in `modules`, or NONE
    };

    void NestModules();
    void FindForwardOperators();
    size_t FindModule(const ThreadModules& thread, int64_t ns) const;
    size_t AddAround(size_t event, std::vector<std::string>& names) const;

    const KinetoTrace& m_trace;
    const KinetoNesting& m_nesting;
    std::map<int64_t, ThreadModules> m_threads;
    std::unordered_map<uint64_t, size_t> m_forwardOfSequence; ///< events
};

} // namespace nadi
