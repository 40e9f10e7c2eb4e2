// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/tools/conversion/conversion-notes.h"
#include "workload/tools/conversion/kineto-trace.h"
#include "workload/tools/conversion/pytorch-groups.h"
#include "workload/tools/conversion/pytorch-host-trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// The recordings of one rank.
struct PytorchFiles
{
    std::string host = {}; ///< an execution trace; empty: none
    std::string device;    ///< a Kineto trace
};

/// Makes Chakra traces of what PyTorch recorded of a job: Kineto traces, which have the times and
/// the work of the devices, and host execution traces, which add what operators and collectives
/// were given.
///
/// In a document the time of each thread of the host is a chain of CPU nodes, idle times among
/// them, so that a replay keeps the pace of the host. Kernels, copies and memsets depend on the
/// node that launched them, on the work before them on their stream, and on what their stream
/// waited for. A call that synchronises depends on the work that it waited for, and lasts what was
/// left of it after the end of that work. Kernels of NCCL, RCCL and HCCL are collectives, sends and
/// receives.
///
/// What a recording does not tell is not made up, but counted in a note.
class PytorchConverter
{
  public:
    /// `ranks`: of the job, those that are converted, in ascending order. Not empty.
    explicit PytorchConverter(const std::vector<uint32_t>& ranks)
        : m_converted(static_cast<uint32_t>(ranks.size()))
        , m_rankCount(ranks.back() + 1)
    {
    }

    /// Ranks 0, 1, ... of the job.
    explicit PytorchConverter(uint32_t rankCount)
        : m_converted(rankCount)
        , m_rankCount(rankCount)
    {
    }

    /// The trace of a rank. Throws ConfigError for files that cannot be read, that are not of one
    /// recording, or of another rank.
    TraceDocument Convert(uint32_t rank, const PytorchFiles& files);

    /// The same of recordings that were read; `host` is null where there is none.
    TraceDocument Convert(uint32_t rank, const KinetoTrace& device, const PytorchHostTrace* host);

    /// The groups of the ranks converted so far, for groups.json.
    const ProcessGroups& Groups() const
    {
        return m_groups.Groups();
    }

    const ConversionNotes& Notes() const
    {
        return m_notes;
    }

  private:
    uint32_t m_converted; ///< ranks
    uint32_t m_rankCount; ///< of the job, that are known
    PytorchGroups m_groups;
    ConversionNotes m_notes;
};

} // namespace nadi
