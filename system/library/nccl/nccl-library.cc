// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "common/error.h"
#include "system/library/communication-library.h"
#include "system/library/dimension-programs.h"
#include "system/library/nccl/channels.h"
#include "system/library/nccl/nccl-settings.h"
#include "system/library/nccl/peer-protocol.h"
#include "system/library/nccl/ring-kernel.h"
#include "system/library/nccl/tree-kernel.h"
#include "system/library/whole-program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

namespace nadi::nccl
{

namespace
{

/// Every lane of a kernel runs at once.
constexpr uint32_t ALL_LANES = uint32_t{1} << 24;
/// Of each tree, between a leaf and the return of the sum: the slots of a channel's buffer on the
/// way up and down.
constexpr uint32_t PIECES_UNDER_WAY = 16;
/// Peers that an all-to-all sends to at a time.
constexpr uint32_t PEERS_AT_ONCE = 8;

Generation
GenerationOf(const std::string& preset)
{
    if (preset == "v100")
    {
        return Generation::V100;
    }
    if (preset == "a100")
    {
        return Generation::A100;
    }
    if (preset == "b200")
    {
        return Generation::B200;
    }
    return preset == "mi300x" ? Generation::Mi300x : Generation::H100;
}

bool
IsLibfabric(const std::string& transport)
{
    return transport.starts_with("efa") || transport == "slingshot";
}

std::vector<RankId>
RanksOf(const CommunicatorLayout& layout)
{
    std::vector<RankId> ranks;
    for (uint32_t member = 0; member < layout.Size(); ++member)
    {
        ranks.push_back(layout.RankOf(member));
    }
    return ranks;
}

/// A library of the family of NCCL, on the ranks of a run.
class InstalledNccl : public InstalledLibrary
{
  public:
    InstalledNccl(const LibrarySurroundings& surroundings, const NcclSettings& settings)
        : m_options(surroundings.options)
        , m_hardware(surroundings.nodes.value())
        , m_settings(settings)
        , m_peers(ContextFor(MachineOf(Placement(FirstRanks(), m_hardware.npusPerNode)),
                             CollectiveType::AllToAll))
        , m_programs(surroundings, m_peers)
    {
    }

    LayoutKind LayoutFor(CollectiveType /*type*/) const override
    {
        return LayoutKind::Flat;
    }

    uint32_t PlaceOf(const Communicator& communicator) override
    {
        const auto known = m_placeOf.find(communicator.id);
        if (known != m_placeOf.end())
        {
            return known->second;
        }
        const uint32_t place = NumberOf(Placement(communicator.ranks, m_hardware.npusPerNode));
        m_placeOf[communicator.id] = place;
        return place;
    }

    CollectiveProgram MakeProgram(const ProgramRequest& request) override;

    const Protocol& PointToPointProtocol() const override
    {
        return m_peers;
    }

  private:
    /// One kernel for placements that are alike: what its messages cost, and its plans.
    struct Way
    {
        std::unique_ptr<CostedProtocol> protocol;
        const ChosenAlgorithm* planner = nullptr;
        uint32_t lanesAtOnce = ALL_LANES;
    };

    /// Place, type, algorithm, protocol, channels, pieces or steps of a message, size where it
    /// counts.
    using WayName = std::tuple<uint32_t,
                               CollectiveType,
                               KernelAlgorithm,
                               KernelProtocol,
                               uint32_t,
                               uint32_t,
                               uint64_t>;

    std::vector<RankId> FirstRanks() const;
    uint32_t NumberOf(const Placement& placement);
    Machine MachineOf(const Placement& placement) const;
    CostContext ContextFor(const Machine& machine, CollectiveType type) const;
    CollectiveProgram MakeKernelProgram(const ProgramRequest& request, const Placement& placement);
    CollectiveProgram MakeExchangeProgram(const ProgramRequest& request, const Machine& machine);
    const Way& FindWay(const Kernel& kernel,
                       const CostContext& context,
                       const Placement& placement,
                       uint64_t bytes);
    Way MakeRing(const Kernel& kernel,
                 const CostContext& context,
                 const Placement& placement,
                 KernelCut cut);
    Way MakeTree(const Kernel& kernel,
                 const CostContext& context,
                 const Placement& placement,
                 KernelCut cut);
    Way MakeChain(const Kernel& kernel,
                  const CostContext& context,
                  const Placement& placement,
                  KernelCut cut);
    Way MakeNvls(const CostContext& context, KernelCut cut);
    Way MakeNvlsTree(const CostContext& context, const Placement& placement, KernelCut cut);
    uint32_t PiecesFor(double wanted, uint32_t messagesOfOne) const;
    Way Join(const KernelCosts& costs,
             const std::string& name,
             std::unique_ptr<CollectiveAlgorithm> algorithm);

    const SystemOptions& m_options;
    NodeHardware m_hardware;
    NcclSettings m_settings;
    PeerProtocol m_peers;
    DimensionPrograms m_programs;
    std::map<CommunicatorId, uint32_t> m_placeOf;
    std::map<Placement, uint32_t> m_places;
    std::map<WayName, Way> m_ways;
};

std::vector<RankId>
InstalledNccl::FirstRanks() const
{
    std::vector<RankId> ranks;
    for (uint32_t rank = 0; rank < m_hardware.npusPerNode * m_hardware.nodes; ++rank)
    {
        ranks.push_back(RankId{rank});
    }
    return ranks;
}

uint32_t
InstalledNccl::NumberOf(const Placement& placement)
{
    const auto next = static_cast<uint32_t>(m_places.size());
    return m_places.emplace(placement, next).first->second;
}

Machine
InstalledNccl::MachineOf(const Placement& placement) const
{
    const uint32_t npusPerNic = m_hardware.npusPerNode / m_hardware.nicsPerNode;
    const uint32_t nics = placement.CountNics(npusPerNic);
    const std::string& transport = m_settings.presets.transport;
    const Generation generation = GenerationOf(m_settings.presets.gpu);
    const bool isOldGpu = generation == Generation::V100 || generation == Generation::A100;
    return {.generation = generation,
            .release = m_settings.release,
            .ranks = placement.Size(),
            .nodes = placement.NodeCount(),
            .link = InGigabytes(m_hardware.npuBandwidth),
            .nic = nics * InGigabytes(m_hardware.nicBandwidth),
            .nics = nics,
            .isSwitched = m_hardware.isSwitched,
            .nicPath = m_settings.nicPath,
            .isAmdProcessor = m_settings.isAmdProcessor,
            // its table of platforms has this latency for all of EFA
            .pluginLatency = transport.starts_with("efa") ? 75.0 : 0.0,
            // aws-ofi-nccl issue 76: these GPUs cannot see the order of EFA's writes
            .isSimpleOnly = transport.starts_with("efa") && isOldGpu && placement.NodeCount() > 1,
            .leastChannels = m_settings.leastChannels};
}

CostContext
InstalledNccl::ContextFor(const Machine& machine, CollectiveType type) const
{
    return {.values = m_settings.costs,
            .hardware = m_hardware,
            .machine = machine,
            .type = type,
            .launch = m_settings.launch,
            .calls = m_settings.calls,
            .isBlocking = m_settings.isBlocking,
            .asksForConsent = IsLibfabric(m_settings.presets.transport)};
}

CollectiveProgram
InstalledNccl::MakeProgram(const ProgramRequest& request)
{
    const Placement placement(RanksOf(request.layout), m_hardware.npusPerNode);
    switch (request.isUneven ? CollectiveType::Gather : request.type)
    {
    case CollectiveType::AllReduce:
    case CollectiveType::AllGather:
    case CollectiveType::ReduceScatter:
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return MakeKernelProgram(request, placement);
    case CollectiveType::AllToAll:
        return MakeExchangeProgram(request, MachineOf(placement));
    default:
        return m_programs.Make(request);
    }
}

CollectiveProgram
InstalledNccl::MakeKernelProgram(const ProgramRequest& request, const Placement& placement)
{
    const CostContext context = ContextFor(MachineOf(placement), request.type);
    // The library counts the whole of an all-gather, which is called with the part of one rank.
    const uint32_t parts = request.type == CollectiveType::AllGather ? request.layout.Size() : 1;
    const uint64_t bytes = request.elements * m_options.elementBytes * parts;
    const Kernel kernel =
        request.layout.Size() == 1
            ? Kernel{}
            : ChooseKernel(
                  context.machine, request.type, m_settings.wish, static_cast<double>(bytes));
    const Way& way = FindWay(kernel, context, placement, bytes);
    CollectiveProgram program = MakeWholeProgram(request, m_options.elementBytes, *way.planner);
    program.lanesAtOnce = way.lanesAtOnce;
    program.protocol = way.protocol.get();
    program.decision.algorithm = ToText(kernel.algorithm);
    program.decision.protocol = ToText(kernel.protocol);
    program.decision.channels = UsedChannels(
        context.machine, kernel.algorithm, kernel.protocol, static_cast<double>(bytes));
    const bool isWish = m_settings.wish.algorithm || m_settings.wish.protocol;
    program.decision.chosenBy = isWish ? "user" : "estimate";
    return program;
}

CollectiveProgram
InstalledNccl::MakeExchangeProgram(const ProgramRequest& request, const Machine& machine)
{
    const WayName name{machine.nodes, request.type, {}, {}, machine.ranks, 0, 0};
    Way& way = m_ways[name];
    if (way.planner == nullptr)
    {
        way = Join(AllToAllCosts(ContextFor(machine, request.type)),
                   "peer-to-peer",
                   Registry<CollectiveAlgorithm>::Instance().Make({"direct"}));
    }
    CollectiveProgram program = MakeWholeProgram(request, m_options.elementBytes, *way.planner);
    program.lanesAtOnce = PEERS_AT_ONCE;
    program.protocol = way.protocol.get();
    program.decision.protocol = ToText(KernelProtocol::Simple);
    program.decision.chosenBy = "only one";
    return program;
}

const InstalledNccl::Way&
InstalledNccl::FindWay(const Kernel& kernel,
                       const CostContext& context,
                       const Placement& placement,
                       uint64_t bytes)
{
    const auto size = static_cast<double>(bytes);
    const KernelCut cut{.size = size,
                        .channels =
                            UsedChannels(context.machine, kernel.algorithm, kernel.protocol, size)};
    // A ring's way depends on the size by its channels only.
    const bool isRing = kernel.algorithm == KernelAlgorithm::Ring &&
                        context.type != CollectiveType::Broadcast &&
                        context.type != CollectiveType::Reduce;
    const WayName name{NumberOf(placement),
                       context.type,
                       kernel.algorithm,
                       kernel.protocol,
                       cut.channels,
                       0,
                       isRing ? 0 : bytes + 1};
    Way& way = m_ways[name];
    if (way.planner != nullptr)
    {
        return way;
    }
    switch (kernel.algorithm)
    {
    case KernelAlgorithm::Ring:
        way = isRing ? MakeRing(kernel, context, placement, cut)
                     : MakeChain(kernel, context, placement, cut);
        break;
    case KernelAlgorithm::Tree:
        way = MakeTree(kernel, context, placement, cut);
        break;
    case KernelAlgorithm::Nvls:
        way = MakeNvls(context, cut);
        break;
    case KernelAlgorithm::NvlsTree:
        way = MakeNvlsTree(context, placement, cut);
        break;
    }
    return way;
}

InstalledNccl::Way
InstalledNccl::Join(const KernelCosts& costs,
                    const std::string& name,
                    std::unique_ptr<CollectiveAlgorithm> algorithm)
{
    return {.protocol = std::make_unique<CostedProtocol>(costs),
            .planner = &m_programs.Add(name, std::move(algorithm))};
}

/// How many slices of a message pass a step on their own. The threads of LL do so, and between
/// nodes the host posts parts of a chunk ahead.
uint32_t
SlicesOf(KernelProtocol protocol, const Machine& machine)
{
    if (machine.nodes > 1)
    {
        return 2;
    }
    return protocol == KernelProtocol::LL ? 4 : 1;
}

InstalledNccl::Way
InstalledNccl::MakeRing(const Kernel& kernel,
                        const CostContext& context,
                        const Placement& placement,
                        KernelCut cut)
{
    const std::vector<RingWay> rings = LayRings(
        placement, {.isSwitched = context.machine.isSwitched, .nics = context.machine.nics});
    const uint64_t steps = RingSteps(context.type, placement.Size());
    const uint64_t messagesOfOne = std::max<uint64_t>(1, steps * placement.Size() * rings.size());
    const uint32_t slices = static_cast<uint32_t>(std::clamp<uint64_t>(
        m_settings.messages / messagesOfOne, 1, SlicesOf(kernel.protocol, context.machine)));
    std::vector<RingWay> lanes;
    for (uint32_t slice = 0; slice < slices; ++slice)
    {
        lanes.insert(lanes.end(), rings.begin(), rings.end());
    }
    cut.lanes = static_cast<uint32_t>(lanes.size());
    const uint64_t all = messagesOfOne * slices;
    cut.stepsPerMessage = static_cast<uint32_t>(std::clamp<uint64_t>(
        (all + m_settings.messages - 1) / m_settings.messages, 1, std::max<uint64_t>(steps, 1)));
    return Join(RingCosts(context, kernel.protocol, cut),
                "ring",
                std::make_unique<RingKernel>(std::move(lanes), cut.stepsPerMessage));
}

/// At least one, and as many of those wanted as the bound on messages allows.
uint32_t
InstalledNccl::PiecesFor(double wanted, uint32_t messagesOfOne) const
{
    const double most = std::max(1.0, double(m_settings.messages) / std::max(1U, messagesOfOne));
    return static_cast<uint32_t>(std::clamp(std::floor(wanted), 1.0, most));
}

InstalledNccl::Way
InstalledNccl::MakeTree(const Kernel& kernel,
                        const CostContext& context,
                        const Placement& placement,
                        KernelCut cut)
{
    std::vector<MemberTree> trees = LayNodeTrees(placement, context.machine.nics);
    cut.lanes = static_cast<uint32_t>(trees.size());
    // So many that the network adds little to the time until the tree is full, which the costs
    // have.
    constexpr double most = 16;
    constexpr double worthCutting = 16 * KIB;
    const double least = std::clamp(cut.size / worthCutting, 1.0, most);
    const double slots = cut.size / (cut.channels * SlotBytes(kernel.protocol));
    cut.pieces = PiecesFor(std::max(least, slots), 2 * placement.Size() * cut.lanes);
    Way way = Join(TreeCosts(context, kernel.protocol, cut),
                   "tree",
                   std::make_unique<TreeKernel>(std::move(trees), cut.pieces));
    way.lanesAtOnce = cut.lanes * PIECES_UNDER_WAY;
    return way;
}

InstalledNccl::Way
InstalledNccl::MakeChain(const Kernel& kernel,
                         const CostContext& context,
                         const Placement& placement,
                         KernelCut cut)
{
    std::vector<RingWay> rings = LayRings(
        placement, {.isSwitched = context.machine.isSwitched, .nics = context.machine.nics});
    cut.lanes = static_cast<uint32_t>(rings.size());
    const double slots = cut.size / (cut.channels * SlotBytes(kernel.protocol));
    cut.pieces = m_settings.calls == Calls::BackToBack
                     ? ChainKernel::IN_A_ROW
                     : PiecesFor(std::max(1.0, slots), placement.Size() * cut.lanes);
    return Join(ChainCosts(context, kernel.protocol, cut),
                "chain",
                std::make_unique<ChainKernel>(std::move(rings), cut.pieces));
}

InstalledNccl::Way
InstalledNccl::MakeNvls(const CostContext& context, KernelCut cut)
{
    return Join(NvlsCosts(context, cut), "nvls", std::make_unique<NvlsKernel>());
}

InstalledNccl::Way
InstalledNccl::MakeNvlsTree(const CostContext& context, const Placement& placement, KernelCut cut)
{
    std::vector<MemberTree> trees = LayHeadTrees(placement);
    cut.lanes = static_cast<uint32_t>(trees.size());
    cut.pieces = PiecesFor(CountNvlsLoops(context.machine, cut.size).count,
                           2 * placement.NodeCount() * cut.lanes);
    return Join(NvlsTreeCosts(context, cut),
                "nvls-tree",
                std::make_unique<TreeKernel>(std::move(trees), cut.pieces));
}

/// What NCCL and the libraries made of it have in common.
class NcclFamily : public CommunicationLibrary
{
  public:
    explicit NcclFamily(const Parameters& values)
        : m_settings(ReadNcclSettings(values))
    {
    }

    std::unique_ptr<InstalledLibrary>
    Install(const LibrarySurroundings& surroundings) const override
    {
        if (!surroundings.nodes)
        {
            throw ConfigError("system.library",
                              "needs a network of nodes; write network.topology with the generator "
                              "nodes or rail");
        }
        return std::make_unique<InstalledNccl>(surroundings, m_settings);
    }

  private:
    NcclSettings m_settings;
};

class NcclLibrary : public NcclFamily
{
  public:
    static constexpr const char* Help =
        "NVIDIA's NCCL: rings, trees and NVLS with the protocols LL, LL128 and Simple, chosen as "
        "its releases choose them, with costs fitted to measurements.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return NcclSpecs("h100");
    }

    using NcclFamily::NcclFamily;
};

class RcclLibrary : public NcclFamily
{
  public:
    static constexpr const char* Help =
        "AMD's RCCL: as nccl, with the defaults of the MI300X and without NVLS.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return NcclSpecs("mi300x");
    }

    using NcclFamily::NcclFamily;
};

NADI_REGISTER(CommunicationLibrary, NcclLibrary, "nccl");
NADI_REGISTER(CommunicationLibrary, RcclLibrary, "rccl");

} // namespace

} // namespace nadi::nccl
