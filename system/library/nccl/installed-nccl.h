// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/dimension-programs.h"
#include "system/library/installed-library.h"
#include "system/library/nccl/kernel-way.h"
#include "system/library/nccl/nccl-settings.h"
#include "system/library/nccl/node-switches.h"
#include "system/library/nccl/nvls-protocol.h"
#include "system/library/nccl/peer-protocol.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi::nccl
{

/// A library of the family of NCCL, on the ranks of a run. It chooses algorithm and protocol of
/// all-reduce, all-gather, reduce-scatter, broadcast and reduce by its own estimate. A barrier is a
/// small all-reduce. The other collectives, and those to which ranks bring different sizes, run as
/// sends and receives.
class InstalledNccl : public InstalledLibrary
{
  public:
    /// Requires: the network has nodes.
    InstalledNccl(const LibrarySurroundings& surroundings, const NcclSettings& settings);

    LayoutKind LayoutFor(CollectiveType /*type*/) const override
    {
        return LayoutKind::Flat;
    }

    uint32_t PlaceOf(const Communicator& communicator) override;
    CollectiveProgram MakeProgram(const ProgramRequest& request) override;

    const Protocol& PointToPointProtocol() const override
    {
        return m_peers;
    }

  protected:
    /// A way that is kept for calls to come.
    struct KeptWay
    {
        std::unique_ptr<Protocol> protocol;
        const ChosenAlgorithm* planner = nullptr;
        uint32_t lanesAtOnce = ALL_LANES;
    };

    KeptWay Keep(KernelWay way);
    CostContext ContextFor(const Placement& placement, CollectiveType type) const;
    Placement PlacementOf(const ProgramRequest& request) const;
    CollectiveProgram MakeProgramBy(const KeptWay& way, const ProgramRequest& request) const;

    DimensionPrograms& Programs()
    {
        return m_programs;
    }

    uint64_t SizeOf(const ProgramRequest& request) const;

  private:
    /// Place, type, kernel, channels, and where it counts one more than the size.
    using WayName =
        std::tuple<uint32_t, CollectiveType, KernelAlgorithm, KernelProtocol, uint32_t, uint64_t>;

    uint32_t NumberOf(const Placement& placement, bool switchesReduce);
    Machine MachineOf(const Placement& placement) const;
    KernelWay MakeWay(const Kernel& kernel,
                      const CostContext& context,
                      const Placement& placement,
                      uint64_t bytes);
    bool IsWished(const Kernel& kernel, CollectiveType type) const;
    std::string FindUnmetWish(const Machine& machine, CollectiveType type) const;
    CollectiveProgram MakeKernelProgram(const ProgramRequest& request);
    CollectiveProgram MakeBarrierProgram(const ProgramRequest& request);
    CollectiveProgram MakeExchangeProgram(const ProgramRequest& request);

    const SystemOptions& m_options;
    NodeHardware m_hardware;
    NodeSwitches m_switches;
    NodeSeats m_seats;
    double m_payloadShare;
    NcclSettings m_settings;
    PeerProtocol m_peers;
    DimensionPrograms m_programs;
    NvlsPorts m_nvlsPorts;
    std::map<CommunicatorId, uint32_t> m_placeOf;
    std::map<std::pair<Placement, bool>, uint32_t> m_places;
    std::map<WayName, KeptWay> m_ways;
};

} // namespace nadi::nccl
