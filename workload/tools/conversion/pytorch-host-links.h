// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/kineto-trace.h"
#include "workload/tools/conversion/pytorch-host-trace.h"

#include <cstddef>
#include <vector>

namespace nadi
{

/// Which operator of the host trace each event of the Kineto trace is.
struct PytorchHostLinks
{
    static constexpr size_t NONE = SIZE_MAX;

    std::vector<size_t> nodeOfEvent; ///< by index of the event; NONE for those without
    size_t unlinkedNodes = 0;        ///< operators of the host trace that Kineto does not time

    /// No links: there is no host trace.
    explicit PytorchHostLinks(const KinetoTrace& device)
        : nodeOfEvent(device.events.size(), NONE)
    {
    }
};

/// Links by record-function id where both traces have them. Else by name and order: the operators
/// of a thread of the host trace are those of the Kineto thread that has most names in common with
/// it, and the k-th of a name is the k-th of that name, provided that both traces have equally
/// many.
///
/// Throws ConfigError where no operator of the host trace is in the Kineto trace, or by name and
/// order less than half of them: then the traces are not of one recording.
PytorchHostLinks LinkHostTrace(const PytorchHostTrace& host, const KinetoTrace& device);

} // namespace nadi
