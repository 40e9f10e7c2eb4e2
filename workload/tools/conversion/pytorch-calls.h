// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/kineto-nesting.h"
#include "workload/tools/conversion/pytorch-host-links.h"

#include <map>
#include <utility>
#include <vector>

namespace nadi
{

/// Finds what the operators around a launching call tell of a collective.
///
/// A call of the distributed package is an operator `record_param_comms`, with `nccl:...` within it
/// around the calls of the library. Which kernel it launched follows from the launching call, which
/// lies within both.
class PytorchCalls
{
  public:
    /// The arguments must outlive it; `host` is null where there is no host trace.
    PytorchCalls(const KinetoTrace& device,
                 const KinetoNesting& nesting,
                 const PytorchHostTrace* host,
                 const PytorchHostLinks& links);

    /// What is told of the operator itself, by the Kineto trace and then by the host trace.
    PytorchCall TellOperator(size_t event) const;

    /// What is told of the work that `launch` launched: by the kernel, by the operators around.
    PytorchCall TellWork(size_t kernel, size_t launch) const;

    /// The operator record_param_comms around an event, the innermost one; NONE.
    size_t FindRecord(size_t event) const;

    /// The sends and receives that `thread` called in [beginNs, endNs), which one kernel carries.
    std::vector<PytorchCall> FindMessages(int64_t thread, int64_t beginNs, int64_t endNs) const;

    /// The outermost operator of a call of the distributed package around an event; NONE.
    size_t FindOperator(size_t event) const;

    /// Operators that wait for a call, in no order.
    const std::vector<size_t>& Waits() const
    {
        return m_waits;
    }

  private:
    bool IsCall(size_t event) const;

    const KinetoTrace& m_device;
    const KinetoNesting& m_nesting;
    const PytorchHostTrace* m_host;
    const PytorchHostLinks& m_links;
    /// Sends and receives: operators by thread and begin.
    std::map<std::pair<int64_t, int64_t>, std::vector<size_t>> m_messages;
    std::vector<size_t> m_waits;
};

} // namespace nadi
