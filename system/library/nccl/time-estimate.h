// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-type.h"
#include "system/library/nccl/machine.h"
#include "system/library/nccl/release-family.h"

#include <cstdint>

namespace nadi::nccl
{

/// The time that the library itself expects of a call: latency + size / rate, from constants. It
/// decides what runs. It knows nothing of the network beyond the rates of links and NICs, so it
/// is often far from the true time, and the choice is then wrong in the same way as on the real
/// machine.
///
/// Source: NCCL, src/graph/tuning.cc (releases 2.8, 2.18, 2.27 and 2.28 were read whole).
class TimeEstimate
{
  public:
    TimeEstimate(const Machine& machine, CollectiveType type);

    /// In us; infinite for an algorithm that the release does not have. `size` in bytes, as
    /// nccl-tests counts them. NVLS and NVLSTree have Simple only.
    double Of(KernelAlgorithm algorithm, KernelProtocol protocol, double size) const;

  private:
    struct Line
    {
        double latency = 0; ///< us
        double rate = 0;    ///< GB/s
    };

    struct Hops
    {
        double inside = 0;  ///< us of a step inside a node
        double between = 0; ///< of one between nodes
    };

    Line Ring(KernelProtocol protocol, double size) const;
    Line Tree(KernelProtocol protocol, double size) const;
    Line Nvls() const;
    Line NvlsTree() const;
    double RingRate(KernelProtocol protocol) const;
    double RingShareOfLL() const;
    Hops RingHops(KernelProtocol protocol) const;
    uint32_t CrossingSteps() const;
    double TreeBus() const;
    double TreeRate(KernelProtocol protocol) const;
    double NvlsBus() const;
    double MostOfLL() const;
    uint32_t Steps() const;
    uint32_t Levels() const;

    Machine m_machine;
    CollectiveType m_type;
    const ReleaseFamily& m_family;
    double m_channels;
    double m_bus; ///< GB/s of the rings that the library found
};

} // namespace nadi::nccl
