// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/installed-nccl.h"

#include "system/library/nccl/channels.h"
#include "system/library/nccl/cost-terms.h"
#include "system/library/nccl/nvls-ways.h"
#include "system/library/whole-program.h"

#include <utility>
#include <vector>

namespace nadi::nccl
{

namespace
{

constexpr Release FIRST_WITH_PXN{2, 12};

/// What the estimate of the library tells apart. `default`, h200 and gh200 count as H100.
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
    if (preset == "b200" || preset == "gb200")
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
RanksOf(const ProgramRequest& request)
{
    std::vector<RankId> ranks;
    for (uint32_t member = 0; member < request.layout.Size(); ++member)
    {
        ranks.push_back(request.layout.RankOf(member));
    }
    return ranks;
}

/// GB/s into the node of a GPU, of the node with the fewest ranks that has several. In a mesh,
/// links to NPUs without ranks carry nothing.
double
LinkOf(const NodeHardware& hardware, const Placement& placement)
{
    const double link = InGigabytes(hardware.npuBandwidth);
    const uint32_t local = placement.FewestThatShareNode();
    const bool isPartOfMesh = hardware.wiring == NodeWiring::Mesh && local > 1;
    return isPartOfMesh ? link * (local - 1) / (hardware.npusPerNode - 1) : link;
}

/// All ranks that the hardware has room for.
/// Messages between two ranks belong to no communicator, so their costs are those of the whole
/// machine.
Placement
PlaceAll(const NodeHardware& hardware, const NodeSeats& seats)
{
    std::vector<RankId> ranks;
    for (uint32_t rank = 0; rank < hardware.npusPerNode * hardware.nodes; ++rank)
    {
        ranks.push_back(RankId{rank});
    }
    return Placement(ranks, seats);
}

} // namespace

// A call becomes a program in four steps. Its Placement says which of its ranks share a node. The
// Machine made of that is all that the estimate of the library knows, and ChooseKernel chooses by
// it. A KernelWay has the plans of the kernel and what its messages cost; it is kept, since calls
// of one placement and kernel repeat. MakeWholeProgram makes it a program of one phase.

InstalledNccl::InstalledNccl(const LibrarySurroundings& surroundings, const NcclSettings& settings)
    : m_options(surroundings.options)
    , m_hardware(surroundings.nodes.value())
    , m_switches(surroundings.trees, m_hardware.npuBandwidth)
    , m_seats(m_hardware.npusPerNode, surroundings.placement)
    , m_payloadShare(surroundings.payloadShare)
    , m_settings(settings)
    // ContextFor uses the members above, so m_peers is declared after them.
    , m_peers(ContextFor(PlaceAll(m_hardware, m_seats), CollectiveType::AllToAll))
    , m_programs(surroundings, m_peers)
{
}

uint32_t
InstalledNccl::PlaceOf(const Communicator& communicator)
{
    const auto known = m_placeOf.find(communicator.id);
    if (known != m_placeOf.end())
    {
        return known->second;
    }
    const Placement placement(communicator.ranks, m_seats);
    const uint32_t place = NumberOf(placement, m_switches.Serve(communicator.ranks, placement));
    m_placeOf[communicator.id] = place;
    return place;
}

uint32_t
InstalledNccl::NumberOf(const Placement& placement, bool switchesReduce)
{
    // Communicators that are placed alike share a number, and with it their programs.
    const auto next = static_cast<uint32_t>(m_places.size());
    return m_places.emplace(std::pair(placement, switchesReduce), next).first->second;
}

Placement
InstalledNccl::PlacementOf(const ProgramRequest& request) const
{
    return Placement(RanksOf(request), m_seats);
}

Machine
InstalledNccl::MachineOf(const Placement& placement) const
{
    const uint32_t npusPerNic = m_hardware.NpusPerNic();
    const uint32_t nics = placement.CountNics(npusPerNic);
    const double nic = InGigabytes(m_hardware.nicBandwidth);
    const std::string& transport = m_settings.presets.transport;
    const Generation generation = GenerationOf(m_settings.presets.gpu);
    const bool isEfa = transport.starts_with("efa");
    const bool isOldGpu = generation == Generation::V100 || generation == Generation::A100;
    return {.generation = generation,
            .release = m_settings.release,
            .ranks = placement.Size(),
            .nodes = placement.NodeCount(),
            .link = LinkOf(m_hardware, placement),
            .fewestInNode = placement.FewestThatShareNode(),
            .nic = nics * nic,
            .nics = nics,
            .nicOfRank = placement.LeastNicsOfMember(npusPerNic) * nic,
            .wiring = m_hardware.wiring,
            .nicPath = m_settings.nicPath,
            .isAmdProcessor = m_settings.isAmdProcessor,
            // aws-ofi-nccl: its table of platforms has this latency for all of EFA
            .pluginLatency = isEfa ? 75.0 : 0.0,
            // aws-ofi-nccl, issue 76: these GPUs cannot see the order of EFA's writes
            .isSimpleOnly = isEfa && isOldGpu && placement.NodeCount() > 1,
            .leastChannels = m_settings.leastChannels,
            .isRegular = placement.IsRegular()};
}

CostContext
InstalledNccl::ContextFor(const Placement& placement, CollectiveType type) const
{
    return {.values = m_settings.costs,
            .hardware = m_hardware,
            .seats = m_seats,
            .machine = MachineOf(placement),
            .type = type,
            .launch = m_settings.launch,
            .calls = m_settings.calls,
            .isBlocking = m_settings.isBlocking,
            .usesRails = m_settings.pxn.value_or(m_hardware.hasRails &&
                                                 m_settings.release >= FIRST_WITH_PXN),
            .payloadShare = m_payloadShare,
            .asksForConsent = IsLibfabric(m_settings.presets.transport)};
}

CollectiveProgram
InstalledNccl::MakeProgram(const ProgramRequest& request)
{
    switch (request.type)
    {
    case CollectiveType::AllReduce:
    case CollectiveType::AllGather:
    case CollectiveType::ReduceScatter:
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return MakeKernelProgram(request);
    case CollectiveType::Barrier:
        return MakeBarrierProgram(request);
    case CollectiveType::AllToAll:
        return MakeExchangeProgram(request);
    // The library has no gather and scatter. They are grouped sends and receives; of unequal sizes,
    // sends and receives that nothing groups.
    default:
        return request.isUneven ? m_programs.Make(request) : MakeExchangeProgram(request);
    }
}

InstalledNccl::KeptWay
InstalledNccl::Keep(KernelWay way)
{
    return {.protocol = std::move(way.protocol),
            .planner = &m_programs.Add(way.name, std::move(way.planner)),
            .lanesAtOnce = way.lanesAtOnce};
}

CollectiveProgram
InstalledNccl::MakeProgramBy(const KeptWay& way, const ProgramRequest& request) const
{
    CollectiveProgram program = MakeWholeProgram(request, m_options.elementBytes, *way.planner);
    program.lanesAtOnce = way.lanesAtOnce;
    program.protocol = way.protocol.get();
    return program;
}

/// As the library counts it: the whole of an all-gather, which is called with the part of one rank.
uint64_t
InstalledNccl::SizeOf(const ProgramRequest& request) const
{
    const uint32_t parts = request.type == CollectiveType::AllGather ? request.layout.Size() : 1;
    return request.elements * m_options.elementBytes * parts;
}

KernelWay
InstalledNccl::MakeWay(const Kernel& kernel,
                       const CostContext& context,
                       const Placement& placement,
                       uint64_t bytes)
{
    // Where switches compute, NVLS inside a node is messages to its switch. Elsewhere it is time
    // alone.
    const TreeTable* const trees = m_switches.Trees();
    if (kernel.algorithm == KernelAlgorithm::Nvls)
    {
        return trees == nullptr ? MakeNvlsWay(context, bytes, m_nvlsPorts)
                                : MakeSwitchedNvlsWay(context, bytes, m_settings.messages, *trees);
    }
    if (trees != nullptr && kernel.algorithm == KernelAlgorithm::NvlsTree)
    {
        return MakeSwitchedNvlsTreeWay(context, placement, bytes, m_settings.messages, *trees);
    }
    return MakeKernelWay(kernel, context, placement, bytes, m_settings.messages);
}

/// Whether the user has chosen what runs: the algorithm or the protocol is what was wished.
bool
InstalledNccl::IsWished(const Kernel& kernel, CollectiveType type) const
{
    const KernelWish& wish = m_settings.wish;
    // The key of the algorithm is of all-reduces.
    const bool isAlgorithmWished =
        type == CollectiveType::AllReduce && wish.algorithm == kernel.algorithm;
    return isAlgorithmWished || wish.protocol == kernel.protocol;
}

/// As LibraryDecision::unmet.
std::string
InstalledNccl::FindUnmetWish(const Machine& machine, CollectiveType type) const
{
    // A group of one runs nothing.
    const std::string obstacle =
        machine.ranks > 1 ? FindObstacle(machine, type, m_settings.wish) : "";
    return obstacle.empty() ? "" : ToText(*m_settings.wish.algorithm) + ": " + obstacle;
}

CollectiveProgram
InstalledNccl::MakeKernelProgram(const ProgramRequest& request)
{
    const Placement placement = PlacementOf(request);
    CostContext context = ContextFor(placement, request.type);
    context.machine.switchesReduce =
        !request.isWithoutSwitches && m_switches.Serve(RanksOf(request), placement);
    const uint64_t bytes = SizeOf(request);
    const auto size = static_cast<double>(bytes);
    // A group of one runs nothing. There is no estimate for it, since the ring's estimate divides
    // by the number of steps, which is 0.
    const Kernel kernel = placement.Size() == 1
                              ? Kernel{}
                              : ChooseKernel(context.machine, request.type, m_settings.wish, size);
    // The key has all that the way of a kernel depends on. A ring depends on the size only by its
    // number of channels, so calls of many sizes share a way.
    const uint32_t channels =
        UsedChannels(context.machine, kernel.algorithm, kernel.protocol, size);
    KeptWay& way = m_ways[{NumberOf(placement, context.machine.switchesReduce),
                           request.type,
                           kernel.algorithm,
                           kernel.protocol,
                           channels,
                           IsAroundRings(kernel, request.type) ? 0 : bytes + 1}];
    if (way.planner == nullptr)
    {
        way = Keep(MakeWay(kernel, context, placement, bytes));
    }
    CollectiveProgram program = MakeProgramBy(way, request);
    program.decision = {.algorithm = ToText(kernel.algorithm),
                        .protocol = ToText(kernel.protocol),
                        .channels = channels,
                        .chosenBy = IsWished(kernel, request.type) ? "user" : "estimate",
                        .unmet = FindUnmetWish(context.machine, request.type),
                        .hasUnseenSwitches =
                            IsNvls(kernel.algorithm) && m_switches.Trees() == nullptr};
    return program;
}

/// An all-reduce of nothing, up and down the trees: with LL where the network allows it.
CollectiveProgram
InstalledNccl::MakeBarrierProgram(const ProgramRequest& request)
{
    const Placement placement = PlacementOf(request);
    const CostContext context = ContextFor(placement, CollectiveType::AllReduce);
    const Kernel kernel{KernelAlgorithm::Tree, AllowedProtocols(context.machine).front()};
    // Barriers and exchanges use no switch. So whether switches reduce is `true` in all their keys,
    // and placements that are alike share one way.
    KeptWay& way =
        m_ways[{NumberOf(placement, true), request.type, kernel.algorithm, kernel.protocol, 1, 0}];
    if (way.planner == nullptr)
    {
        way = Keep(MakeKernelWay(kernel, context, placement, 0, m_settings.messages));
    }
    CollectiveProgram program = MakeProgramBy(way, request);
    program.decision = {.algorithm = ToText(kernel.algorithm),
                        .protocol = ToText(kernel.protocol),
                        .channels = 1,
                        .chosenBy = "only one"};
    return program;
}

CollectiveProgram
InstalledNccl::MakeExchangeProgram(const ProgramRequest& request)
{
    const Placement placement = PlacementOf(request);
    // AllToAllCosts depends on the size only by the channels of a send, so calls of many sizes
    // share a way. Kernel and size are left empty in its key.
    const uint32_t parts = request.type == CollectiveType::AllToAll ? placement.Size() : 1;
    const uint32_t channels = ChannelsOfSend(static_cast<double>(SizeOf(request)) / parts);
    KeptWay& way = m_ways[{NumberOf(placement, true), request.type, {}, {}, channels, 0}];
    if (way.planner == nullptr)
    {
        way = Keep(MakeExchangeWay(ContextFor(placement, request.type), placement, channels));
    }
    CollectiveProgram program = MakeProgramBy(way, request);
    program.decision.protocol = ToText(KernelProtocol::Simple);
    // Between nodes a send has a rate, and no number of channels.
    program.decision.channels = placement.FewestThatShareNode() > 1 ? channels : 1;
    program.decision.chosenBy = "only one";
    return program;
}

} // namespace nadi::nccl
